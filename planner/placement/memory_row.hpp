// Memories divided into one, two or three sides in a row, and what it takes at least to bring bytes
// across each border, so that whatever goes from memory to memory pays no more at the borders than
// it really takes.
//
// On a machine whose accelerators talk through the host's memory, three sides with the host's in
// the middle price every copy between three memories exactly. Where a copy from one end to the
// other takes less than both borders together, or one to both ends shares a part of its way, the
// borders cost accordingly less. O(memories · links) for each price.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/placement/transfer_prices.hpp"

namespace stint {

using Side = std::vector<MemoryId>;

// At a border: forwards to the sides behind it (0), and backwards (1).
using BorderPrice = std::array<TransferPrice, 2>;

class MemoryRow {
 public:
  MemoryRow(const Platform& platform, std::vector<Side> sides);

  int sides() const { return static_cast<int>(sides_.size()); }
  int borders() const { return sides() - 1; }
  // -1: nobody works there.
  int side_of(MemoryId memory) const { return side_of_[memory]; }
  // By border; infinite where no links lead across it.
  std::vector<BorderPrice> prices(std::int64_t bytes) const;
  // How long the links across a border, forwards or backwards, are busy with it at least.
  double link_seconds(int border, int back, std::int64_t bytes) const;

 private:
  void share_ways(std::int64_t bytes, std::vector<BorderPrice>& prices) const;
  double joules_to_both_ends(std::int64_t bytes) const;

  const Platform& platform_;
  TransferPrices transfers_;
  std::vector<Side> sides_;
  std::vector<int> side_of_;
};

// The rows worth a try: memories whose devices are alike stand for each other.
std::vector<MemoryRow> memory_rows(const Platform& platform);

}  // namespace stint

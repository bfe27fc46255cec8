// What it takes at least to bring bytes into a memory: joules and seconds, each by the route that
// takes fewest of them. For bounds; a plan takes one route and pays for both.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/platform.hpp"

namespace stint {

struct TransferPrice {
  double joules = 0;
  double seconds = 0;
};

class TransferPrices {
 public:
  explicit TransferPrices(const Platform& platform) : platform_(platform) {}

  // From a memory to another; infinite where no links lead there.
  TransferPrice between(MemoryId from, MemoryId to, std::int64_t bytes) const;
  // From whichever other of the given memories is cheapest, or to it.
  TransferPrice into(MemoryId to, const std::vector<MemoryId>& from, std::int64_t bytes) const;
  // From any of some memories to any of others.
  TransferPrice across(const std::vector<MemoryId>& from, const std::vector<MemoryId>& to,
                       std::int64_t bytes) const;
  // To the cheapest neighbour, of any kind.
  double joules_out(MemoryId from, std::int64_t bytes) const;
  double joules_back(MemoryId to, std::int64_t bytes) const;
  // How long all links that lead from some memories (those with a mark) to the others are busy with
  // it, if all that can work at the same time share it evenly; 0 where there are none.
  double busy_seconds(const std::vector<char>& is_from, std::int64_t bytes) const;
  double busy_seconds_into(MemoryId memory, std::int64_t bytes) const;
  double busy_seconds_out_of(MemoryId memory, std::int64_t bytes) const;

 private:
  const Platform& platform_;
};

}  // namespace stint

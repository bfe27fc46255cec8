// Checksums of what was written to storage, piece by piece: a piece is what is ever written or read
// by itself (a cell of schedules/layout.hpp), so that a whole may be read that was written in
// parts.
//
// Whoever reads happens after whoever wrote, so the table needs no lock of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend.hpp"

namespace stint {

class Checksums {
 public:
  explicit Checksums(const Schedule& schedule);

  void note(const Place& place, std::int64_t step, std::span<const std::byte> bytes);
  bool agree(const Place& place, std::int64_t step, std::span<const std::byte> bytes) const;

 private:
  // Half-open range of a buffer's pieces.
  struct Pieces {
    int begin = 0;
    int end = 0;
  };
  template <typename Visit>
  void for_each_piece(const Place& place, std::span<const std::byte> bytes, Visit visit) const;

  std::vector<Pieces> pieces_;           // by buffer
  std::vector<std::int64_t> bytes_;      // by piece
  std::vector<std::uint64_t> checksum_;  // by piece and half
};

}  // namespace stint

#include "executor/checksums.hpp"

#include "executor/byte_streams.hpp"
#include "schedules/layout.hpp"

namespace stint {
namespace {

bool has_storage(const Schedule& schedule) {
  for (const Buffer& buffer : schedule.buffers) {
    if (schedule.platform.memories[buffer.memory].kind == MemoryKind::storage) return true;
  }
  return false;
}

// What is not double is the same in all steps: state that lives in storage is written in one and
// read in the next.
int checked_half(const Place& place, std::int64_t step) {
  return place.offsets[0] == place.offsets[1] ? 0 : place.half(step);
}

}  // namespace

Checksums::Checksums(const Schedule& schedule) {
  if (!has_storage(schedule)) return;
  const Layout cells = layout(schedule);
  for (const CellRange& range : cells.cells) pieces_.push_back({range.begin, range.end});
  for (int c = 0; c < static_cast<int>(cells.cell_place.size()); ++c) {
    const Extent where = extent(schedule, cells, c);
    bytes_.push_back(where.end - where.begin);
  }
  checksum_.assign(2 * bytes_.size(), 0);
}

template <typename Visit>
void Checksums::for_each_piece(const Place& place, std::span<const std::byte> bytes,
                               Visit visit) const {
  std::size_t begin = 0;
  for (int piece = pieces_[place.buffer].begin; piece < pieces_[place.buffer].end; ++piece) {
    const auto size = static_cast<std::size_t>(bytes_[piece]);
    visit(piece, digest(0, bytes.subspan(begin, size)));
    begin += size;
  }
}

void Checksums::note(const Place& place, std::int64_t step, std::span<const std::byte> bytes) {
  for_each_piece(place, bytes, [&](int piece, std::uint64_t sum) {
    checksum_[2 * piece + checked_half(place, step)] = sum;
  });
}

bool Checksums::agree(const Place& place, std::int64_t step,
                      std::span<const std::byte> bytes) const {
  bool all = true;
  for_each_piece(place, bytes, [&](int piece, std::uint64_t sum) {
    all = all && checksum_[2 * piece + checked_half(place, step)] == sum;
  });
  return all;
}

}  // namespace stint

#include "schedules/layout.hpp"

#include <limits>

namespace stint {
namespace {

bool in_table(const Schedule& schedule, int buffer) {
  return buffer >= 0 && buffer < static_cast<int>(schedule.buffers.size());
}

bool contains(SegmentRange whole, SegmentRange part) {
  return whole.begin <= part.begin && part.end <= whole.end;
}

// Gives an outermost buffer its cells: one for each segment of its tensor.
void add_cells(const Schedule& schedule, BufferId id, Layout& layout) {
  const TensorId tensor = schedule.buffers[id].tensor;
  const int first = static_cast<int>(layout.cell_place.size());
  const SegmentRange range =
      tensor == no_tensor ? SegmentRange{-1, 0} : layout.segments.of_tensor[tensor];
  for (int segment = range.begin; segment < range.end; ++segment) {
    layout.cell_place.push_back(id);
    layout.cell_segment.push_back(segment);
  }
  layout.place[id] = id;
  layout.cells[id] = {first, static_cast<int>(layout.cell_place.size())};
}

// Finds the cells of an inner buffer among those of its outermost one.
void share_cells(const Schedule& schedule, BufferId id, Layout& layout) {
  const BufferId outer = outermost(schedule, id);
  if (outer == no_buffer || layout.place[outer] == no_buffer) return;
  const TensorId whole = schedule.buffers[outer].tensor;
  const TensorId part = schedule.buffers[id].tensor;
  if (whole == no_tensor || part == no_tensor) return;
  const SegmentRange whole_range = layout.segments.of_tensor[whole];
  const SegmentRange part_range = layout.segments.of_tensor[part];
  if (!contains(whole_range, part_range)) return;
  const int first = layout.cells[outer].begin - whole_range.begin;
  layout.place[id] = outer;
  layout.cells[id] = {first + part_range.begin, first + part_range.end};
}

}  // namespace

BufferId outermost(const Schedule& schedule, BufferId buffer) {
  std::size_t steps = 0;
  while (schedule.buffers[buffer].within != no_buffer) {
    buffer = schedule.buffers[buffer].within;
    if (!in_table(schedule, buffer) || ++steps > schedule.buffers.size()) return no_buffer;
  }
  return buffer;
}

Layout layout(const Schedule& schedule) {
  Layout result;
  result.segments = segments(schedule.graph);
  const std::size_t count = schedule.buffers.size();
  result.place.assign(count, no_buffer);
  result.cells.assign(count, {});
  for (int i = 0; i < static_cast<int>(count); ++i) {
    if (schedule.buffers[i].within == no_buffer) add_cells(schedule, BufferId{i}, result);
  }
  for (int i = 0; i < static_cast<int>(count); ++i) {
    if (schedule.buffers[i].within != no_buffer) share_cells(schedule, BufferId{i}, result);
  }
  return result;
}

Extent extent(const Schedule& schedule, const Layout& layout, int cell) {
  const Buffer& place = schedule.buffers[layout.cell_place[cell]];
  const int segment = layout.cell_segment[cell];
  if (segment < 0) return {place.offset, place.offset + place.bytes};
  const std::int64_t start = place.offset - layout.segments.root_offset[place.tensor];
  return {start + layout.segments.begin_bytes[segment], start + layout.segments.end_bytes[segment]};
}

std::int64_t aligned_bytes(const Platform& platform, MemoryId memory, std::int64_t bytes) {
  const std::int64_t unit = platform.memories[memory].alignment_bytes;
  const std::int64_t remainder = bytes % unit;
  if (remainder == 0) return bytes;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return bytes > most - (unit - remainder) ? most : bytes + (unit - remainder);
}

}  // namespace stint

#include "schedules/result_places.hpp"

#include "platforms/names.hpp"
#include "schedules/address_map.hpp"
#include "schedules/lanes.hpp"
#include "schedules/layout.hpp"

namespace stint {
namespace {

// What of every place has been written, and what has lost its addresses.
class Holders {
 public:
  explicit Holders(const Schedule& schedule)
      : schedule_(schedule),
        layout_(layout(schedule)),
        memories_(schedule.platform.memories.size()),
        holds_(layout_.cell_place.size(), false) {
    for (int b = 0; b < static_cast<int>(schedule.buffers.size()); ++b) {
      const Buffer& buffer = schedule.buffers[b];
      if (buffer.initial && buffer.within == no_buffer) write(BufferId{b});
    }
  }

  void perform(const Action& action) {
    if (action.workspace != no_buffer) write(action.workspace);
    for (const BufferId buffer : action.writes) {
      if (buffer != no_buffer) write(buffer);
    }
  }

  ResultPlace find(TensorId result) const {
    const SegmentRange wanted = layout_.segments.of_tensor[result];
    for (int b = 0; b < static_cast<int>(schedule_.buffers.size()); ++b) {
      if (layout_.place[b] != b || !holds(BufferId{b}, wanted)) continue;
      const TensorId held = schedule_.buffers[b].tensor;
      return {BufferId{b},
              layout_.segments.root_offset[result] - layout_.segments.root_offset[held],
              schedule_.graph.tensors[result].bytes};
    }
    return {};
  }

 private:
  // State lives in its initial buffers; a copy of it may be old.
  bool holds(BufferId b, SegmentRange wanted) const {
    const Buffer& buffer = schedule_.buffers[b];
    if (buffer.tensor == no_tensor) return false;
    if (schedule_.graph.tensors[buffer.tensor].kind == Kind::state && !buffer.initial) return false;
    const SegmentRange held = layout_.segments.of_tensor[buffer.tensor];
    if (wanted.begin < held.begin || wanted.end > held.end) return false;
    for (int s = wanted.begin; s < wanted.end; ++s) {
      if (!holds_[layout_.cells[b].begin + (s - held.begin)]) return false;
    }
    return true;
  }

  void write(BufferId buffer) {
    for (int c = layout_.cells[buffer].begin; c < layout_.cells[buffer].end; ++c) {
      const Extent where = extent(schedule_, layout_, c);
      memories_[schedule_.buffers[buffer].memory].take(
          where.begin, where.end, c, [&](int previous) { holds_[previous] = false; });
      holds_[c] = true;
    }
  }

  const Schedule& schedule_;
  Layout layout_;
  std::vector<AddressMap> memories_;
  std::vector<bool> holds_;  // by cell
};

}  // namespace

std::vector<ResultPlace> result_places(const Schedule& schedule) {
  std::vector<ResultPlace> places;
  if (schedule.graph.results.empty()) return places;
  const Lanes lists = lanes(schedule, static_cast<int>(workers(schedule.platform).size()));
  Holders holders(schedule);
  const std::vector<ActionId> order = topological_order(schedule, lists).value();
  for (const ActionId id : order) {
    holders.perform(schedule.actions[id]);
  }
  for (const TensorId result : schedule.graph.results) places.push_back(holders.find(result));
  return places;
}

}  // namespace stint

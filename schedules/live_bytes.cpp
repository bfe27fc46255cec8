#include "schedules/live_bytes.hpp"

#include <algorithm>
#include <map>

#include "schedules/address_map.hpp"
#include "schedules/layout.hpp"

namespace stint {
namespace {

constexpr int never = -1;

// When the bytes of an outermost buffer are in use, as events of the timeline.
struct Use {
  int first = never;  // the event from which on
  int last = never;   // the event after which no more
  bool from_the_start = false;
  bool to_the_end = false;
  bool takes_over = false;  // its bytes were counted for another until `first`, an end
};

// The buffers whose use may begin or end with the event. What an action reads was in use before it
// starts, so starts need not look at it.
template <typename Visit>
void for_each_buffer(const Action& action, bool is_start, Visit visit) {
  const auto each = [&](const std::vector<BufferId>& list) {
    for (const BufferId buffer : list) {
      if (buffer != no_buffer) visit(buffer);
    }
  };
  each(action.writes);
  if (action.workspace != no_buffer) visit(action.workspace);
  if (is_start) return;
  each(action.reads);
  each(action.updates);
}

// Whether writes[w] lies where the execution reads what it may overwrite.
bool overwrites(const Schedule& schedule, const Action& action, std::size_t w) {
  if (action.what != Do::compute || action.writes[w] == no_buffer) return false;
  const Task& task = schedule.graph.tasks[action.task];
  const Buffer& written = schedule.buffers[action.writes[w]];
  if (written.bytes == 0 || written.within != no_buffer) return false;
  for (const auto& [y, x] : task.may_overwrite) {
    if (y != written.tensor) continue;
    const auto read = std::find(task.reads.begin(), task.reads.end(), x) - task.reads.begin();
    const Buffer& overwritten = schedule.buffers[action.reads[read]];
    return overwritten.memory == written.memory && overwritten.offset == written.offset;
  }
  return false;
}

class Uses {
 public:
  Uses(const Schedule& schedule, const std::vector<TimelineEvent>& timeline)
      : schedule_(schedule), timeline_(timeline), uses_(schedule.buffers.size()) {
    place_.reserve(uses_.size());
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      place_.push_back(outermost(schedule, BufferId{b}));
    }
    mark_what_is_there_from_the_start();
    mark_events();
    mark_results();
  }

  // In the order of the timeline.
  template <typename Visit>
  void for_each_change(Visit visit) const {
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      if (uses_[b].from_the_start) visit(change(0, BufferId{b}, +1));
    }
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      const Use& use = uses_[b];
      const bool unread = use.from_the_start && use.last == never && !use.to_the_end;
      if (unread) visit(change(0, BufferId{b}, -1));
    }
    std::vector<BufferId> places;  // of one event; kept for its memory
    for (int e = 0; e < static_cast<int>(timeline_.size()); ++e) visit_changes(e, places, visit);
  }

 private:
  LiveChange change(double seconds, BufferId id, int sign) const {
    const Buffer& buffer = schedule_.buffers[id];
    const int halves = buffer.second_offset ? 2 : 1;
    return {seconds, buffer.memory,
            sign * halves * aligned_bytes(schedule_.platform, buffer.memory, buffer.bytes)};
  }

  void mark_what_is_there_from_the_start() {
    for (std::size_t b = 0; b < uses_.size(); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (!buffer.initial || buffer.within != no_buffer) continue;
      uses_[b].from_the_start = true;
      const bool state =
          buffer.tensor != no_tensor && schedule_.graph.tensors[buffer.tensor].kind == Kind::state;
      uses_[b].to_the_end = state || buffer.second_offset.has_value();
    }
  }

  void mark_events() {
    for (int e = 0; e < static_cast<int>(timeline_.size()); ++e) {
      const Action& action = schedule_.actions[timeline_[e].action];
      for_each_buffer(action, timeline_[e].is_start, [&](BufferId buffer) {
        Use& use = uses_[place_[buffer]];
        if (use.first == never) use.first = e;
        use.last = e;
      });
      if (timeline_[e].is_start) continue;
      for (std::size_t w = 0; w < action.writes.size(); ++w) {
        if (!overwrites(schedule_, action, w)) continue;
        uses_[action.writes[w]].takes_over = true;
        uses_[action.writes[w]].first = e;
      }
    }
  }

  // The buffer that carries a result to the end of the step: the first, in the order of the file,
  // that nothing overwrites.
  void mark_results() {
    if (schedule_.graph.results.empty()) return;
    const Segments parts = segments(schedule_.graph);
    std::map<TensorId, std::vector<BufferId>> by_root;
    for (const TensorId result : schedule_.graph.results) by_root[parts.root[result]];
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      if (buffer.tensor == no_tensor || buffer.within != no_buffer) continue;
      const auto root = by_root.find(parts.root[buffer.tensor]);
      if (root != by_root.end()) root->second.push_back(BufferId{b});
    }
    for (const TensorId result : schedule_.graph.results) {
      const SegmentRange wanted = parts.of_tensor[result];
      std::vector<BufferId> holders;
      for (const BufferId b : by_root[parts.root[result]]) {
        const SegmentRange held = parts.of_tensor[schedule_.buffers[b].tensor];
        if (held.begin <= wanted.begin && wanted.end <= held.end) holders.push_back(b);
      }
      const BufferId survivor = holders.size() == 1 ? holders[0] : first_survivor(holders);
      if (survivor != no_buffer) uses_[survivor].to_the_end = true;
    }
  }

  BufferId first_survivor(const std::vector<BufferId>& holders) {
    if (lost_.empty()) find_lost();
    for (const BufferId holder : holders) {
      if (!lost_[holder]) return holder;
    }
    return no_buffer;
  }

  void find_lost() {
    lost_.assign(uses_.size(), false);
    std::vector<AddressMap> memories(schedule_.platform.memories.size());
    const auto take = [&](BufferId b) {
      const Buffer& buffer = schedule_.buffers[b];
      memories[buffer.memory].take(buffer.offset, buffer.offset + buffer.bytes, b,
                                   [&](int previous) { lost_[previous] = true; });
    };
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      if (uses_[b].from_the_start) take(BufferId{b});
    }
    for (int e = 0; e < static_cast<int>(timeline_.size()); ++e) {
      const Action& action = schedule_.actions[timeline_[e].action];
      for_each_buffer(action, timeline_[e].is_start, [&](BufferId buffer) {
        const BufferId place = place_[buffer];
        if (uses_[place].first == e && !uses_[place].from_the_start) take(place);
      });
    }
  }

  template <typename Visit>
  void visit_changes(int e, std::vector<BufferId>& places, Visit visit) const {
    const Action& action = schedule_.actions[timeline_[e].action];
    const double seconds = timeline_[e].seconds;
    places.clear();
    for_each_buffer(action, timeline_[e].is_start,
                    [&](BufferId buffer) { places.push_back(place_[buffer]); });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const BufferId b : places) {
      const Use& use = uses_[b];
      const bool ends = use.last == e && !timeline_[e].is_start && !use.to_the_end;
      const bool was_counted = !use.takes_over || use.first < e;
      if (ends && was_counted) visit(change(seconds, b, -1));
    }
    for (const BufferId b : places) {
      const Use& use = uses_[b];
      const bool over_at_once = use.takes_over && use.last == e && !use.to_the_end;
      const bool begins = use.first == e && !use.from_the_start && !over_at_once;
      if (begins) visit(change(seconds, b, +1));
    }
  }

  const Schedule& schedule_;
  const std::vector<TimelineEvent>& timeline_;
  std::vector<BufferId> place_;  // by buffer: the outermost one that it lies in
  std::vector<Use> uses_;        // by buffer; only outermost ones are used
  std::vector<bool> lost_;       // by buffer: something else was put in its place
};

}  // namespace

std::vector<LiveChange> live_changes(const Schedule& schedule,
                                     const std::vector<TimelineEvent>& timeline) {
  std::vector<LiveChange> changes;
  Uses(schedule, timeline).for_each_change([&](const LiveChange& change) {
    changes.push_back(change);
  });
  return changes;
}

std::vector<std::int64_t> peak_bytes(const Schedule& schedule,
                                     const std::vector<TimelineEvent>& timeline) {
  std::vector<std::int64_t> level(schedule.platform.memories.size(), 0);
  std::vector<std::int64_t> peak(schedule.platform.memories.size(), 0);
  Uses(schedule, timeline).for_each_change([&](const LiveChange& change) {
    level[change.memory] += change.bytes;
    peak[change.memory] = std::max(peak[change.memory], level[change.memory]);
  });
  return peak;
}

}  // namespace stint

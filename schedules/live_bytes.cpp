#include "schedules/live_bytes.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

  void include(int event) {
    if (first == never || event < first) first = event;
    last = std::max(last, event);
  }
};

// The events of an action.
struct EventSpan {
  int start = never;
  int end = never;
};

std::vector<EventSpan> spans(const Schedule& schedule, const std::vector<TimelineEvent>& timeline) {
  std::vector<EventSpan> of_action(schedule.actions.size());
  for (int e = 0; e < static_cast<int>(timeline.size()); ++e) {
    EventSpan& span = of_action[timeline[e].action];
    (timeline[e].is_start ? span.start : span.end) = e;
  }
  return of_action;
}

template <typename Visit>
void for_each_written(const Action& action, Visit visit) {
  for (const BufferId buffer : action.writes) {
    if (buffer != no_buffer) visit(buffer);
  }
  if (action.workspace != no_buffer) visit(action.workspace);
}

template <typename Visit>
void for_each_read(const Action& action, Visit visit) {
  for (const BufferId buffer : action.reads) visit(buffer);
  for (const BufferId buffer : action.updates) visit(buffer);
}

// Buffers by event, ascending within one.
class ByEvent {
 public:
  ByEvent(std::size_t events, std::size_t buffers)
      : first_(events, no_buffer), next_(buffers, no_buffer) {}
  // In descending order of buffers.
  void add(int event, BufferId buffer) { next_[buffer] = std::exchange(first_[event], buffer); }
  template <typename Visit>
  void for_each(int event, Visit visit) const {
    for (BufferId b = first_[event]; b != no_buffer; b = next_[b]) visit(b);
  }

 private:
  std::vector<BufferId> first_;  // by event
  std::vector<BufferId> next_;   // by buffer
};

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
    for_each_change_by_events(visit);
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

  // Actions in the order of the file, which is that of memory: much faster than that of events.
  // What an action reads was in use before it starts.
  void mark_events() {
    const std::vector<EventSpan> span = spans(schedule_, timeline_);
    for (std::size_t a = 0; a < span.size(); ++a) {
      const Action& action = schedule_.actions[a];
      for_each_written(action, [&](BufferId buffer) {
        use_of(buffer).include(span[a].start);
        use_of(buffer).include(span[a].end);
      });
      for_each_read(action, [&](BufferId buffer) { use_of(buffer).include(span[a].end); });
    }
    for (std::size_t a = 0; a < span.size(); ++a)
      mark_overwriting(schedule_.actions[a], span[a].end);
  }

  Use& use_of(BufferId buffer) { return uses_[place_[buffer]]; }

  void mark_overwriting(const Action& action, int end) {
    for (std::size_t w = 0; w < action.writes.size(); ++w) {
      if (!overwrites(schedule_, action, w)) continue;
      Use& use = uses_[action.writes[w]];
      use.first = use.takes_over ? std::max(use.first, end) : end;
      use.takes_over = true;
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
                                   [&](int previous) {
                                     if (previous != b) lost_[previous] = true;
                                   });
    };
    for (int b = 0; b < static_cast<int>(uses_.size()); ++b) {
      if (uses_[b].from_the_start) take(BufferId{b});
    }
    for (int e = 0; e < static_cast<int>(timeline_.size()); ++e) {
      const Action& action = schedule_.actions[timeline_[e].action];
      const auto take_if_first = [&](BufferId buffer) {
        const BufferId place = place_[buffer];
        if (uses_[place].first == e && !uses_[place].from_the_start) take(place);
      };
      for_each_written(action, take_if_first);
      if (!timeline_[e].is_start) for_each_read(action, take_if_first);
    }
  }

  template <typename Visit>
  void for_each_change_by_events(Visit visit) const {
    ByEvent ends(timeline_.size(), uses_.size());
    ByEvent begins(timeline_.size(), uses_.size());
    for (int b = static_cast<int>(uses_.size()) - 1; b >= 0; --b) {
      const Use& use = uses_[b];
      if (use.last == never) continue;
      const bool over_at_once = use.takes_over && use.last == use.first && !use.to_the_end;
      if (over_at_once) continue;
      if (!use.to_the_end) ends.add(use.last, BufferId{b});
      if (!use.from_the_start) begins.add(use.first, BufferId{b});
    }
    for (int e = 0; e < static_cast<int>(timeline_.size()); ++e) {
      const double seconds = timeline_[e].seconds;
      ends.for_each(e, [&](BufferId b) { visit(change(seconds, b, -1)); });
      begins.for_each(e, [&](BufferId b) { visit(change(seconds, b, +1)); });
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

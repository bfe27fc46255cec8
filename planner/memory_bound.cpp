#include "planner/memory_bound.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "planner/source_cut.hpp"

namespace stint {

namespace {

using SegmentSet = std::vector<int>;  // ascending, each once

// Passing over the graph once for each input is work that large graphs do not get; leaving inputs
// out keeps the bound sound.
constexpr std::int64_t most_visits = 20'000'000;
constexpr std::int64_t visits_of_cut = 8;  // of the whole network, for a cut of it
// Of what a task reads: those that are looked at, the largest.
constexpr std::size_t most_made = 6;

class Bounding {
 public:
  Bounding(const Problem& problem, MemoryId memory)
      : problem_(problem),
        graph_(problem.graph()),
        memory_(problem.platform().memories[memory]),
        forced_(graph_.tasks.size()),
        whole_of_(problem.segments.count(), no_tensor),
        pinned_(graph_.tasks.size()),
        sources_(problem, memory_, forced_) {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const SegmentRange range = problem.segments.of_tensor[t];
      for (int s = range.begin; s < range.end; ++s) whole_of_[s] = problem.segments.root[t];
    }
    for (std::size_t t = 0; t < forced_.size(); ++t) forced_[t] = only_in(memory, t);
    for (const Link& link : problem.platform().links)
      isolated_ = isolated_ && link.from != memory && link.to != memory;
    if (!isolated_) return;
    find_resident_state();
    find_writers();
    pin_inputs();
  }

  MemoryBound best() const {
    Moment best;
    const auto consider = [&](Moment moment) {
      if (moment.bytes > best.bytes) best = std::move(moment);
    };
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (forced_[t]) consider({bytes_during(t), joined(segments_during(t), state_)});
    }
    if (isolated_) {
      for (std::size_t t = 0; t < forced_.size(); ++t) {
        if (auto moment = moment_before(t)) consider(std::move(*moment));
      }
      const SegmentSet end = joined(results_here(), state_);
      consider({size(end), end});
      std::int64_t cuts_left = most_visits / (visits_of_cut * sources_.size() + 1);
      for (std::size_t t = 0; t < forced_.size() && cuts_left > 0; ++t) {
        if (!forced_[t]) continue;
        for (auto& moments : moments_around(t))
          consider(least_with_sources(std::move(moments), t, best.bytes, cuts_left));
      }
    }
    return {best.bytes, wholes(best.there)};
  }

  MemoryReason reason_above(std::int64_t bytes) const {
    MemoryReason fewest;
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (!forced_[t]) continue;
      std::vector<Holder> holders = holders_of(joined(segments_during(t), state_));
      const std::int64_t workspace = aligned(graph_.tasks[t].workspace_bytes, memory_);
      if (workspace > 0) holders.push_back({workspace, no_tensor, static_cast<TaskId>(t)});
      keep_fewer(largest_above(std::move(holders), bytes_during(t), bytes), fewest);
    }
    if (isolated_) {
      const SegmentSet end = joined(results_here(), state_);
      keep_fewer(largest_above(holders_of(end), size(end), bytes), fewest);
    }
    return fewest;
  }

  // While the task runs here, with everything that is known to be there.
  std::int64_t bytes_during(std::size_t task) const {
    std::int64_t bytes = capped_sum(size(segments_during(task)), state_bytes_);
    bytes = capped_sum(bytes, aligned(graph_.tasks[task].workspace_bytes, memory_));
    return std::max<std::int64_t>(0, bytes - overwritten_bytes(task));
  }

 private:
  // What has bytes at a moment: a whole, or a task its workspace.
  struct Holder {
    std::int64_t bytes = 0;
    TensorId tensor = no_tensor;
    std::optional<TaskId> workspace_of;
  };

  // What is there while a task runs: some other, or that writes something for another.
  struct Moment {
    std::int64_t bytes = 0;
    SegmentSet there;
    std::vector<TaskId> begun{};
  };

  // Before a task runs, all that it reads was written, one of it last: as that is written the
  // others are there. Which one is the last nobody knows, so it is the one that takes least. The
  // same holds of some of what it reads: small ones may come last for nothing, so the largest
  // count, as many as say most.
  std::optional<Moment> moment_before(std::size_t t) const {
    std::optional<Moment> most;
    for (const auto& moments : moments_before(t)) {
      const Moment& least = least_of(moments);
      if (!most || least.bytes > most->bytes) most = least;
    }
    return most;
  }
  static const Moment& least_of(const std::vector<Moment>& moments) {
    return *std::min_element(moments.begin(), moments.end(),
                             [](const Moment& a, const Moment& b) { return a.bytes < b.bytes; });
  }

  // Of each of these lists there is one of the moments at least.
  std::vector<std::vector<Moment>> moments_before(std::size_t t) const {
    std::vector<std::vector<Moment>> all;
    std::vector<TensorId> made;
    for (const TensorId tensor : graph_.tasks[t].reads) {
      if (forced_[t] && writer_of(tensor) != no_task) made.push_back(tensor);
    }
    std::stable_sort(made.begin(), made.end(), [&](TensorId a, TensorId b) {
      return graph_.tensors[a].bytes > graph_.tensors[b].bytes;
    });
    made.resize(std::min(made.size(), most_made));
    for (std::size_t count = 2; count <= made.size(); ++count) {
      const std::vector<TensorId> some(made.begin(), made.begin() + static_cast<int>(count));
      auto& moments = all.emplace_back();
      for (const TensorId last : some) moments.push_back(moment_of_writing(last, some));
    }
    return all;
  }
  std::vector<std::vector<Moment>> moments_around(std::size_t t) const {
    auto all = moments_before(t);
    all.push_back(
        {{bytes_during(t), joined(segments_during(t), state_), {static_cast<TaskId>(t)}}});
    return all;
  }

  // The same with what is left of inputs, where that could be more than what is proved already.
  Moment least_with_sources(std::vector<Moment> moments, std::size_t t, std::int64_t proved,
                            std::int64_t& cuts_left) const {
    if (capped_sum(least_of(moments).bytes, sources_.most_bytes()) <= proved) return {};
    for (Moment& moment : moments) {
      if (--cuts_left < 0) return {};
      const SegmentSet cut = sources_.least({moment.begun, static_cast<TaskId>(t), moment.there});
      moment.bytes = capped_sum(moment.bytes, size(cut));
      moment.there = joined(std::move(moment.there), cut);
    }
    return least_of(moments);
  }

  Moment moment_of_writing(TensorId last, const std::vector<TensorId>& made) const {
    const Task& task = graph_.tasks[writer_of(last)];
    SegmentSet set;
    for (const TensorId tensor : made) {
      if (tensor != last) add(tensor, set);
    }
    const SegmentSet others = as_set(set);
    for (const TensorId tensor : task.reads) {
      if (kind_of(tensor) != Kind::state) add(tensor, set);
    }
    for (const TensorId tensor : task.writes) {
      if (!is_optional(task, tensor)) add(tensor, set);
    }
    std::int64_t bytes = capped_sum(size(as_set(set)), state_bytes_);
    bytes = capped_sum(bytes, aligned(task.workspace_bytes, memory_));
    for (const auto& [y, x] : task.may_overwrite) {
      const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
      const int first = problem_.segments.of_tensor[x].begin;
      if (fits && !is_optional(task, y) && !std::binary_search(others.begin(), others.end(), first))
        bytes -= aligned(graph_.tensors[y].bytes, memory_);
    }
    std::vector<TaskId> begun;
    for (const TensorId tensor : made) begun.push_back(writer_of(tensor));
    return {std::max<std::int64_t>(0, bytes), joined(std::move(set), state_), std::move(begun)};
  }

  // The task here that alone writes any of the tensor's bytes, and all of them; no_task if there is
  // none.
  TaskId writer_of(TensorId tensor) const {
    const SegmentRange range = problem_.segments.of_tensor[tensor];
    if (range.begin == range.end || !is_whole_[tensor]) return no_task;
    const TaskId writer = writer_of_segment_[range.begin];
    for (int s = range.begin; s < range.end; ++s) {
      if (writer_of_segment_[s] != writer) return no_task;
    }
    return writer != no_task && forced_[writer] ? writer : no_task;
  }

  void find_writers() {
    writer_of_segment_.assign(problem_.segments.count(), no_task);
    is_whole_.assign(graph_.tensors.size(), false);
    std::vector<bool> several(problem_.segments.count(), false);
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      for (const auto* list : {&graph_.tasks[t].writes, &graph_.tasks[t].updates}) {
        for (const TensorId tensor : *list) {
          is_whole_[tensor] = list == &graph_.tasks[t].writes;
          const SegmentRange range = problem_.segments.of_tensor[tensor];
          for (int s = range.begin; s < range.end; ++s) {
            several[s] = several[s] || writer_of_segment_[s] != no_task;
            writer_of_segment_[s] = static_cast<TaskId>(t);
          }
        }
      }
    }
    for (std::size_t s = 0; s < several.size(); ++s) {
      if (several[s]) writer_of_segment_[s] = no_task;
    }
  }

  static void keep_fewer(MemoryReason some, MemoryReason& fewest) {
    const bool is_better = some.size() > 0 && (fewest.size() == 0 || some.size() < fewest.size());
    if (is_better) fewest = std::move(some);
  }

  // The largest holders of a moment, whose bytes are `all` in all, that are above the bytes. What
  // may be overwritten, by which `all` is less than their sum, is taken off first.
  static MemoryReason largest_above(std::vector<Holder> holders, std::int64_t all,
                                    std::int64_t bytes) {
    MemoryReason reason;
    if (all <= bytes) return reason;
    std::stable_sort(holders.begin(), holders.end(),
                     [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
    std::int64_t sum = all;
    for (const Holder& holder : holders) sum -= holder.bytes;
    for (const Holder& holder : holders) {
      if (sum > bytes) break;
      sum = capped_sum(sum, holder.bytes);
      if (holder.workspace_of)
        reason.workspace_of = holder.workspace_of;
      else
        reason.tensors.push_back(holder.tensor);
    }
    return reason;
  }

  std::vector<Holder> holders_of(const SegmentSet& set) const {
    std::vector<Holder> holders;
    for (std::size_t i = 0; i < set.size();) {
      SegmentSet of_whole;
      const TensorId whole = whole_of_[set[i]];
      for (; i < set.size() && whole_of_[set[i]] == whole; ++i) of_whole.push_back(set[i]);
      holders.push_back({size(of_whole), whole, std::nullopt});
    }
    return holders;
  }

  bool only_in(MemoryId memory, std::size_t task) const {
    const auto& devices = problem_.platform().devices;
    bool is_here = false;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const MemoryId there = devices[d].memory;
      if (!std::isfinite(problem_.seconds[d][task])) continue;
      is_here = is_here || there == memory;
      if (there != memory && bytes_alone(task, there) <= problem_.capacity_bytes[there])
        return false;
    }
    return is_here;
  }

  // What the task touches, and its workspace, wherever it runs.
  std::int64_t bytes_alone(std::size_t t, MemoryId memory) const {
    const Memory& there = problem_.platform().memories[memory];
    const Task& task = graph_.tasks[t];
    SegmentSet set;
    for (const TensorId tensor : task.reads) add(tensor, set);
    for (const TensorId tensor : task.updates) add(tensor, set);
    for (const TensorId tensor : task.writes) {
      if (!is_optional(task, tensor)) add(tensor, set);
    }
    std::int64_t bytes = size(as_set(std::move(set)), there);
    for (const auto& [y, x] : task.may_overwrite) {
      const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
      if (fits && !is_optional(task, y)) bytes -= aligned(graph_.tensors[y].bytes, there);
    }
    return capped_sum(std::max<std::int64_t>(0, bytes), aligned(task.workspace_bytes, there));
  }

  Kind kind_of(TensorId tensor) const { return graph_.tensors[tensor].kind; }

  // The set's bytes, rounded up once for each whole. Segments of one whole follow each other.
  std::int64_t size(const SegmentSet& set) const { return size(set, memory_); }
  std::int64_t size(const SegmentSet& set, const Memory& memory) const {
    const Segments& segments = problem_.segments;
    std::int64_t total = 0;
    std::int64_t of_whole = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      of_whole += segments.end_bytes[set[i]] - segments.begin_bytes[set[i]];
      if (i + 1 < set.size() && whole_of_[set[i]] == whole_of_[set[i + 1]]) continue;
      total = capped_sum(total, aligned(of_whole, memory));
      of_whole = 0;
    }
    return total;
  }

  void add(TensorId tensor, SegmentSet& set) const {
    const SegmentRange range = problem_.segments.of_tensor[tensor];
    for (int s = range.begin; s < range.end; ++s) set.push_back(s);
  }
  static SegmentSet as_set(SegmentSet segments) {
    std::sort(segments.begin(), segments.end());
    segments.erase(std::unique(segments.begin(), segments.end()), segments.end());
    return segments;
  }
  static SegmentSet joined(SegmentSet a, const SegmentSet& b) {
    a.insert(a.end(), b.begin(), b.end());
    return as_set(std::move(a));
  }

  // The wholes that the segments belong to, the largest first.
  std::vector<TensorId> wholes(const SegmentSet& set) const {
    std::vector<TensorId> all;
    for (const int s : set) {
      if (all.empty() || all.back() != whole_of_[s]) all.push_back(whole_of_[s]);
    }
    std::erase_if(all, [&](TensorId t) { return graph_.tensors[t].bytes == 0; });
    std::stable_sort(all.begin(), all.end(), [&](TensorId a, TensorId b) {
      return graph_.tensors[a].bytes > graph_.tensors[b].bytes;
    });
    return all;
  }

  static bool is_optional(const Task& task, TensorId output) {
    return std::find(task.optional.begin(), task.optional.end(), output) != task.optional.end();
  }

  // What the task touches, and the inputs that are there anyway; without state that is counted
  // throughout.
  SegmentSet segments_during(std::size_t t) const {
    const Task& task = graph_.tasks[t];
    SegmentSet set = pinned_[t];
    for (const TensorId tensor : task.reads) {
      if (!isolated_ || kind_of(tensor) != Kind::state) add(tensor, set);
    }
    for (const TensorId tensor : task.updates) {
      if (!isolated_) add(tensor, set);
    }
    for (const TensorId tensor : task.writes) {
      if (!is_optional(task, tensor)) add(tensor, set);
    }
    return as_set(std::move(set));
  }

  // Outputs that may lie where inputs are, unless these are needed again.
  std::int64_t overwritten_bytes(std::size_t t) const {
    const Task& task = graph_.tasks[t];
    std::int64_t bytes = 0;
    for (const auto& [y, x] : task.may_overwrite) {
      const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
      if (!fits || is_optional(task, y) || is_pinned(x, t)) continue;
      bytes = capped_sum(bytes, aligned(graph_.tensors[y].bytes, memory_));
    }
    return bytes;
  }
  bool is_pinned(TensorId tensor, std::size_t task) const {
    const SegmentRange range = problem_.segments.of_tensor[tensor];
    return std::binary_search(pinned_[task].begin(), pinned_[task].end(), range.begin);
  }

  void find_resident_state() {
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (!forced_[t]) continue;
      for (const TensorId tensor : graph_.tasks[t].updates) add(tensor, state_);
      for (const TensorId tensor : graph_.tasks[t].reads) {
        if (kind_of(tensor) == Kind::state) add(tensor, state_);
      }
    }
    state_ = as_set(std::move(state_));
    state_bytes_ = size(state_);
  }

  SegmentSet results_here() const {
    SegmentSet written;
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (!forced_[t]) continue;
      for (const TensorId tensor : graph_.tasks[t].writes) add(tensor, written);
    }
    SegmentSet results;
    for (const TensorId tensor : graph_.results) add(tensor, results);
    written = as_set(std::move(written));
    results = as_set(std::move(results));
    SegmentSet both;
    std::set_intersection(written.begin(), written.end(), results.begin(), results.end(),
                          std::back_inserter(both));
    return both;
  }

  // By segment of an input: the tasks here that read it. The largest segments first.
  std::vector<std::pair<int, std::vector<TaskId>>> readers_of_inputs() const {
    std::map<int, std::vector<TaskId>> readers;
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (!forced_[t]) continue;
      for (const TensorId tensor : graph_.tasks[t].reads) {
        const SegmentRange range = problem_.segments.of_tensor[tensor];
        for (int s = range.begin; kind_of(tensor) == Kind::input && s < range.end; ++s)
          readers[s].push_back(static_cast<TaskId>(t));
      }
    }
    std::vector<std::pair<int, std::vector<TaskId>>> all(readers.begin(), readers.end());
    const auto bytes = [&](int s) {
      return problem_.segments.end_bytes[s] - problem_.segments.begin_bytes[s];
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return bytes(a.first) > bytes(b.first); });
    return all;
  }

  void pin_inputs() {
    const auto edges =
        std::accumulate(problem_.needs.begin(), problem_.needs.end(), std::int64_t{0},
                        [](std::int64_t sum, const auto& list) { return sum + std::ssize(list); });
    std::int64_t visits = 0;
    for (const auto& [segment, readers] : readers_of_inputs()) {
      visits += edges + std::ssize(forced_);
      if (visits > most_visits) break;
      pin(segment, readers);
    }
    for (SegmentSet& set : pinned_) std::sort(set.begin(), set.end());
  }

  void pin(int segment, const std::vector<TaskId>& readers) {
    std::vector<bool> reads(forced_.size(), false);
    for (const TaskId reader : readers) reads[reader] = true;
    std::vector<bool> read_by_then = reads;  // by the task itself or one before it
    std::vector<bool> read_later(forced_.size(), false);
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      for (const TaskId earlier : problem_.needs[t])
        read_by_then[t] = read_by_then[t] || read_by_then[earlier];
    }
    for (std::size_t t = forced_.size(); t-- > 0;) {
      for (const TaskId earlier : problem_.needs[t])
        read_later[earlier] = read_later[earlier] || reads[t] || read_later[t];
    }
    for (std::size_t t = 0; t < forced_.size(); ++t) {
      if (forced_[t] && read_by_then[t] && read_later[t]) pinned_[t].push_back(segment);
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Memory& memory_;
  std::vector<bool> forced_;        // by task: it can run, and fits, only in this memory
  std::vector<TensorId> whole_of_;  // by segment
  bool isolated_ = true;            // no link begins or ends here
  SegmentSet state_;                // there throughout
  std::int64_t state_bytes_ = 0;
  std::vector<TaskId> writer_of_segment_;  // no_task: none, or several
  std::vector<bool> is_whole_;             // by tensor: a task writes it as such
  std::vector<SegmentSet> pinned_;         // by task: segments of inputs that are there during it
  SourceCut sources_;
};

// Wherever it runs, a task fills some memory with what it touches.
std::int64_t largest_task(const Problem& problem) {
  std::vector<std::int64_t> least(problem.graph().tasks.size(), huge_bytes);
  const auto& devices = problem.platform().devices;
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    const Bounding here(problem, static_cast<MemoryId>(m));
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (devices[d].memory != static_cast<MemoryId>(m)) continue;
      for (std::size_t t = 0; t < least.size(); ++t) {
        if (std::isfinite(problem.seconds[d][t]))
          least[t] = std::min(least[t], here.bytes_during(t));
      }
    }
  }
  return *std::max_element(least.begin(), least.end());
}

}  // namespace

MemoryBound memory_bound(const Problem& problem, MemoryId memory) {
  return Bounding(problem, memory).best();
}

MemoryReason reason_above(const Problem& problem, MemoryId memory, std::int64_t bytes) {
  return Bounding(problem, memory).reason_above(bytes);
}

std::int64_t least_memory(const Problem& problem) {
  std::int64_t sum = 0;
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    if (problem.platform().memories[m].kind != MemoryKind::storage)
      sum = capped_sum(sum, memory_bound(problem, static_cast<MemoryId>(m)).bytes);
  }
  return std::max(sum, largest_task(problem));
}

}  // namespace stint

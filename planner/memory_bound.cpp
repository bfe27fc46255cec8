#include "planner/memory_bound.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "planner/source_cut.hpp"
#include "planner/written_last.hpp"

namespace stint {

namespace {

// Of all cuts together; those that are left out keep the bound sound.
constexpr std::int64_t most_visits = 20'000'000;
constexpr std::int64_t visits_of_cut = 8;  // of the whole network, for a cut of it

class Bounding {
 public:
  Bounding(const Problem& problem, MemoryId memory)
      : graph_(problem.graph()),
        bytes_(problem, memory),
        sources_(problem, bytes_.memory(), bytes_.forced()) {
    if (bytes_.is_isolated()) last_.emplace(problem, bytes_);
  }

  MemoryBound best() const {
    MemoryMoment best;
    const auto consider = [&](MemoryMoment moment) {
      if (moment.bytes > best.bytes) best = std::move(moment);
    };
    for (std::size_t t = 0; t < tasks(); ++t) {
      if (is_forced(t)) consider(moment_during(t));
    }
    if (last_) {
      for (std::size_t t = 0; t < tasks(); ++t) {
        for (const auto& moments : last_->moments_before(t)) consider(least_of(moments));
      }
      const SegmentSet end = joined(results_here(), bytes_.state());
      consider({bytes_.size(end), end});
      std::int64_t cuts_left = most_visits / (visits_of_cut * sources_.size() + 1);
      for (std::size_t t = 0; t < tasks() && cuts_left > 0; ++t) {
        if (!is_forced(t)) continue;
        for (auto& moments : moments_around(t))
          consider(least_with_sources(std::move(moments), t, best.bytes, cuts_left));
      }
    }
    return {best.bytes, wholes(best.there)};
  }

  MemoryReason reason_above(std::int64_t bytes) const {
    MemoryReason fewest;
    for (std::size_t t = 0; t < tasks(); ++t) {
      if (!is_forced(t)) continue;
      std::vector<Holder> holders = holders_of(moment_during(t).there);
      const std::int64_t workspace = aligned(graph_.tasks[t].workspace_bytes, bytes_.memory());
      if (workspace > 0) holders.push_back({workspace, no_tensor, static_cast<TaskId>(t)});
      keep_fewer(largest_above(std::move(holders), bytes_.during(t), bytes), fewest);
    }
    if (last_) {
      const SegmentSet end = joined(results_here(), bytes_.state());
      keep_fewer(largest_above(holders_of(end), bytes_.size(end), bytes), fewest);
    }
    return fewest;
  }

 private:
  // What has bytes at a moment: a whole, or a task its workspace.
  struct Holder {
    std::int64_t bytes = 0;
    TensorId tensor = no_tensor;
    std::optional<TaskId> workspace_of;
  };

  std::size_t tasks() const { return graph_.tasks.size(); }
  bool is_forced(std::size_t task) const { return bytes_.forced()[task]; }

  MemoryMoment moment_during(std::size_t t) const {
    return {bytes_.during(t),
            joined(bytes_.segments_during(t), bytes_.state()),
            {static_cast<TaskId>(t)}};
  }
  std::vector<std::vector<MemoryMoment>> moments_around(std::size_t t) const {
    auto all = last_->moments_before(t);
    all.push_back({moment_during(t)});
    return all;
  }

  // The same with what is left of inputs, where that could be more than what is proved already.
  MemoryMoment least_with_sources(std::vector<MemoryMoment> moments, std::size_t t,
                                  std::int64_t proved, std::int64_t& cuts_left) const {
    if (capped_sum(least_of(moments).bytes, sources_.most_bytes()) <= proved) return {};
    for (MemoryMoment& moment : moments) {
      if (--cuts_left < 0) return {};
      const SegmentSet cut = sources_.least({moment.begun, static_cast<TaskId>(t), moment.there});
      moment.bytes = capped_sum(moment.bytes, bytes_.size(cut));
      moment.there = joined(std::move(moment.there), cut);
    }
    return least_of(moments);
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
      const TensorId whole = bytes_.whole_of(set[i]);
      for (; i < set.size() && bytes_.whole_of(set[i]) == whole; ++i) of_whole.push_back(set[i]);
      holders.push_back({bytes_.size(of_whole), whole, std::nullopt});
    }
    return holders;
  }

  // The wholes that the segments belong to, the largest first.
  std::vector<TensorId> wholes(const SegmentSet& set) const {
    std::vector<TensorId> all;
    for (const int s : set) {
      if (all.empty() || all.back() != bytes_.whole_of(s)) all.push_back(bytes_.whole_of(s));
    }
    std::erase_if(all, [&](TensorId t) { return graph_.tensors[t].bytes == 0; });
    std::stable_sort(all.begin(), all.end(), [&](TensorId a, TensorId b) {
      return graph_.tensors[a].bytes > graph_.tensors[b].bytes;
    });
    return all;
  }

  SegmentSet results_here() const {
    SegmentSet written;
    for (std::size_t t = 0; t < bytes_.forced().size(); ++t) {
      if (!bytes_.forced()[t]) continue;
      for (const TensorId tensor : graph_.tasks[t].writes) bytes_.add(tensor, written);
    }
    SegmentSet results;
    for (const TensorId tensor : graph_.results) bytes_.add(tensor, results);
    written = as_set(std::move(written));
    results = as_set(std::move(results));
    SegmentSet both;
    std::set_intersection(written.begin(), written.end(), results.begin(), results.end(),
                          std::back_inserter(both));
    return both;
  }

  const Graph& graph_;
  TaskBytes bytes_;
  SourceCut sources_;
  std::optional<WrittenLast> last_;  // where no link begins or ends
};

// Wherever it runs, a task fills some memory with what it touches.
std::int64_t largest_task(const Problem& problem) {
  std::vector<std::int64_t> least(problem.graph().tasks.size(), huge_bytes);
  const auto& devices = problem.platform().devices;
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    const TaskBytes here(problem, static_cast<MemoryId>(m));
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (devices[d].memory != static_cast<MemoryId>(m)) continue;
      for (std::size_t t = 0; t < least.size(); ++t) {
        if (std::isfinite(problem.seconds[d][t])) least[t] = std::min(least[t], here.during(t));
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

#include "planner/graphs/lowest_peak_order.hpp"

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

#include "models/dependencies.hpp"

namespace stint {
namespace {

constexpr std::size_t sets_of_all_sizes = 20'000;
constexpr std::size_t fewest_sets = 8;
constexpr std::size_t most_sets = 1000;

// Tasks that have run, and what is there after them.
struct DoneTasks {
  std::uint64_t hash = 0;
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::vector<int> uses_left;  // by item
  std::vector<char> is_there;  // by item
  std::vector<int> waits_for;  // by task: how many that have not run
  std::vector<TaskId> ready;   // ascending
  int last = -1;               // in the list of all that ran, by any set
};

struct NextTask {
  std::size_t from = 0;  // set
  TaskId task = no_task;
  std::uint64_t hash = 0;
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
};

class LowestPeak {
 public:
  LowestPeak(const DeviceGraph& graph, const std::vector<std::vector<TaskId>>& before)
      : graph_(graph), before_(before), after_(dependents(before)) {
    std::mt19937_64 engine(1);
    for (std::size_t t = 0; t < before.size(); ++t) {
      hashes_.push_back(engine());
      uses_.push_back(uses_of(graph.tasks[t]));
    }
    const std::size_t sets = sets_of_all_sizes / std::max<std::size_t>(1, before.size());
    width_ = std::clamp(sets, fewest_sets, most_sets);
  }

  TaskOrder find() {
    std::vector<DoneTasks> sets{nothing_done()};
    for (std::size_t size = 0; size < before_.size(); ++size) {
      std::vector<DoneTasks> larger;
      for (const NextTask& next : best_of(all_next(sets))) larger.push_back(after(sets, next));
      sets = std::move(larger);
    }
    TaskOrder order;
    for (int at = sets.front().last; at >= 0; at = ran_[at].before) order.push_back(ran_[at].task);
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  struct Ran {
    TaskId task = no_task;
    int before = -1;
  };

  DoneTasks nothing_done() const {
    DoneTasks done;
    done.uses_left.assign(graph_.items.size(), 0);
    done.is_there.assign(graph_.items.size(), 0);
    for (std::size_t t = 0; t < before_.size(); ++t) {
      for (const GraphItemId item : uses_[t]) ++done.uses_left[item];
      done.waits_for.push_back(static_cast<int>(before_[t].size()));
      if (before_[t].empty()) done.ready.push_back(static_cast<TaskId>(t));
    }
    return done;
  }

  // Each once.
  static std::vector<GraphItemId> uses_of(const GraphTask& task) {
    std::vector<GraphItemId> uses = task.reads;
    for (const GraphOutput& out : task.writes) uses.push_back(out.item);
    std::sort(uses.begin(), uses.end());
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    return uses;
  }

  bool ends_with_next_use(const DoneTasks& done, GraphItemId item) const {
    return done.uses_left[item] == 1 && !graph_.items[item].is_result;
  }

  NextTask next(const std::vector<DoneTasks>& sets, std::size_t from, TaskId id) const {
    const DoneTasks& done = sets[from];
    const GraphTask& task = graph_.tasks[id];
    std::int64_t added = 0;
    std::int64_t freed = 0;
    for (auto out_at = task.writes.begin(); out_at != task.writes.end(); ++out_at) {
      const GraphOutput& out = *out_at;
      const bool is_left_out = out.is_optional && ends_with_next_use(done, out.item);
      const bool is_counted = std::any_of(task.writes.begin(), out_at, [&](const GraphOutput& o) {
        return o.item == out.item;  // another part of it
      });
      if (done.is_there[out.item] || is_left_out || is_counted) continue;
      const std::int64_t bytes = graph_.items[out.item].bytes;
      const bool is_in_place =
          out.in_place != no_graph_item && ends_with_next_use(done, out.in_place);
      added += is_in_place ? 0 : bytes;
      if (is_in_place) freed -= bytes;  // the place stays
      if (ends_with_next_use(done, out.item)) freed += bytes;
    }
    for (const GraphItemId item : task.reads) {
      if (!done.is_there[item]) added += graph_.items[item].bytes;  // an input comes in
      if (ends_with_next_use(done, item)) freed += graph_.items[item].bytes;
    }
    const std::int64_t while_it_runs = done.live_bytes + added + task.workspace_bytes;
    return {from, id, done.hash ^ hashes_[id], done.live_bytes + added - freed,
            std::max(done.peak_bytes, while_it_runs)};
  }

  // One task alone where nothing is lost by running it at once.
  std::vector<NextTask> all_next(const std::vector<DoneTasks>& sets) const {
    std::vector<NextTask> all;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::size_t first = all.size();
      for (const TaskId task : sets[s].ready) {
        all.push_back(next(sets, s, task));
        if (all.back().live_bytes > sets[s].live_bytes ||
            all.back().peak_bytes > sets[s].peak_bytes)
          continue;
        all[first] = all.back();
        all.resize(first + 1);
        break;
      }
    }
    return all;
  }

  // Each set once, by its lowest peak.
  std::vector<NextTask> best_of(std::vector<NextTask> all) const {
    std::stable_sort(all.begin(), all.end(), [](const NextTask& a, const NextTask& b) {
      return std::pair(a.peak_bytes, a.live_bytes) < std::pair(b.peak_bytes, b.live_bytes);
    });
    std::unordered_set<std::uint64_t> known;
    std::vector<NextTask> best;
    for (const NextTask& each : all) {
      if (best.size() == width_) break;
      if (known.insert(each.hash).second) best.push_back(each);
    }
    return best;
  }

  DoneTasks after(const std::vector<DoneTasks>& sets, const NextTask& next) {
    DoneTasks done = sets[next.from];
    done.hash = next.hash;
    done.live_bytes = next.live_bytes;
    done.peak_bytes = next.peak_bytes;
    for (const GraphItemId item : uses_[next.task]) {
      done.is_there[item] = 1;
      --done.uses_left[item];
    }
    std::erase(done.ready, next.task);
    for (const TaskId follower : after_[next.task]) {
      if (--done.waits_for[follower] == 0) done.ready.push_back(follower);
    }
    std::sort(done.ready.begin(), done.ready.end());
    ran_.push_back({next.task, done.last});
    done.last = static_cast<int>(ran_.size()) - 1;
    return done;
  }

  const DeviceGraph& graph_;
  const std::vector<std::vector<TaskId>>& before_;
  std::vector<std::vector<TaskId>> after_;
  std::vector<std::uint64_t> hashes_;           // by task
  std::vector<std::vector<GraphItemId>> uses_;  // by task: what it reads or writes
  std::size_t width_ = 0;
  std::vector<Ran> ran_;
};

}  // namespace

TaskOrder lowest_peak_order(const DeviceGraph& graph,
                            const std::vector<std::vector<TaskId>>& before) {
  return LowestPeak(graph, before).find();
}

}  // namespace stint

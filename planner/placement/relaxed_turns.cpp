#include "planner/placement/relaxed_turns.hpp"

#include <algorithm>
#include <limits>

#include "models/graph_algorithms.hpp"

namespace stint {
namespace {

constexpr std::int64_t parts_of_horizon = 10'000;  // one of which counts as nothing

using Reaches = std::vector<std::vector<bool>>;

bool is_between(const Reaches& reaches, TaskId first, TaskId then, TaskId task) {
  return (first == no_task || (first != task && reaches[first][task])) &&
         (then == no_task || (then != task && reaches[task][then]));
}

std::vector<TaskId> tasks_between(const Reaches& reaches, TaskId first, TaskId then) {
  std::vector<TaskId> tasks;
  for (std::size_t t = 0; t < reaches.size(); ++t) {
    const auto task = static_cast<TaskId>(t);
    if (is_between(reaches, first, then, task)) tasks.push_back(task);
  }
  return tasks;
}

// When and where a solution runs its tasks.
class SolvedTimes {
 public:
  SolvedTimes(const RelaxedPlacement& relaxed, const CpAnswer& answer)
      : graph_(relaxed.graph()),
        reaches_(reachability(graph_.problem->needs)),
        length_(answer.values[relaxed.length()]),
        slack_(relaxed.units().horizon / parts_of_horizon) {
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      const auto task = static_cast<TaskId>(t);
      const PlacedWay* chosen = &graph_.ways[t].front();
      for (std::size_t w = 0; w < graph_.ways[t].size(); ++w) {
        if (answer.is_true(relaxed.way(task, static_cast<int>(w)))) chosen = &graph_.ways[t][w];
      }
      device_.push_back(chosen->device);
      seconds_.push_back(relaxed.units().seconds_down(chosen->seconds));
      end_.push_back(answer.values[relaxed.end(task)]);
    }
  }

  bool overlap(TaskId a, TaskId b) const {
    const bool take_turns = device_[a] == device_[b] &&
                            graph_.problem->platform().devices[device_[a]].workers == 1 &&
                            !reaches_[a][b];
    return take_turns && std::min(end_[a], end_[b]) - std::max(start(a), start(b)) > slack_;
  }

  bool has_too_much_between(TaskId first, TaskId then) const {
    if (first != no_task && then != no_task && (first == then || !reaches_[first][then]))
      return false;
    const std::int64_t from = first == no_task ? 0 : end_[first];
    const std::int64_t until = then == no_task ? length_ : start(then);
    const auto& devices = graph_.problem->platform().devices;
    std::vector<std::int64_t> work(devices.size(), 0);
    for (const TaskId task : tasks_between(reaches_, first, then))
      work[device_[task]] += seconds_[task];
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (work[d] > (until - from) * devices[d].workers + slack_) return true;
    }
    return false;
  }

 private:
  std::int64_t start(TaskId task) const { return end_[task] - seconds_[task]; }

  const PlacedGraph& graph_;
  Reaches reaches_;
  std::int64_t length_;
  std::int64_t slack_;
  std::vector<DeviceId> device_;
  std::vector<std::int64_t> seconds_;  // units
  std::vector<std::int64_t> end_;
};

// Of every task the least seconds units before it begins, and after it has ended.
struct LeastPaths {
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
};

LeastPaths least_paths(const PlacedGraph& graph, const RelaxedUnits& units) {
  std::vector<std::int64_t> least;
  for (const auto& ways : graph.ways) {
    double seconds = std::numeric_limits<double>::infinity();
    for (const PlacedWay& way : ways) seconds = std::min(seconds, way.seconds);
    least.push_back(units.seconds_down(seconds));
  }
  const auto& needs = graph.problem->needs;
  const std::vector<std::int64_t> none(needs.size(), 0);
  LeastPaths paths{none, none};
  for (std::size_t t = 0; t < needs.size(); ++t) {
    for (const TaskId other : needs[t])
      paths.before[t] = std::max(paths.before[t], paths.before[other] + least[other]);
  }
  for (std::size_t t = needs.size(); t-- > 0;) {
    for (const TaskId other : needs[t])
      paths.after[other] = std::max(paths.after[other], paths.after[t] + least[t]);
  }
  return paths;
}

}  // namespace

bool add_missing_turns(const RelaxedPlacement& relaxed, const CpAnswer& answer,
                       RelaxedTurns& turns) {
  const SolvedTimes times(relaxed, answer);
  const int tasks = static_cast<int>(relaxed.graph().tasks());
  bool any = false;
  for (int a = no_task; a < tasks; ++a) {
    for (int b = no_task; b < tasks; ++b) {
      const std::pair both(static_cast<TaskId>(a), static_cast<TaskId>(b));
      if (a >= 0 && b > a && times.overlap(both.first, both.second))
        any = turns.pairs.insert(both).second || any;
      if (times.has_too_much_between(both.first, both.second))
        any = turns.ends.insert(both).second || any;
    }
  }
  return any;
}

void add_turns_to(RelaxedPlacement& relaxed, const RelaxedTurns& turns, std::int64_t latest) {
  const Reaches reaches = reachability(relaxed.graph().problem->needs);
  for (const auto& [first, then] : turns.ends)
    relaxed.add_work_between(first, then, tasks_between(reaches, first, then));
  const LeastPaths paths = least_paths(relaxed.graph(), relaxed.units());
  // The most by which the end of the one is after the beginning of the other.
  const auto overlap = [&](TaskId one, TaskId other) {
    return std::max<std::int64_t>(0, latest - paths.after[one] - paths.before[other]);
  };
  for (const auto& [a, b] : turns.pairs) relaxed.add_turns_of(a, b, overlap(a, b), overlap(b, a));
}

}  // namespace stint

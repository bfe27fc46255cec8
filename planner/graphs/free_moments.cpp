#include "planner/graphs/free_moments.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "planner/graphs/retention.hpp"
#include "planner/makespan_bound.hpp"

namespace stint {
namespace {

constexpr int furthest_moment = 12;
constexpr int most_moments = 40;
constexpr int most_at_once = 3;
constexpr int most_stalled = 6;
constexpr std::size_t most_begun = 2000;  // moments × tasks of the first solution
constexpr std::size_t least_begun = 1;
constexpr double work_share = 0.6;     // of what is left, for one solution
constexpr double work_of_task = 1e-4;  // at each moment, for stating the problem

// By task: whether it depends on `task` (or the other way round).
std::vector<char> relatives(const Problem& problem, TaskId task, bool later) {
  const std::size_t tasks = problem.needs.size();
  std::vector<char> related(tasks, 0);
  related[task] = 1;
  if (later) {
    for (std::size_t t = task; t < tasks; ++t) {
      for (const TaskId before : problem.needs[t]) related[t] = related[t] || related[before];
    }
  } else {
    for (std::size_t t = task + std::size_t{1}; t-- > 0;) {
      if (!related[t]) continue;
      for (const TaskId before : problem.needs[t]) related[before] = 1;
    }
  }
  related[task] = 0;
  return related;
}

// Tasks of which each depends on the one before.
class Lineage {
 public:
  explicit Lineage(const Problem& problem)
      : problem_(&problem), possible_(problem.needs.size(), 1), counts_(problem.needs.size(), -1) {}

  const std::vector<TaskId>& tasks() const { return tasks_; }

  bool add(TaskId task) {
    if (!possible_[task]) return false;
    // The listed order respects dependencies.
    tasks_.insert(std::upper_bound(tasks_.begin(), tasks_.end(), task), task);
    const auto before = relatives(*problem_, task, false);
    const auto after = relatives(*problem_, task, true);
    for (std::size_t t = 0; t < possible_.size(); ++t)
      possible_[t] = possible_[t] && (before[t] || after[t]);
    return true;
  }

  // What may run on either side of a moment says little about it: of the tasks around a position
  // the one with the most relatives, the nearest of them.
  bool add_around(const TaskOrder& order, int position) {
    TaskId best = no_task;
    for (int away = 0; away <= furthest_moment; ++away) {
      for (const int p : {position - away, position + away}) {
        if (p < 0 || p >= std::ssize(order) || !possible_[order[p]]) continue;
        if (best == no_task || count_of_relatives(order[p]) > count_of_relatives(best))
          best = order[p];
      }
    }
    return best != no_task && add(best);
  }

 private:
  int count_of_relatives(TaskId task) {
    if (counts_[task] < 0) {
      const auto before = relatives(*problem_, task, false);
      const auto after = relatives(*problem_, task, true);
      counts_[task] = static_cast<int>(std::count(before.begin(), before.end(), 1) +
                                       std::count(after.begin(), after.end(), 1));
    }
    return counts_[task];
  }

  const Problem* problem_;
  std::vector<TaskId> tasks_;
  std::vector<char> possible_;  // related to all of them
  std::vector<int> counts_;     // by task; -1: not known
};

using Rank = std::tuple<int, bool, int>;

// Of the tasks that may run always the one of the least rank. State has one buffer here, so updates
// wait for all who read it.
TaskOrder ranked_order(const Problem& problem, const std::vector<Rank>& ranks) {
  std::vector<std::vector<TaskId>> followers(ranks.size());
  std::vector<std::size_t> missing;
  std::set<std::pair<Rank, TaskId>> ready;
  for (std::size_t t = 0; t < ranks.size(); ++t) {
    const auto task = static_cast<TaskId>(t);
    missing.push_back(problem.before[t].size());
    for (const TaskId before : problem.before[t]) followers[before].push_back(task);
    if (missing[t] == 0) ready.emplace(ranks[t], task);
  }
  TaskOrder order;
  while (!ready.empty()) {
    const TaskId task = ready.extract(ready.begin()).value().second;
    order.push_back(task);
    for (const TaskId follower : followers[task]) {
      if (--missing[follower] == 0) ready.emplace(ranks[follower], follower);
    }
  }
  return order;
}

class Generation {
 public:
  Generation(const Problem& problem, MomentProblem master, const FreeMomentOptions& options)
      : problem_(problem),
        graph_(*master.graph),
        master_(std::move(master)),
        options_(options),
        work_left_(options.solver.work),
        lineage_(problem),
        meter_(graph_, std::vector<double>(graph_.tasks.size(), 0.0)) {}

  FreeMoments generate() {
    begin(options_.moments.size(), true);
    step();
    lineage_ = Lineage(problem_);
    begin(std::max(least_begun, most_begun / graph_.tasks.size()), false);
    int stalled = 0;  // how often in a row moments did not improve the bound
    while (stalled < most_stalled && !is_done()) {
      const std::int64_t bound_before = found_.bound;
      if (!step() || is_done() || !add_moments()) break;
      stalled = found_.bound > bound_before ? 0 : stalled + 1;
    }
    return found_;
  }

 private:
  bool is_interrupted() const {
    return options_.solver.interrupted != nullptr && options_.solver.interrupted->load();
  }
  bool is_done() const {
    return work_left_ <= 0 || found_.bound >= options_.enough || found_.is_infeasible ||
           is_interrupted();
  }

  // Tasks that matter themselves say most about the memory, if little about the others.
  void begin(std::size_t most, bool themselves) {
    const RetentionGaps gaps(graph_, options_.order);
    for (std::size_t m = 0; m < std::min(most, options_.moments.size()); ++m) {
      lineage_.add_around(options_.order, gaps.position(options_.moments[m]));
      if (themselves) lineage_.add(options_.moments[m]);
    }
    const std::vector<double> none(graph_.tasks.size(), 0.0);
    const auto waists = makespan_bound(problem_.needs, none, 1).waists;
    if (!waists.empty()) lineage_.add(waists.back().task);
  }

  // False if there is no solution.
  bool step() {
    solution_ = solve();
    found_.is_infeasible = solution_.status == CpStatus::infeasible;
    return !solution_.there.empty();
  }

  MomentSolution solve() {
    master_.moments = lineage_.tasks();
    master_.first = first_runs_in_any_order(problem_, master_.moments);
    master_.spare_times = options_.spare_times(master_.moments);
    CpOptions options = options_.solver;
    options.work = work_left_ * work_share;
    MomentSolution solution = solve_moments(master_, options, found_.bound);
    const auto size = static_cast<double>(graph_.tasks.size() * (master_.moments.size() + 1));
    work_left_ -= solution.work + size * work_of_task;
    found_.bound = std::max(found_.bound, solution.bound);
    return solution;
  }

  // By interval, the moment's task at its end, the rest as in the given order.
  TaskOrder order_of_solution() const {
    std::vector<Rank> ranks(graph_.tasks.size());
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      const TaskId task = options_.order[p];
      ranks[task] = {solution_.first[task], false, static_cast<int>(p)};
    }
    for (const TaskId moment : master_.moments) std::get<1>(ranks[moment]) = true;
    return ranked_order(problem_, ranks);
  }

  // Where the replay of the solution exceeds the memory, the highest peaks first.
  bool add_moments() {
    const RetentionGaps gaps(graph_, order_of_solution());
    RetentionReplay replay(graph_, gaps);
    std::vector<int> positions;
    for (const TaskId moment : master_.moments) positions.push_back(gaps.position(moment));
    if (!replay.make(positions, solution_.there)) return false;
    meter_.measure(replay.sequence());
    std::vector<std::int64_t> most(gaps.order().size(), 0);  // by position
    for (std::size_t s = 0; s < replay.sequence().size(); ++s)
      most[replay.stage()[s]] = std::max(most[replay.stage()[s]], meter_.live_bytes()[s]);
    int added = 0;
    while (added < most_at_once && std::ssize(lineage_.tasks()) < most_moments) {
      const auto top = std::max_element(most.begin(), most.end());
      if (*top <= master_.capacity_bytes) break;
      added += lineage_.add_around(gaps.order(), static_cast<int>(top - most.begin())) ? 1 : 0;
      std::fill(top - std::min<std::ptrdiff_t>(furthest_moment, top - most.begin()),
                top + std::min<std::ptrdiff_t>(furthest_moment + 1, most.end() - top), 0);
    }
    return added > 0;
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  MomentProblem master_;
  const FreeMomentOptions& options_;
  double work_left_;
  Lineage lineage_;
  SequenceMeter meter_;
  MomentSolution solution_;  // the last
  FreeMoments found_;
};

}  // namespace

FreeMoments generate_free_moments(const Problem& problem, MomentProblem master,
                                  const FreeMomentOptions& options) {
  return Generation(problem, std::move(master), options).generate();
}

std::vector<TaskId> in_sequence(const Problem& problem, const std::vector<TaskId>& tasks) {
  Lineage lineage(problem);
  for (const TaskId task : tasks) lineage.add(task);
  return lineage.tasks();
}

}  // namespace stint

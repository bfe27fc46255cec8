#include "planner/ready_order.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "models/dependencies.hpp"
#include "models/graph_algorithms.hpp"

namespace stint {
namespace {

constexpr int most_passed_over = 16;  // ready tasks that no free worker can run, at a time

double seconds_on(const Problem& problem, const Crew& crew, std::size_t device, TaskId task) {
  return problem.seconds[device][task] /
         problem.platform().devices[device].states[crew.state[device]].speed;
}

using Lists = std::vector<std::vector<TaskId>>;  // of tasks, by task

// When each task begins and ends if nobody rests while something is ready.
struct ReadyTimes {
  std::vector<double> start_seconds;
  std::vector<double> end_seconds;
  double makespan_seconds = 0;
  TaskOrder order;  // in which they begin
};

class ReadySchedule {
 public:
  ReadySchedule(const Problem& problem, const Crew& crew, const Lists& before, const Lists& after,
                const std::vector<double>& rank)
      : problem_(problem), crew_(crew), after_(after), rank_(rank), free_(crew.workers) {
    times_.start_seconds.resize(before.size());
    times_.end_seconds.resize(before.size());
    for (std::size_t t = 0; t < before.size(); ++t) {
      missing_.push_back(before[t].size());
      if (missing_[t] == 0) ready_.emplace(rank_[t], static_cast<TaskId>(t));
    }
  }

  ReadyTimes run() {
    start_all();
    while (!running_.empty() || !ready_.empty()) {
      if (running_.empty())
        start(ready_.begin(), no_device);  // nobody can: it is not for us to say
      else
        finish_next();
      start_all();
    }
    times_.makespan_seconds = now_;
    return std::move(times_);
  }

 private:
  using Ready = std::set<std::pair<double, TaskId>>;  // (rank, task)
  using Running = std::tuple<double, TaskId, int>;    // (end, task, device)
  static constexpr int no_device = -1;

  void start_all() {
    int passed_over = 0;
    for (auto next = ready_.begin(); next != ready_.end() && passed_over < most_passed_over;) {
      if (std::all_of(free_.begin(), free_.end(), [](int workers) { return workers == 0; })) return;
      const int device = fastest_free(next->second);
      if (device == no_device) {
        ++passed_over;
        ++next;
      } else {
        next = start(next, device);
      }
    }
  }

  int fastest_free(TaskId task) const {
    int best = no_device;
    double best_seconds = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < free_.size(); ++d) {
      const double seconds = seconds_on(problem_, crew_, d, task);
      if (free_[d] == 0 || seconds >= best_seconds) continue;
      best = static_cast<int>(d);
      best_seconds = seconds;
    }
    return best;
  }

  Ready::iterator start(Ready::iterator next, int device) {
    const TaskId task = next->second;
    double end = now_;
    if (device != no_device) {
      --free_[device];
      end += seconds_on(problem_, crew_, device, task);
    }
    times_.order.push_back(task);
    times_.start_seconds[task] = now_;
    times_.end_seconds[task] = end;
    running_.emplace(end, task, device);
    return ready_.erase(next);
  }

  // And whatever ends at the same moment.
  void finish_next() {
    now_ = std::get<0>(running_.top());
    while (!running_.empty() && std::get<0>(running_.top()) <= now_) {
      const auto [end, task, device] = running_.top();
      running_.pop();
      if (device != no_device) ++free_[device];
      for (const TaskId follower : after_[task]) {
        if (--missing_[follower] == 0) ready_.emplace(rank_[follower], follower);
      }
    }
  }

  const Problem& problem_;
  const Crew& crew_;
  const Lists& after_;
  const std::vector<double>& rank_;
  std::vector<int> free_;  // workers, by device
  std::vector<std::size_t> missing_;
  Ready ready_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double now_ = 0;
  ReadyTimes times_;
};

std::vector<double> negative(std::vector<double> numbers) {
  for (double& number : numbers) number = -number;
  return numbers;
}

std::vector<std::vector<double>> rankings(const Problem& problem, const Crew& crew) {
  const std::vector<double> by_way =
      negative(longest_paths_from(problem.before, fastest_seconds(problem, crew)));
  const double longest = -*std::min_element(by_way.begin(), by_way.end());
  std::vector<double> by_place(by_way.size());
  const TaskOrder depth_first = depth_first_order(problem);
  for (std::size_t place = 0; place < depth_first.size(); ++place)
    by_place[depth_first[place]] =
        longest * static_cast<double>(place) / static_cast<double>(depth_first.size());
  std::vector<double> between = by_way;
  for (std::size_t t = 0; t < between.size(); ++t) between[t] += by_place[t];
  return {by_way, by_place, between};
}

class Justified {
 public:
  Justified(const Problem& problem, const Crew& crew)
      : problem_(problem), crew_(crew), after_(dependents(problem.before)) {}

  // The best that comes of a ranking.
  void improve(const std::vector<double>& rank) {
    ReadyTimes times = ReadySchedule(problem_, crew_, problem_.before, after_, rank).run();
    for (int pass = 0; pass < passes; ++pass) {
      const ReadyTimes late =
          ReadySchedule(problem_, crew_, after_, problem_.before, negative(times.end_seconds))
              .run();
      keep(std::move(times));
      times =
          ReadySchedule(problem_, crew_, problem_.before, after_, negative(late.end_seconds)).run();
    }
    keep(std::move(times));
  }

  TaskOrder best() { return std::move(best_.order); }

 private:
  static constexpr int passes = 2;

  void keep(ReadyTimes times) {
    if (best_.order.empty() || times.makespan_seconds < best_.makespan_seconds)
      best_ = std::move(times);
  }

  const Problem& problem_;
  const Crew& crew_;
  Lists after_;
  ReadyTimes best_;
};

}  // namespace

std::vector<double> fastest_seconds(const Problem& problem, const Crew& crew) {
  std::vector<double> seconds(problem.graph().tasks.size(),
                              std::numeric_limits<double>::infinity());
  for (std::size_t d = 0; d < crew.workers.size(); ++d) {
    if (crew.workers[d] == 0) continue;
    for (std::size_t t = 0; t < seconds.size(); ++t)
      seconds[t] = std::min(seconds[t], seconds_on(problem, crew, d, static_cast<TaskId>(t)));
  }
  return seconds;
}

TaskOrder ready_order(const Problem& problem, const Crew& crew) {
  Justified justified(problem, crew);
  for (const std::vector<double>& rank : rankings(problem, crew)) justified.improve(rank);
  return justified.best();
}

}  // namespace stint

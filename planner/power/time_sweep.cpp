#include "planner/power/time_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "files/input_error.hpp"
#include "planner/plan.hpp"
#include "planner/power/schedule_power.hpp"

namespace stint {
namespace {

constexpr int even_steps = 12;
constexpr double states_limit = 0.2;  // for a plan's order and a deadline

class TimeSweep {
 public:
  TimeSweep(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options) {
    options_.improved = nullptr;
  }

  Frontier make() {
    Request request = problem_.request();
    request.objective = Objective::time;
    const auto fastest = planned(request);
    request.objective = Objective::energy;
    const auto cheapest = planned(request);
    Frontier frontier;
    frontier.model = problem_.graph().name;
    frontier.platform = problem_.platform().name;
    frontier.addressed = true;
    frontier.over = FrontierOver::time;
    if (!fastest || !cheapest) return frontier;
    const auto deadlines = deadlines_between(*fastest, *cheapest);
    for (const double deadline : deadlines) planned(request_for(deadline));
    for (const double deadline : deadlines) add_point(deadline);
    frontier.points = useful_points();
    return frontier;
  }

 private:
  // Seconds of the plan; nothing if there is none.
  std::optional<double> planned(Request request) {
    if (!plans_.empty() && options_.is_interrupted()) return std::nullopt;
    request.limit /= even_steps + 2;
    Outcome outcome = plan(with_request(problem_, request), options_);
    if (!outcome.schedule) return std::nullopt;
    const double seconds = outcome.schedule->predicted.seconds;
    const bool bounds_energy = request.objective == Objective::energy;
    const double deadline = deadline_seconds(request).value_or(HUGE_VAL);
    if (bounds_energy)
      bounds_.push_back({deadline, outcome.schedule->predicted.objective.lower_bound});
    plans_.push_back(std::move(*outcome.schedule));
    return seconds;
  }

  Request request_for(double deadline) const {
    Request request = problem_.request();
    request.objective = Objective::energy;
    request.deadline_seconds = deadline;
    return request;
  }

  static std::vector<double> deadlines_between(double fastest, double cheapest) {
    std::vector<double> all;
    for (int i = 0; i <= even_steps; ++i)
      all.push_back(fastest + std::max(0.0, cheapest - fastest) * i / even_steps);
    return all;
  }

  // The best of all plans, each with the states that are best for the deadline.
  void add_point(double deadline) {
    const Problem bounded = with_request(problem_, request_for(deadline));
    std::optional<Predicted> best;
    for (Schedule schedule : plans_) {
      schedule.request = bounded.request();
      schedule.predicted.objective.objective = Objective::energy;
      schedule.predicted.objective.value = schedule.predicted.joules;
      const auto better = with_better_states(bounded, schedule, states_limit);
      const Predicted& now = (better ? *better : schedule).predicted;
      if (meets(now.seconds, deadline) && (!best || now.joules < best->joules)) best = now;
    }
    if (!best) return;
    points_.push_back({.seconds = best->seconds,
                       .joules = best->joules,
                       .lower_bound = std::min(proved_for(deadline), best->joules),
                       .deadline_seconds = best->seconds});
  }

  double proved_for(double deadline) const {
    double bound = 0;
    for (const auto& [until, joules] : bounds_) {
      if (until >= deadline) bound = std::max(bound, joules);
    }
    return bound;
  }

  // By deadline, without those that cost no less than a sooner one.
  std::vector<FrontierEntry> useful_points() {
    std::sort(points_.begin(), points_.end(), [](const FrontierEntry& a, const FrontierEntry& b) {
      return std::pair(a.deadline_seconds, *a.joules) < std::pair(b.deadline_seconds, *b.joules);
    });
    std::vector<FrontierEntry> useful;
    for (const FrontierEntry& point : points_) {
      if (useful.empty() || *point.joules < *useful.back().joules) useful.push_back(point);
    }
    return useful;
  }

  const Problem& problem_;
  SearchOptions options_;
  std::vector<Schedule> plans_;
  std::vector<std::pair<double, double>> bounds_;  // deadline, joules
  std::vector<FrontierEntry> points_;
};

}  // namespace

Frontier time_sweep(const Problem& problem, const SearchOptions& options) {
  if (problem.request().bill == Bill::deadline) {
    throw InputError("--bill deadline",
                     "what is billed would grow with the deadlines of --frontier time; expected "
                     "makespan or period=SECONDS");
  }
  return TimeSweep(problem, options).make();
}

}  // namespace stint

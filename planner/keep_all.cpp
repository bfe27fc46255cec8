#include "planner/keep_all.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "planner/crews.hpp"
#include "planner/draft.hpp"
#include "planner/list_schedule.hpp"
#include "planner/order.hpp"
#include "planner/parallel.hpp"
#include "planner/pieces.hpp"
#include "planner/steps.hpp"

namespace stint {

namespace {

constexpr std::size_t all_orders_up_to_tasks = 2000;
constexpr std::size_t several_orders_up_to_tasks = 20'000;

struct Candidate {
  Crew crew;
  TaskOrder order;
  std::optional<Draft> draft;  // nothing: the crew cannot do it
  std::optional<Price> price;
};

// Sums of the same numbers in another order differ in the last bits: not a reason to prefer a plan.
double rounded(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 36)), exponent - 36);
}

class KeepAll {
 public:
  KeepAll(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), pieces_(pieces(problem)), orders_(task_orders()) {}

  Answer best() {
    std::vector<Candidate> candidates = priced_candidates();
    Answer answer;
    std::optional<double> best_value;
    for (const Candidate& candidate : candidates) {
      if (!candidate.price) continue;
      if (best_value && rank(candidate) >= rounded(*best_value)) break;
      if (options_.is_interrupted() && best_value) break;
      Schedule schedule = finish(problem_, *candidate.draft, "keep-all");
      if (!accept(schedule, answer)) continue;
      const double value = schedule.predicted.objective.value;
      if (best_value && rounded(value) >= rounded(*best_value)) continue;
      best_value = value;
      answer.schedule = std::move(schedule);
      if (options_.improved) options_.improved(*answer.schedule);
    }
    return answer;
  }

  std::vector<Candidate> priced_candidates() {
    std::vector<Candidate> all;
    for (const Crew& crew : crews(problem_)) {
      if (options_.is_interrupted() && !all.empty()) break;
      add_candidates(crew, all);
    }
    std::stable_sort(all.begin(), all.end(),
                     [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    return all;
  }

 private:
  std::vector<TaskOrder> task_orders() const {
    const std::size_t tasks = problem_.graph().tasks.size();
    std::vector<TaskOrder> orders{listed_order(problem_)};
    if (tasks <= several_orders_up_to_tasks) orders.push_back(depth_first_order(problem_));
    if (tasks <= all_orders_up_to_tasks) orders.push_back(least_memory_order(problem_));
    std::vector<TaskOrder> distinct;
    for (TaskOrder& order : orders) {
      if (std::find(distinct.begin(), distinct.end(), order) == distinct.end())
        distinct.push_back(std::move(order));
    }
    return distinct;
  }

  // First the power states, with one order; then the other orders in the best states.
  void add_candidates(const Crew& crew, std::vector<Candidate>& all) const {
    std::vector<Candidate> by_state;
    for (const Crew& choice : with_states(problem_, crew))
      by_state.push_back({choice, first_order(choice), {}, {}});
    price_all(by_state);
    const auto best =
        std::min_element(by_state.begin(), by_state.end(),
                         [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    std::vector<Candidate> by_order;
    for (const TaskOrder& order : orders_) {
      if (order != best->order) by_order.push_back({best->crew, order, {}, {}});
    }
    if (best->price) price_all(by_order);
    std::move(by_state.begin(), by_state.end(), std::back_inserter(all));
    std::move(by_order.begin(), by_order.end(), std::back_inserter(all));
  }

  // For a single worker the order of the file, for several the critical path.
  TaskOrder first_order(const Crew& crew) const {
    if (std::accumulate(crew.workers.begin(), crew.workers.end(), 0) == 1) return orders_.front();
    std::vector<double> seconds(problem_.graph().tasks.size(),
                                std::numeric_limits<double>::infinity());
    for (std::size_t d = 0; d < crew.workers.size(); ++d) {
      if (crew.workers[d] == 0) continue;
      const double speed = problem_.platform().devices[d].states[crew.state[d]].speed;
      for (std::size_t t = 0; t < seconds.size(); ++t)
        seconds[t] = std::min(seconds[t], problem_.seconds[d][t] / speed);
    }
    return critical_path_order(problem_, seconds);
  }

  void price_all(std::vector<Candidate>& candidates) const {
    for_each_index(static_cast<int>(candidates.size()), options_.threads, [&](int i) {
      Candidate& candidate = candidates[i];
      const auto steps = list_schedule(problem_, pieces_, candidate.order, candidate.crew);
      if (!steps) return;
      candidate.draft = draft_of(problem_, pieces_, *steps);
      candidate.price = price(problem_, *candidate.draft);
    });
  }

  // The least value that the candidate can have.
  double rank(const Candidate& candidate) const {
    const Price& price = *candidate.price;
    switch (problem_.request().objective) {
      case Objective::time:
        return rounded(price.seconds);
      case Objective::edp:
        return rounded(price.seconds * price.joules);
      case Objective::memory:
        return static_cast<double>(price.live_bytes);
      case Objective::energy:
        break;
    }
    return rounded(price.joules);
  }

  // Plans within the deadline first, then by value, then by the bytes they hold.
  std::tuple<bool, bool, double, double> key(const Candidate& candidate) const {
    if (!candidate.price) return {true, true, 0, 0};
    const Price& price = *candidate.price;
    const bool late = !meets(price.seconds, deadline_seconds(problem_.request()));
    return {false, late, rank(candidate), static_cast<double>(price.live_bytes)};
  }

  // Whether the schedule meets all bounds; if not, what it would take.
  bool accept(const Schedule& schedule, Answer& answer) const {
    const double seconds = schedule.predicted.seconds;
    const bool in_time = meets(seconds, deadline_seconds(problem_.request()));
    std::vector<std::pair<MemoryId, std::int64_t>> exceeded;
    for (const auto& [name, arena] : schedule.arenas) {
      const MemoryId memory = *find_memory(problem_.platform(), name);
      if (arena > problem_.capacity_bytes[memory]) exceeded.emplace_back(memory, arena);
    }
    if (exceeded.empty() && !in_time)
      answer.least_seconds = std::min(answer.least_seconds.value_or(seconds), seconds);
    if (exceeded.size() == 1 && in_time) {
      const auto [least, is_new] = answer.least_arena.insert(exceeded.front());
      least->second = std::min(least->second, exceeded.front().second);
    }
    return exceeded.empty() && in_time;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  Pieces pieces_;
  std::vector<TaskOrder> orders_;
};

// Whether everything of the plan runs on devices of that memory.
bool only_in(const Problem& problem, const Crew& crew, MemoryId memory) {
  for (std::size_t d = 0; d < crew.workers.size(); ++d) {
    if (crew.workers[d] > 0 && problem.platform().devices[d].memory != memory) return false;
  }
  return true;
}

}  // namespace

std::optional<Answer> keep_all(const Problem& problem, const SearchOptions& options) {
  return KeepAll(problem, options).best();
}

std::optional<std::int64_t> keep_all_arena(const Problem& problem, MemoryId memory) {
  const std::string name = memory_name(problem.platform(), memory);
  std::optional<std::int64_t> alone;
  std::optional<std::int64_t> any;
  const SearchOptions options;
  for (const Candidate& candidate : KeepAll(problem, options).priced_candidates()) {
    if (!candidate.price) continue;
    const Schedule schedule = finish(problem, *candidate.draft, "keep-all");
    if (!schedule.arenas.contains(name)) continue;
    const std::int64_t arena = schedule.arenas.at(name);
    any = std::min(any.value_or(arena), arena);
    if (only_in(problem, candidate.crew, memory)) alone = std::min(alone.value_or(arena), arena);
  }
  return alone ? alone : any;
}

}  // namespace stint

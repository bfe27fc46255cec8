#include "planner/keep_all.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "planner/accept.hpp"
#include "planner/crews.hpp"
#include "planner/draft.hpp"
#include "planner/graphs/lowest_peak_order.hpp"
#include "planner/list_schedule.hpp"
#include "planner/order.hpp"
#include "planner/parallel.hpp"
#include "planner/pieces.hpp"
#include "planner/ready_order.hpp"
#include "planner/steps.hpp"
#include "schedules/cache_traffic.hpp"

namespace stint {

namespace {

struct Candidate {
  Crew crew;
  TaskOrder order;
  std::optional<Draft> draft;  // nothing: the crew cannot do it
  std::optional<DraftCost> cost;
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
      : problem_(problem),
        options_(options),
        pieces_(pieces(problem)),
        orders_(memory_orders(problem)),
        scratch_(std::max(1, options.threads), problem.blank) {}

  // In the order of what they can be worth at best, until nothing better can come. The orders of
  // crews that are not worth most, and the one of the lowest peak, are tried only where nothing
  // fits, or where memory is the aim.
  Answer best() {
    Answer answer;
    std::vector<Candidate> candidates = by_state(crews(problem_));
    const bool all = problem_.request().objective == Objective::memory;
    if (all) add_lowest_peak();
    std::vector<Candidate> orders = by_order(candidates, all ? INT_MAX : 1);
    std::move(orders.begin(), orders.end(), std::back_inserter(candidates));
    sort(candidates);
    finish_best(candidates, answer);
    if (answer.schedule || all) return answer;
    add_lowest_peak();
    std::vector<Candidate> rest = by_order(candidates, INT_MAX);
    sort(rest);
    finish_best(rest, answer);
    return answer;
  }

  std::optional<RoughValue> rough_value(bool must_fit) {
    for (const Candidate& candidate : by_state(full_crews())) {
      if (!candidate.cost) break;
      if (must_fit && !candidate.cost->fits) continue;
      const auto [none, late, value, second] = key(candidate);
      return RoughValue{late, value};
    }
    return std::nullopt;
  }

  std::vector<Candidate> all_candidates() {
    std::vector<Candidate> candidates = by_state(crews(problem_));
    std::vector<Candidate> orders = by_order(candidates, INT_MAX);
    std::move(orders.begin(), orders.end(), std::back_inserter(candidates));
    return candidates;
  }

 private:
  // As if everything were in the memory of the first device.
  void add_lowest_peak() {
    if (problem_.graph().tasks.size() > lowest_peak_up_to_tasks) return;
    const auto graph = graph_in_memory_of(problem_, DeviceId{0});
    if (graph) orders_.push_back(lowest_peak_order(*graph, problem_.before));
  }

  void finish_best(const std::vector<Candidate>& candidates, Answer& answer) {
    std::optional<double> best_value;
    for (const Candidate& candidate : candidates) {
      if (!candidate.cost) continue;
      if (best_value && rank(candidate) >= rounded(*best_value)) break;
      if (best_value && options_.is_interrupted()) break;
      Schedule schedule = finish(problem_, *candidate.draft, "keep-all");
      if (!accept(problem_, schedule, answer)) continue;
      const double value = schedule.predicted.objective.value;
      if (best_value && rounded(value) >= rounded(*best_value)) continue;
      best_value = value;
      answer.schedule = std::move(schedule);
      if (options_.improved) options_.improved(*answer.schedule);
    }
  }

  void sort(std::vector<Candidate>& candidates) const {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  }

  // Those in which devices work with all of their workers or not at all.
  std::vector<Crew> full_crews() const {
    std::vector<Crew> full = crews(problem_);
    const auto& devices = problem_.platform().devices;
    std::erase_if(full, [&](const Crew& crew) {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (crew.workers[d] != 0 && crew.workers[d] != devices[d].workers) return true;
      }
      return false;
    });
    return full;
  }

  // Every crew in every power state that is tried.
  std::vector<Candidate> by_state(const std::vector<Crew>& among) {
    std::vector<Candidate> all;
    for (const Crew& crew : among) {
      for (const Crew& choice : with_states(problem_, crew)) {
        for (TaskOrder& order : first_orders(choice))
          all.push_back({choice, std::move(order), {}, {}});
      }
    }
    price_all(all);
    sort(all);
    return all;
  }

  // The best candidates, not more than `most`, in the orders that they were not tried in.
  std::vector<Candidate> by_order(const std::vector<Candidate>& candidates, int most) {
    std::vector<Candidate> all;
    std::vector<std::pair<std::vector<int>, TaskOrder>> tried;
    for (const Candidate& candidate : candidates)
      tried.emplace_back(candidate.crew.workers, candidate.order);
    for (const Candidate& candidate : candidates) {
      if (!candidate.cost || most-- == 0) break;
      for (const TaskOrder& order : orders_) {
        const std::pair choice(candidate.crew.workers, order);
        if (std::find(tried.begin(), tried.end(), choice) != tried.end()) continue;
        tried.push_back(choice);
        all.push_back({candidate.crew, order, {}, {}});
      }
    }
    price_all(all);
    return all;
  }

  // For a single worker the order of the file; for several the critical path, and what keeps all of
  // them busy. Where caches have a price, also leaf by leaf.
  std::vector<TaskOrder> first_orders(const Crew& crew) const {
    std::vector<TaskOrder> orders;
    if (std::accumulate(crew.workers.begin(), crew.workers.end(), 0) == 1)
      orders = {orders_.front()};
    else
      orders = {critical_path_order(problem_, fastest_seconds(problem_, crew)),
                ready_order(problem_, crew)};
    if (prices_caches(problem_.platform())) orders.push_back(newest_first_order(problem_));
    return orders;
  }

  // An interruption leaves candidates without a cost, but for the first.
  void price_all(std::vector<Candidate>& candidates) {
    const int count = static_cast<int>(candidates.size());
    for_each_index(count, options_.threads, [&](int i, int thread) {
      Candidate& candidate = candidates[i];
      if (i > 0 && options_.is_interrupted()) return;
      const auto steps = list_schedule(problem_, pieces_, candidate.order, candidate.crew);
      if (!steps) return;
      candidate.draft = draft_of(problem_, pieces_, *steps);
      candidate.cost = cost_of(problem_, *candidate.draft, scratch_[thread]);
    });
  }

  // The least value that the candidate can have.
  double rank(const Candidate& candidate) const {
    const DraftCost& cost = *candidate.cost;
    switch (problem_.request().objective) {
      case Objective::time:
        return rounded(cost.seconds);
      case Objective::edp:
        return rounded(cost.seconds * cost.joules);
      case Objective::memory:
        return static_cast<double>(cost.live_bytes);
      case Objective::energy:
        break;
    }
    return rounded(cost.joules);
  }

  // Plans within the deadline first, then by value, then by the bytes they hold, or by their joules
  // where bytes are the value.
  std::tuple<bool, bool, double, double> key(const Candidate& candidate) const {
    if (!candidate.cost) return {true, true, 0, 0};
    const DraftCost& cost = *candidate.cost;
    const bool late = !meets(cost.seconds, deadline_seconds(problem_.request()));
    const bool by_bytes = problem_.request().objective == Objective::memory;
    const double second = by_bytes ? rounded(cost.joules) : static_cast<double>(cost.live_bytes);
    return {false, late, rank(candidate), second};
  }

  const Problem& problem_;
  const SearchOptions& options_;
  Pieces pieces_;
  std::vector<TaskOrder> orders_;
  std::vector<Schedule> scratch_;  // by thread
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

std::optional<RoughValue> keep_all_value(const Problem& problem, const SearchOptions& options) {
  return KeepAll(problem, options).rough_value(false);
}

std::optional<RoughValue> keep_all_value_that_fits(const Problem& problem,
                                                   const SearchOptions& options) {
  return KeepAll(problem, options).rough_value(true);
}

std::optional<std::int64_t> keep_all_arena(const Problem& problem, MemoryId memory) {
  const std::string name = memory_name(problem.platform(), memory);
  std::optional<std::int64_t> alone;
  std::optional<std::int64_t> any;
  const SearchOptions options;
  for (const Candidate& candidate : KeepAll(problem, options).all_candidates()) {
    if (!candidate.cost) continue;
    const Schedule schedule = finish(problem, *candidate.draft, "keep-all");
    if (!schedule.arenas.contains(name)) continue;
    const std::int64_t arena = schedule.arenas.at(name);
    any = std::min(any.value_or(arena), arena);
    if (only_in(problem, candidate.crew, memory)) alone = std::min(alone.value_or(arena), arena);
  }
  return alone ? alone : any;
}

}  // namespace stint

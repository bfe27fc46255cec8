#include "planner/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "files/input_error.hpp"
#include "planner/bounds.hpp"
#include "planner/chains/baselines.hpp"
#include "planner/chains/chain.hpp"
#include "planner/draft.hpp"
#include "planner/graphs/graph.hpp"
#include "planner/keep_all.hpp"
#include "planner/memory_bound.hpp"
#include "planner/pipelines/pipeline.hpp"
#include "planner/pipelines/pipeline_request.hpp"
#include "planner/placement/placement.hpp"
#include "planner/power/schedule_power.hpp"
#include "planner/prefetch.hpp"
#include "planner/timed/exact.hpp"
#include "schedules/validate.hpp"

namespace stint {

namespace {

constexpr double tolerance = 1e-9;     // as everywhere between prediction and proof
constexpr double states_share = 0.01;  // of the limit, for power states on a plan's order
// Small graphs on several devices whose plan is so far from its proof are searched on.
constexpr double very_wide_gap = 0.2;
constexpr double times_for_less_memory = 5;  // what the strategy had of the limit before
constexpr std::size_t most_tasks_of_wide_gaps = 100;
struct Longer {
  double least_limit;  // with less, that is no more than the strategy had
  double gap;          // above which it goes on
  double times;        // what the strategy had of the limit before
};
constexpr Longer all_of_the_limit{10, 0.001, 50};
constexpr Longer a_part_of_it{3, 0.02, times_for_less_memory};
constexpr double graph_share = 0.25;  // of the limit, where all of it is left for several devices

bool above(double a, double b) { return a > b + tolerance * std::max(std::abs(a), std::abs(b)); }

std::vector<Strategy> chosen(const std::string& name) {
  std::vector<Strategy> automatic;
  std::string names = "auto";
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == strategy_name(name)) return {strategy};
    if (strategy.is_automatic) automatic.push_back(strategy);
    names += ", " + strategy.name;
  }
  if (name == "auto") return automatic;
  throw InputError("--strategy", "no strategy named " + in_quotes(name) + "; expected " + names);
}

// A pipeline that is asked for is asked for by that.
std::string asked_strategy(const Request& request) {
  pipeline_request(request);
  return request.pipeline.empty() ? request.strategy : "pipeline";
}

struct Found {
  Bound bound;  // the best that is proved
  std::map<MemoryId, std::int64_t> proved_bytes;
  std::optional<Schedule> best;
  std::map<MemoryId, std::int64_t> least_arena;
  std::optional<double> least_seconds;
  double proved_seconds = 0;  // no plan within the memories is faster
};

template <typename Value>
void keep_least(std::optional<Value>& least, const std::optional<Value>& other) {
  if (other && (!least || *other < *least)) least = other;
}

void set_proof(const Bound& bound, Predicted& predicted) {
  Proof& proof = predicted.objective;
  if (above(bound.value, proof.value))
    throw std::logic_error(fmt::format("the bound by {}, {}, is above the value of a plan, {}",
                                       bound.by, bound.value, proof.value));
  proof.lower_bound = std::min(bound.value, proof.value);
  proof.gap = proof.value == 0 ? 0 : (proof.value - proof.lower_bound) / proof.value;
  proof.bound_by = bound.by;
  predicted.optimal = !above(proof.value, proof.lower_bound);
}

void judge(const Schedule& schedule) {
  const auto violations = validate(schedule);
  if (violations.empty()) return;
  throw std::logic_error("the strategy " + schedule.predicted.strategy +
                         " made a schedule that is not valid: " + to_string(violations.front()));
}

void keep_best(Schedule schedule, Found& found) {
  set_proof(found.bound, schedule.predicted);
  judge(schedule);
  const double value = schedule.predicted.objective.value;
  if (!found.best || above(found.best->predicted.objective.value, value))
    found.best = std::move(schedule);
}

// A plan counts with the best power states on its order; one that is late may not be with others.
void take_plans(const Problem& problem, Answer answer, Found& found) {
  const double limit = problem.request().limit * states_share;
  if (answer.late) {
    if (auto in_time = with_better_states(problem, *answer.late, limit))
      keep_best(std::move(*in_time), found);
  }
  if (!answer.schedule) return;
  auto better = with_better_states(problem, *answer.schedule, limit);
  keep_best(std::move(better ? *better : *answer.schedule), found);
}

void take(const Problem& problem, Answer answer, Found& found) {
  if (answer.bound && above(answer.bound->value, found.bound.value)) found.bound = *answer.bound;
  for (const auto& [memory, bytes] : answer.proved_bytes)
    found.proved_bytes[memory] = std::max(found.proved_bytes[memory], bytes);
  for (const auto& [memory, arena] : answer.least_arena) {
    const auto [least, is_new] = found.least_arena.emplace(memory, arena);
    least->second = std::min(least->second, arena);
  }
  keep_least(found.least_seconds, answer.least_seconds);
  take_plans(problem, std::move(answer), found);
}

// The quick ones are asked in any case, for what would have fitted.
bool searches(const Strategy& strategy) {
  return strategy.name == "graph" || strategy.name == "placement" || strategy.name == "exact";
}

// Of the graph itself, or by a strategy.
MemoryBound proved_bound(const Problem& problem, MemoryId memory, const Found& found) {
  MemoryBound bound = memory_bound(problem, memory);
  const auto proved = found.proved_bytes.find(memory);
  if (proved != found.proved_bytes.end()) bound.bytes = std::max(bound.bytes, proved->second);
  return bound;
}

// No plan fits, so nobody needs to look for one.
bool cannot_fit(const Problem& problem, const Found& found) {
  for (std::size_t m = 0; m < problem.capacity_bytes.size(); ++m) {
    const std::int64_t bytes = proved_bound(problem, static_cast<MemoryId>(m), found).bytes;
    if (above(static_cast<double>(bytes), static_cast<double>(problem.capacity_bytes[m])))
      return true;
  }
  return false;
}

// With so many times the limit.
std::optional<Answer> solved_with(double times, Problem problem, const SearchOptions& options,
                                  const decltype(Strategy::solve)& solve) {
  const double limit = problem.request().limit;
  problem.blank.request.limit *= times;
  auto answer = solve(problem, options);
  if (!answer) return std::nullopt;
  for (auto* schedule : {&answer->schedule, &answer->late}) {
    if (*schedule) (*schedule)->request.limit = limit;
  }
  return answer;
}

// How much longer several devices are searched for where the gap is wide; nothing if never.
std::optional<Longer> longer_for(const Problem& problem) {
  const Request& request = problem.request();
  const bool is_small = problem.graph().tasks.size() <= most_tasks_of_wide_gaps;
  if (!is_small || asked_strategy(request) != "auto" || !is_for_placement(problem))
    return std::nullopt;
  for (const Longer& longer : {all_of_the_limit, a_part_of_it})
    if (request.limit >= longer.least_limit) return longer;
  return std::nullopt;
}

// Where all of the limit is left for several devices, one of them is only where to start from.
std::optional<Answer> answer_of(const Strategy& strategy, const Problem& problem,
                                const SearchOptions& options) {
  const auto longer = longer_for(problem);
  const bool is_start =
      strategy.name == "graph" && longer && longer->times == all_of_the_limit.times;
  if (is_start) return solved_with(graph_share, problem, options, strategy.solve);
  return strategy.solve(problem, options);
}

// Whether a strategy takes such a problem.
bool ask_strategies(const Problem& problem, const SearchOptions& options, Found& found) {
  bool any = false;
  const std::vector<Strategy> asked = chosen(asked_strategy(problem.request()));
  for (const Strategy& strategy : asked) {
    const bool done = found.best && (options.is_interrupted() || found.best->predicted.optimal);
    const bool hopeless =
        !found.best && asked.size() > 1 && searches(strategy) && cannot_fit(problem, found);
    if (done || hopeless) break;
    SearchOptions informed = options;
    if (found.best) informed.known = &*found.best;
    auto answer = answer_of(strategy, problem, informed);
    if (!answer) continue;
    any = true;
    take(problem, std::move(*answer), found);
  }
  return any;
}

// Where nothing was in time, the fastest plan tells whether anything can be, memory and all; if it
// is in time itself, it is a plan.
void ask_for_the_fastest(const Problem& problem, const SearchOptions& options, Found& found) {
  Problem fastest = problem;
  Request& request = fastest.blank.request;
  request.objective = Objective::time;
  request.deadline_seconds.reset();
  request.bill = Bill::makespan;
  SearchOptions silent = options;
  silent.improved = nullptr;
  Found there;
  there.bound = objective_bound(fastest);
  ask_strategies(fastest, silent, there);
  if (!there.best) return;
  found.proved_seconds = there.best->predicted.objective.lower_bound;
  keep_least(found.least_seconds, std::optional(there.best->predicted.seconds));
  if (!meets(there.best->predicted.seconds, deadline_seconds(problem.request()))) return;
  there.best->request = problem.request();
  reprice(problem, *there.best);
  Answer answer;
  answer.schedule = std::move(there.best);
  take_plans(problem, std::move(answer), found);
}

// With less of every memory that the request bounds: the next power of two below. Nothing if it
// bounds none.
std::optional<Problem> with_less_memory(const Problem& problem) {
  if (problem.request().memory.empty()) return std::nullopt;
  Problem less = problem;
  for (auto& [name, bytes] : less.blank.request.memory) {
    std::int64_t& capacity = less.capacity_bytes[*find_memory(problem.platform(), name)];
    if (capacity < 2) return std::nullopt;
    bytes = capacity =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(capacity - 1)));
  }
  return less;
}

// What fits into less memory is a plan as well; what is proved there says nothing of more. Nothing
// is known at first, so that all requests with the same power of two find the same.
void ask_for_less_memory(const Problem& problem, SearchOptions options, Found& found) {
  const auto less = with_less_memory(problem);
  if (!less) return;
  options.improved = nullptr;
  auto answer = solved_with(times_for_less_memory, *less, options, placement);
  if (!answer || !answer->schedule) return;
  Answer plan;
  plan.schedule = std::move(answer->schedule);
  plan.schedule->request = problem.request();
  take_plans(problem, std::move(plan), found);
}

// Where plan and proof are far apart, what a short search found is a matter of chance: with a
// little more of anything it may have found less. So it goes on, where they are furthest apart
// first with less memory, which requests for a little more or less have in common.
void ask_for_more(const Problem& problem, const SearchOptions& options, Found& found) {
  const auto longer = longer_for(problem);
  if (!longer || !found.best || options.is_interrupted()) return;
  const double gap = found.best->predicted.objective.gap;
  if (gap > very_wide_gap) ask_for_less_memory(problem, options, found);
  if (gap <= longer->gap || options.is_interrupted()) return;
  SearchOptions informed = options;
  informed.known = &*found.best;
  if (auto answer = solved_with(longer->times, problem, informed, placement))
    take(problem, std::move(*answer), found);
}

// What the plan fell behind for may be memory that keeps tasks from running side by side. A bound
// above a plan is a mistake of the solver's.
void prove_crowding(const Problem& problem, Found& found) {
  const Predicted& best = found.best->predicted;
  if (best.optimal) return;
  const Crowding crowding(problem);
  if (!crowding.matters()) return;
  const Bound bound = objective_bound(problem, &crowding);
  if (above(bound.value, found.bound.value) && !above(bound.value, best.objective.value))
    found.bound = bound;
}

void prefetch(const Problem& problem, Found& found) {
  auto ahead = with_prefetch(problem, *found.best);
  if (!ahead) return;
  set_proof(found.bound, ahead->predicted);
  judge(*ahead);
  found.best = std::move(ahead);
}

Shortage memory_shortage(const Problem& problem, MemoryId memory, const Found& found) {
  const MemoryBound bound = proved_bound(problem, memory, found);
  Shortage shortage;
  shortage.what = memory_name(problem.platform(), memory);
  shortage.asked = static_cast<double>(problem.capacity_bytes[memory]);
  shortage.lower_bound = static_cast<double>(bound.bytes);
  const auto least = found.least_arena.find(memory);
  if (least != found.least_arena.end()) shortage.found = static_cast<double>(least->second);
  const MemoryReason reason = reason_above(problem, memory, problem.capacity_bytes[memory]);
  for (const TensorId tensor : reason.tensors)
    shortage.reason.push_back(problem.graph().tensors[tensor].name);
  if (reason.workspace_of)
    shortage.reason.push_back("workspace of " + problem.graph().tasks[*reason.workspace_of].name);
  for (const TensorId tensor : bound.tensors)
    shortage.tensors.push_back(problem.graph().tensors[tensor].name);
  return shortage;
}

bool is_proved(const Shortage& shortage) { return above(shortage.lower_bound, shortage.asked); }

// The bounds of the request that cannot be met, and those that alone kept a plan from fitting.
std::vector<Shortage> shortages(const Problem& problem, const Found& found) {
  std::vector<Shortage> all;
  for (std::size_t m = 0; m < problem.capacity_bytes.size(); ++m)
    all.push_back(memory_shortage(problem, static_cast<MemoryId>(m), found));
  if (const auto deadline = deadline_seconds(problem.request())) {
    const double least = std::max(time_bound(problem).value, found.proved_seconds);
    all.push_back({"deadline", false, *deadline, least, found.least_seconds, {}});
  }
  std::erase_if(all, [](const Shortage& s) { return !is_proved(s) && !s.found; });
  return all;
}

// Every second costs the same joules then, so whoever looks for the fewest looks for the fastest.
bool costs_seconds_alone(const Platform& platform) {
  if (platform.devices.size() != 1 || !platform.links.empty()) return false;
  const Device& device = platform.devices.front();
  return device.workers == 1 && choosable_states(device) == 1 &&
         device.states.front().busy_watts_by_class.empty();
}

// There is no plan, and neither is there a proof that there is none. Within a deadline the fastest
// may be the only one; without, searching for it goes other ways, and what it finds is a plan.
bool needs_the_fastest(const Problem& problem, const SearchOptions& options, const Found& found) {
  const Objective objective = problem.request().objective;
  const bool has_deadline = deadline_seconds(problem.request()).has_value();
  const bool is_another =
      objective == Objective::energy || objective == Objective::edp || has_deadline;
  if (found.best || options.is_interrupted() || !is_another) return false;
  if (!has_deadline && costs_seconds_alone(problem.platform())) return false;
  const auto all = shortages(problem, found);
  return std::none_of(all.begin(), all.end(), is_proved);
}

}  // namespace

std::string strategy_name(const std::string& asked) { return asked.substr(0, asked.find(':')); }

void expect_strategy(const Request& request) { chosen(asked_strategy(request)); }

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all{{"keep-all", true, keep_all},
                                         {"chain", true, chain},
                                         {"graph", true, graph},
                                         {"placement", true, placement},
                                         {"exact", true, exact},
                                         {"pipeline", false, pipeline},
                                         {"recompute-all", false, recompute_all},
                                         {"segments", false, segments_of_chain}};
  return all;
}

std::optional<double> deadline_seconds(const Request& request) {
  std::optional<double> deadline = request.deadline_seconds;
  if (request.bill == Bill::period) keep_least(deadline, std::optional(request.period_seconds));
  return deadline;
}

bool meets(double seconds, const std::optional<double>& deadline) {
  return !deadline || !above(seconds, *deadline);
}

std::string to_string(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::feasible:
      return "feasible";
    case Status::infeasible:
      return "infeasible";
    case Status::no_plan:
      break;
  }
  return "no_plan";
}

Outcome plan(const Problem& problem, const SearchOptions& given) {
  Found found;
  found.bound = objective_bound(problem);
  SearchOptions options = given;
  options.improved = [&](Schedule schedule) {
    set_proof(found.bound, schedule.predicted);
    given.improved(schedule);
  };
  if (!given.improved) options.improved = nullptr;
  Outcome outcome;
  outcome.not_of_its_kind = !ask_strategies(problem, options, found);
  if (needs_the_fastest(problem, options, found)) ask_for_the_fastest(problem, options, found);
  ask_for_more(problem, options, found);
  outcome.interrupted = options.is_interrupted();
  if (found.best) {
    if (!outcome.interrupted) prove_crowding(problem, found);
    prefetch(problem, found);
    found.best->predicted.interrupted = outcome.interrupted;
    set_proof(found.bound, found.best->predicted);
    outcome.status = found.best->predicted.optimal ? Status::optimal : Status::feasible;
    outcome.schedule = std::move(found.best);
    return outcome;
  }
  outcome.shortages = shortages(problem, found);
  const bool proved = std::any_of(outcome.shortages.begin(), outcome.shortages.end(), is_proved);
  outcome.status = proved ? Status::infeasible : Status::no_plan;
  return outcome;
}

}  // namespace stint

#include "planner/graphs/graph_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/graphs/block_chain.hpp"
#include "planner/graphs/common_unit.hpp"
#include "planner/solver/highs.hpp"

namespace stint {
namespace {

constexpr double cost_units = 1e9;
constexpr double steps_per_unit = 4e6;   // of local search, for one unit of the limit
constexpr double steps_per_choice = 40;  // the same for every task and gap: small graphs need less
constexpr double least_steps = 2e5;
constexpr double work_per_unit = 0.6;  // of the solver, in graphs of
constexpr double usual_work_up_to_tasks = 2000;
constexpr double most_work_factor = 10;  // in larger ones
constexpr double quick_work = 0.15;      // of CP-SAT for a master, before HiGHS has it, whose
constexpr double highs_worth = 4;        // work is worth so much of CP-SAT's
constexpr double least_for_highs = 0.6;  // for a master: with less it does not come to anything
constexpr double highs_margin = 2e-6;    // of what runs again
constexpr double master_share = 0.3;     // of what is left, for one master
constexpr double first_share = 0.04;     // of the steps, for every search but the last
constexpr double short_share = 0.08;
constexpr double short_work = 0.1;  // of the solver's, for a little less memory
constexpr double moving_share = 0.15;
constexpr double last_share = 0.3;
constexpr double improve_share = 1;  // of three
constexpr double quick_share = 0.05;
constexpr double quick_heat = 1.5;
constexpr double large_share = 4;            // instead, in larger graphs
constexpr double large_tasks = 600;          // up to so many; with more of them in proportion
constexpr double most_size_factor = 3;       // but no more than so many times as much
constexpr double large_short_share = 1;      // likewise, for a little less memory
constexpr double large_share_from_less = 2;  // likewise, from a plan for even less
constexpr double low_heat = 0.02;            // to stay near the plan for more memory
constexpr double free_share = 0.7;
constexpr double large_free_share = 2;
constexpr double proof_tolerance = 1e-7;
constexpr int most_moments = 32;
constexpr std::ptrdiff_t few_moments = 4;  // with which less memory is solved quickly
constexpr int most_stalled = 8;
constexpr int most_at_once = 3;  // moments
constexpr int apart = 10;        // of those that are added at once, at the least
constexpr std::size_t exact_up_to_tasks = 400;
constexpr double near_share = 0.02;  // in larger graphs: of the gap, that solutions may lack
constexpr double close_plan = 1e-3;  // the same: good enough
constexpr std::size_t strong_up_to_tasks = 20000;

std::int64_t peak_in_order(SequenceMeter& meter, const TaskOrder& order) {
  return meter.measure(order).peak_bytes;
}

TaskOrder least_peak_order(SequenceMeter& meter, std::vector<TaskOrder> orders) {
  const auto best = std::min_element(orders.begin(), orders.end(), [&](auto& a, auto& b) {
    return peak_in_order(meter, a) < peak_in_order(meter, b);
  });
  return std::move(*best);
}

}  // namespace

double solver_work_factor(const DeviceGraph& graph) {
  const double size = static_cast<double>(graph.tasks.size()) / usual_work_up_to_tasks;
  return std::clamp(size, 1.0, most_work_factor);
}

WholeCosts whole_costs(const std::vector<double>& costs, double total) {
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  WholeCosts whole;
  if (sum > 0) whole.unit = common_unit(costs, total).value_or(sum / total);
  for (const double cost : costs) whole.costs.push_back(whole_part(cost / whole.unit));
  return whole;
}

GraphSolver::GraphSolver(const DeviceGraph& graph, std::vector<double> costs,
                         std::vector<TaskOrder> orders, const GraphSolverOptions& options)
    : graph_(graph),
      meter_(graph, costs),
      options_(options),
      gaps_(graph, least_peak_order(meter_, std::move(orders))),
      replay_(graph, gaps_),
      whole_costs_(whole_costs(costs, cost_units)),
      least_peak_(INT64_MAX),
      blocks_(options.interrupted) {}

bool GraphSolver::is_interrupted() const {
  return options_.interrupted != nullptr && options_.interrupted->load();
}

void GraphSolver::note(const TaskSequence& sequence, const SequenceMeasure& measure,
                       std::int64_t capacity) {
  least_peak_ = std::min(least_peak_, measure.peak_bytes);
  if (measure.peak_bytes > capacity) return;
  if (!best_ || measure.cost < best_->measure.cost) best_ = GraphPlan{sequence, measure};
}

std::optional<SequenceMeasure> GraphSolver::replayed(bool possible, std::int64_t capacity) {
  if (!possible) return std::nullopt;
  const SequenceMeasure measure = meter_.measure(replay_.sequence());
  note(replay_.sequence(), measure, capacity);
  return measure;
}

// Of what was replayed and measured last, the highest first.
std::vector<GraphSolver::Crowd> GraphSolver::crowds(std::int64_t capacity) const {
  std::vector<Crowd> all;
  const TaskSequence& sequence = replay_.sequence();
  for (std::size_t step = 0; step <= sequence.size(); ++step) {
    const std::int64_t bytes = meter_.live_bytes()[step];
    if (bytes <= capacity) continue;
    const std::size_t run = std::min(step, sequence.size() - 1);  // then only results are there
    const int position = replay_.stage()[run];
    const bool is_first = gaps_.order()[position] == sequence[run];
    all.push_back({bytes, position, is_first ? no_task : sequence[run]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Crowd& a, const Crowd& b) { return a.bytes > b.bytes; });
  return all;
}

RetentionSearchOptions GraphSolver::search_options(std::int64_t capacity, double share) const {
  RetentionSearchOptions search;
  search.capacity_bytes = capacity;
  const auto tasks = static_cast<double>(graph_.tasks.size());
  const double enough = std::max(least_steps, steps_per_choice * tasks * gaps_.count());
  search.steps =
      static_cast<std::int64_t>(options_.limit * std::min(steps_per_unit, enough) * share);
  search.seed = options_.seed * 1000 + searches_;
  search.good_enough = bound() * (1 + proof_tolerance);
  search.interrupted = options_.interrupted;
  return search;
}

void GraphSolver::search(const Retention& start, std::int64_t capacity, double share) {
  const RetentionSearchOptions options = search_options(capacity, share);
  ++searches_;
  RetentionFound found = search_retention(graph_, gaps_, meter_, start, options);
  if (!found.plan) return;
  note(found.plan->sequence, found.plan->measure, capacity);
  if (best_->sequence == found.plan->sequence) best_retention_ = std::move(found.retention);
}

std::optional<GraphPlan> GraphSolver::solve_moving(const DeviceGraph& moving,
                                                   const std::vector<double>& costs,
                                                   std::int64_t capacity) const {
  SequenceMeter meter(moving, costs);
  auto options = search_options(capacity, moving_share);
  options.good_enough = 0;  // the bound is of plans without moves
  return search_retention(moving, gaps_, meter, start(), options).plan;
}

Retention GraphSolver::start() const {
  return best_retention_.keep.empty() ? gaps_.keep_all() : best_retention_;
}

// Kept over a gap if the master wants it at every moment in the gap.
Retention GraphSolver::retention_of(const MomentSolution& solution) const {
  Retention retention = gaps_.keep_all();
  for (int gap = 0; gap < gaps_.count(); ++gap) {
    const int begin = gaps_.begin(gap);
    const int end = begin + gaps_.length(gap);
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      if (moments_[k] >= begin && moments_[k] < end)
        retention.keep[gap] &= solution.there[k][gaps_.item_of_gap(gap)];
    }
  }
  return retention;
}

bool GraphSolver::is_moment(int position) const {
  return std::binary_search(moments_.begin(), moments_.end(), position);
}

bool GraphSolver::add_moment(int position) {
  const auto count = static_cast<int>(gaps_.order().size());
  if (position < 0 || position >= count || is_moment(position)) return false;
  moments_.insert(std::upper_bound(moments_.begin(), moments_.end(), position), position);
  added_.push_back(position);
  return true;
}

bool GraphSolver::add_moment_near(int position) {
  for (const int shift : {0, -1, 1, -2, 2}) {
    if (add_moment(position + shift)) return true;
  }
  return false;
}

// What runs again before a moment is counted beside all that stays from the moment just before.
bool GraphSolver::add(const Crowd& crowd) {
  if (crowd.again == no_task || !is_moment(crowd.position)) return add_moment_near(crowd.position);
  const CountedAgain counted{crowd.again, crowd.position};
  if (std::find(counted_.begin(), counted_.end(), counted) != counted_.end()) return false;
  counted_.push_back(counted);
  add_moment(crowd.position - 1);
  return true;
}

// The highest that are not near each other.
bool GraphSolver::add_moments(std::vector<Crowd> crowds) {
  int added = 0;
  while (!crowds.empty() && added < most_at_once && std::ssize(moments_) < most_moments) {
    const Crowd top = crowds.front();
    if (!add(top)) {
      crowds.erase(crowds.begin());
      continue;
    }
    ++added;
    std::erase_if(crowds, [&](const Crowd& other) {
      return std::abs(other.position - top.position) < apart;
    });
  }
  return added > 0;
}

std::vector<CountedRun> GraphSolver::counted_runs() const {
  std::vector<CountedRun> all;
  for (const CountedAgain& run : counted_) {
    const auto moment = std::lower_bound(moments_.begin(), moments_.end(), run.position);
    const int interval = static_cast<int>(moment - moments_.begin());
    all.push_back({run.task, interval, interval, {}});
  }
  return all;
}

std::vector<TaskId> GraphSolver::moments() const {
  const bool is_met = is_proved() || is_near();
  std::vector<TaskId> tasks;
  for (std::size_t m = 0; m < (is_met ? telling_ : added_.size()); ++m)
    tasks.push_back(gaps_.order()[added_[m]]);
  return tasks;
}

std::int64_t GraphSolver::whole_cost_again(const TaskSequence& sequence) const {
  std::int64_t cost = 0;
  for (const TaskId task : sequence) cost += costs()[task];
  return cost - std::accumulate(costs().begin(), costs().end(), std::int64_t{0});
}

MomentSolution GraphSolver::solve_master(std::int64_t capacity, double share) {
  MomentProblem master;
  master.graph = &graph_;
  master.costs = costs();
  for (const int position : moments_) master.moments.push_back(gaps_.order()[position]);
  master.first = first_runs_in_order(gaps_.order(), master.moments);
  master.counted = counted_runs();
  master.capacity_bytes = capacity;
  if (best_) master.most_cost = whole_cost_again(best_->sequence);
  for (const int position : moments_)
    if (!reserved_.empty()) master.reserved_bytes.push_back(reserved_[position]);
  CpOptions options;
  options.work = work_left_ * share;
  options.strong_relaxation = graph_.tasks.size() <= strong_up_to_tasks;
  options.interrupted = options_.interrupted;
  if (best_ && is_large())
    options.absolute_gap = near_share * static_cast<double>(master.most_cost - known_bound_);
  const bool has_another = has_highs() && !is_large() && options.work > least_for_highs;
  if (has_another) options.work = quick_work;
  MomentSolution solution = noted(solve_moments(master, options, known_bound_));
  const bool is_open =
      solution.status == CpStatus::unknown || solution.status == CpStatus::feasible;
  if (!has_another || !is_open || is_interrupted()) return solution;
  options.work = work_left_ * share / highs_worth;
  master.by_highs = true;
  MomentSolution other = solve_moments(master, options, known_bound_);
  if (other.is_rounded) other.work *= highs_worth;
  return noted(std::move(other));
}

MomentSolution GraphSolver::noted(MomentSolution solution) {
  work_left_ -= solution.work;
  if (solution.bound > known_bound_) is_rounded_ = solution.is_rounded;
  known_bound_ = std::max(known_bound_, solution.bound);
  return solution;
}

double GraphSolver::bound() const {
  return meter_.cost_of_all() + static_cast<double>(known_bound_) * whole_costs_.unit;
}

// The bound is of costs rounded down, each by less than a unit.
bool GraphSolver::is_proved() const {
  if (!best_) return false;
  const std::size_t again = best_->sequence.size() - graph_.tasks.size();
  const double rounding = static_cast<double>(again) * meter_.cost_of_all() / cost_units;
  return best_->measure.cost <= bound() * (1 + proof_tolerance) + rounding;
}

bool GraphSolver::is_large() const { return graph_.tasks.size() > exact_up_to_tasks; }

// A step of local search in a larger graph changes less of it.
double GraphSolver::size_factor() const {
  const double size = static_cast<double>(graph_.tasks.size()) / large_tasks;
  return std::clamp(size, 1.0, most_size_factor);
}

bool GraphSolver::is_near() const {
  if (!best_) return false;
  if (is_large()) return best_->measure.cost <= bound() * (1 + close_plan);
  const double margin = (static_cast<double>(known_bound_) * highs_margin + 1) * whole_costs_.unit;
  return is_rounded_ && best_->measure.cost <= bound() * (1 + proof_tolerance) + margin;
}

void GraphSolver::generate_moments(std::int64_t capacity) {
  int stalled = 0;        // how often in a row a moment did not improve the bound
  bool is_again = false;  // the same moments, with all work that is left
  while (work_left_ > 0 && stalled < most_stalled && !is_interrupted()) {
    const std::int64_t bound_before = known_bound_;
    const MomentSolution solution = solve_master(capacity, is_again ? 1 : master_share);
    stalled = known_bound_ > bound_before ? 0 : stalled + 1;
    if (stalled == 0) telling_ = added_.size();
    if (solution.there.empty()) return;
    const auto measure = replayed(replay_.make(moments_, solution.there), capacity);
    const TaskSequence sequence = replay_.sequence();
    const std::vector<Crowd> crowded = measure ? crowds(capacity) : std::vector<Crowd>();
    const bool fits = measure && measure->peak_bytes <= capacity;
    if (fits && best_->sequence == sequence) best_retention_ = retention_of(solution);
    if (!fits) search(retention_of(solution), capacity, first_share);
    if (!fits && measure) improve(sequence, capacity, quick_share, quick_heat);
    if (is_proved() || is_near() || !measure) return;
    const bool is_solved = solution.status == CpStatus::optimal;
    if (fits && is_solved && (solution.bound >= solution.value || solution.is_rounded)) return;
    if (fits && is_solved) continue;  // it was not solved to the end
    if (fits && is_again) return;
    is_again = fits;  // it is as exact as need be, so nothing else is worth the work
    if (is_again) continue;
    if (!is_solved && best_ && worth(solution) >= best_->measure.cost) return;
    if (!add_moments(crowded)) return;
  }
}

void GraphSolver::combine_blocks(std::int64_t capacity) {
  if (options_.chain == nullptr) return;
  const auto plan = block_plan(graph_, meter_.costs(), *options_.chain, capacity, blocks_);
  if (plan) note(plan->sequence, plan->measure, capacity);
}

void GraphSolver::improve(const TaskSequence& start, std::int64_t capacity, double share,
                          double heat) {
  if (is_proved()) return;
  SequenceSearchOptions options{search_options(capacity, share)};
  options.heat = heat;
  ++searches_;
  const auto found = search_sequence(graph_, meter_, start, options);
  if (found) note(found->sequence, found->measure, capacity);
}

void GraphSolver::improve_best(std::int64_t capacity, double share) {
  improve(best_ ? TaskSequence(best_->sequence) : gaps_.order(), capacity, share);
}

// What is proved holds for one order only, so it does not end the search.
SequenceSearchOptions GraphSolver::free_options(std::int64_t capacity) {
  SequenceSearchOptions options{
      search_options(capacity, is_large() ? large_free_share : free_share)};
  options.before = options_.before;
  options.good_enough = 0;
  ++searches_;
  meter_.reserve({});
  return options;
}

std::optional<GraphPlan> GraphSolver::solve_in_any_order(const TaskSequence& start,
                                                         std::int64_t capacity) {
  auto found = search_sequence(graph_, meter_, start, free_options(capacity));
  if (found) solved_ = found->sequence;
  return found;
}

std::optional<GraphPlan> GraphSolver::solve_near(const TaskSequence& start, std::int64_t capacity) {
  SequenceSearchOptions options = free_options(capacity);
  options.heat = low_heat;
  return search_sequence(graph_, meter_, start, options);
}

std::vector<GraphPlan> GraphSolver::solve_with_addresses(const TaskSequence& start,
                                                         std::int64_t capacity) {
  SequenceSearchOptions options = free_options(capacity);
  options.with_addresses = true;
  return search_sequences(graph_, meter_, start, options);
}

void GraphSolver::adopt(TaskSequence plan, TaskSequence start) {
  solved_ = std::move(plan);
  start_of_solved_ = std::move(start);
}

double GraphSolver::worth(const MomentSolution& solution) const {
  return meter_.cost_of_all() + static_cast<double>(solution.value) * whole_costs_.unit;
}

// What is proved for some memory holds for less.
void GraphSolver::begin(std::int64_t capacity, std::vector<std::int64_t> reserved) {
  if (reserved_.empty()) free_bound_ = known_bound_;
  if (capacity > bound_bytes_) free_bound_ = 0;
  known_bound_ = free_bound_;
  bound_bytes_ = capacity;
  reserved_ = std::move(reserved);
  meter_.reserve(reserved_);
}

std::optional<GraphPlan> GraphSolver::shrink(std::int64_t capacity,
                                             std::vector<std::int64_t> reserved) {
  const TaskSequence last = best_ ? best_->sequence : gaps_.order();
  const TaskSequence& before = is_large() && !solved_.empty() ? solved_ : last;
  best_.reset();
  begin(capacity, std::move(reserved));
  work_left_ = options_.limit * work_per_unit * short_work;
  const auto most = is_large() ? few_moments : most_moments;
  if (has_cp_sat() && !moments_.empty() && std::ssize(moments_) < most) generate_moments(capacity);
  if (!is_proved()) search(start(), capacity, short_share);
  if (is_large()) improve(before, capacity, large_short_share, low_heat);
  const bool has_start = is_large() && !start_of_solved_.empty();
  if (has_start) improve(start_of_solved_, capacity, large_short_share, low_heat);
  if (!has_start) improve(before, capacity, is_large() ? large_short_share : short_share);
  if (is_large()) improve_from(last, capacity);
  return best_;
}

// A plan for less memory is one for more, and from there search ends elsewhere.
void GraphSolver::improve_from(const TaskSequence& plan, std::int64_t capacity) {
  const SequenceMeasure measure = meter_.measure(plan);
  if (measure.peak_bytes > capacity) return;
  note(plan, measure, capacity);
  improve(plan, capacity, large_short_share, low_heat);
  improve_best(capacity, large_share_from_less);
}

std::optional<GraphPlan> GraphSolver::solve(std::int64_t capacity) {
  best_.reset();
  begin(capacity, {});
  work_left_ = options_.limit * work_per_unit * solver_work_factor(graph_);
  const auto kept = replayed(replay_.make(gaps_.keep_all()), capacity);
  if (best_ || !kept) return best_;
  if (moments_.empty()) add_moments({crowds(capacity).front()});
  search(start(), capacity, first_share);
  if (has_cp_sat()) generate_moments(capacity);
  if (!is_proved() && !is_near()) search_long(capacity);
  if (best_) solved_ = best_->sequence;
  return best_;
}

void GraphSolver::search_long(std::int64_t capacity) {
  combine_blocks(capacity);
  search(gaps_.keep_all(), capacity, last_share);
  if (best_ && is_large()) return improve_best(capacity, large_share * size_factor());
  improve_best(capacity, improve_share);
  improve(gaps_.order(), capacity, improve_share);
  improve_best(capacity, improve_share);
}

}  // namespace stint

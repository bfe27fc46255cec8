#include "planner/placement/placement_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "planner/chains/chain_costs.hpp"
#include "planner/placement/relaxed_memory.hpp"
#include "planner/placement/relaxed_work.hpp"
#include "planner/solver/highs.hpp"

namespace stint {
namespace {

// Units of the horizon, joule units of what is always on in one of them, and joule units of all
// tasks where nothing is always on.
struct Fineness {
  double horizon = 4e6;
  std::int64_t watts = 1000;
  double joules = 4e9;
};
constexpr Fineness coarse;
constexpr Fineness fine{1e11, 16, 4e12};

constexpr double share_of_blocks = 1;  // of the solver's work, at most
constexpr int solves_by_price = 2;     // under a deadline, beside that for nothing
constexpr double first_share = 0.1;    // of the work, for that
constexpr double price_share = 0.6;    // of what is left, for each; the rest for the deadline
constexpr double share_without_memory = 0.5;
constexpr double memory_price_share = 0.6;  // of the rest, at a price
constexpr int most_moments = 10;            // of each memory
constexpr int least_moments = 4;            // in large graphs
constexpr int tasks_at_moments = 600;       // moments times tasks, beyond that
constexpr double largest_product = 4e6;     // tasks times tasks: moments are for smaller graphs
// HiGHS solves to the end what CP-SAT leaves open, but for a first solution it takes longer.
constexpr double wide_share = 8e-3;  // of a solution, that CP-SAT leaves open
constexpr double highs_work = 2;     // times all of the work; where that is no less than this many
constexpr double least_work_of_highs = 3;
constexpr double turns_work = 1.4;  // likewise, for turns on devices
constexpr std::size_t most_tasks_of_highs = 100;
constexpr double margin_of_highs = 2e-5;  // seconds and joules are far apart for floating point

// Long enough for every task in its slowest way, twice, and every item copied everywhere.
double everything_seconds(const PlacedGraph& graph) {
  double seconds = 0;
  for (const auto& ways : graph.ways) {
    double slowest = 0;
    for (const PlacedWay& way : ways) slowest = std::max(slowest, way.seconds);
    seconds += slowest * static_cast<double>(2 + graph.problem->platform().devices.size());
  }
  const TransferPrices prices(graph.problem->platform());
  const std::size_t memories = graph.problem->platform().memories.size();
  for (const GraphItem& item : graph.flat.items) {
    const std::int64_t bytes = graph.problem->graph().tensors[item.tensor].bytes;
    for (std::size_t from = 0; from < memories; ++from) {
      for (std::size_t to = 0; to < memories; ++to) {
        const double copy =
            prices.between(static_cast<MemoryId>(from), static_cast<MemoryId>(to), bytes).seconds;
        if (std::isfinite(copy)) seconds += copy;
      }
    }
  }
  return seconds;
}

// No plan of interest is longer: dearer than one that is known, by what is always on alone.
double horizon_seconds(const PlacedGraph& graph, std::optional<double> known) {
  const Problem& problem = *graph.problem;
  double horizon = everything_seconds(graph);
  const double watts = always_on_watts(problem.platform());
  const bool pays_time =
      problem.request().objective == Objective::energy && problem.request().bill == Bill::makespan;
  if (known && pays_time && watts > 0) horizon = std::min(horizon, *known / watts * (1 + 1e-9));
  if (known && problem.request().objective == Objective::time)
    horizon = std::min(horizon, *known * (1 + 1e-9));
  return horizon;
}

RelaxedUnits units_for(const PlacedGraph& graph, double horizon, const Fineness& fineness) {
  const Problem& problem = *graph.problem;
  RelaxedUnits units;
  units.seconds = horizon / fineness.horizon;
  units.horizon = static_cast<std::int64_t>(fineness.horizon) + 1;
  const double watts =
      problem.request().bill == Bill::makespan ? always_on_watts(problem.platform()) : 0;
  double joules = 0;
  for (const auto& ways : graph.ways) joules += ways.front().joules;
  if (watts * horizon > joules * 1e-3) {
    units.joules = watts * units.seconds / static_cast<double>(fineness.watts);
    units.per_second_unit = fineness.watts;
  } else {
    units.joules = std::max(joules, 1e-300) / fineness.joules;
    units.per_second_unit = units.joules_down(watts * units.seconds);
  }
  return units;
}

class Bounding {
 public:
  Bounding(const PlacedGraph& graph, const RelaxedUnits& units, const SearchOptions& options)
      : graph_(graph),
        units_(units),
        options_(options),
        deadline_(deadline_seconds(graph.problem->request())),
        blocks_(is_large() ? std::vector<WorkBetween>{} : joined_work(graph)),
        costs_(graph, units, blocks_, options.interrupted),
        is_short_(is_short()) {}

  // Where a memory is short, first as if it were not: that is solved far sooner, what it proves
  // holds all the more, and the price of a second that is best there is good here.
  PlacementBound solved(double work, bool only_directly) {
    counts_memory_ = is_short_ && only_directly;
    if (only_directly) return solve_for(0, deadline_, work), std::move(found_);
    solve_by_prices(is_short_ ? work * share_without_memory : work);
    if (is_for_highs(work)) return solved_by_highs(work * highs_work);
    counts_memory_ = is_short_;
    if (is_short_) solve_with_memory(best_price_, work - spent_);
    return std::move(found_);
  }

  // Within the deadline at once: prices of a second never tell as much.
  PlacementBound solved_by_highs(double work) {
    by_highs_ = true;
    counts_memory_ = is_short_;
    solve_for(0, deadline_, work);
    return std::move(found_);
  }

  // What the last solution does at once takes turns in the next.
  PlacementBound solved_in_turns(double work, const TurnsOptions& turning,
                                 const PlacementBound& before) {
    by_highs_ = true;
    counts_memory_ = is_short_;
    turns_ = before.turns;
    enough_ = turning.enough;
    if (is_for_joules()) costs_.solve_at(units_.per_second_unit + price_units(before.price), work);
    for (int round = 0; round < turning.rounds && !options_.is_interrupted(); ++round) {
      if (!solve_for(0, deadline_, work - spent_).has_solution) break;
      const std::size_t known = turns_.pairs.size() + turns_.ends.size();
      turns_.pairs.merge(found_.turns.pairs);
      turns_.ends.merge(found_.turns.ends);
      if (turns_.pairs.size() + turns_.ends.size() == known) break;
    }
    return std::move(found_);
  }

 private:
  struct Solved {
    bool has_solution = false;
    double seconds = std::numeric_limits<double>::infinity();
    double joules = 0;  // without the price of seconds beyond what is billed
  };

  // A deadline is met by a price on seconds (Lagrange): every price gives a bound, and an easier
  // problem than the deadline itself. The bound is concave in the price, and bends most where all
  // tasks of a device would go over to another state: those prices are tried first, then those
  // where the last two bounds cross.
  void solve_by_prices(double work) {
    if (!deadline_ || !is_for_joules()) {
      solve_for(0, {}, work);
      return;
    }
    Solved slow = solve_for(0, {}, work * first_share);
    if (slow.seconds <= *deadline_ * (1 + 1e-9)) return;
    std::vector<double> switching = switching_prices(graph_.problem->platform(), billed_watts());
    Solved fast;
    double price = dearest_second(graph_.problem->platform());
    for (int k = 0; k < solves_by_price && !options_.is_interrupted(); ++k) {
      const auto middle = switching.begin() + std::ssize(switching) / 2;
      const bool switches = middle != switching.end();
      if (switches) price = *middle;
      const double share = is_short_ && switching.size() <= 1 ? 1 : price_share;
      const Solved next = solve_for(price, {}, (work - spent_) * share);
      if (!next.has_solution) break;
      const bool is_late = next.seconds > *deadline_;
      (is_late ? slow : fast) = next;
      if (switches) {
        is_late ? switching.erase(switching.begin(), middle + 1)
                : switching.erase(middle, switching.end());
        if (switching.empty()) break;
      }
      if (!fast.has_solution) price *= 2;
      if (!fast.has_solution || slow.seconds <= fast.seconds) continue;
      price = (fast.joules - slow.joules) / (slow.seconds - fast.seconds);
      if (!(price > 0)) break;
    }
    if (!is_short_) solve_for(0, deadline_, work - spent_);
  }

  // At the price that was best without, and, where there is a deadline, directly.
  void solve_with_memory(double price, double work) {
    const bool has_prices = deadline_ && is_for_joules();
    const Solved first = solve_for(price, {}, has_prices ? work * memory_price_share : work);
    const bool is_in_time = first.seconds <= deadline_.value_or(first.seconds) * (1 + 1e-9);
    if (!has_prices || options_.is_interrupted() || (price == 0 && is_in_time)) return;
    solve_for(0, deadline_, work * (1 - memory_price_share));
  }

  bool is_for_highs(double work) const {
    return has_highs() && open_share_ > wide_share && work >= least_work_of_highs &&
           graph_.tasks() <= most_tasks_of_highs && !options_.is_interrupted();
  }

  double billed_watts() const {
    const Problem& problem = *graph_.problem;
    return problem.request().bill == Bill::makespan ? always_on_watts(problem.platform()) : 0;
  }

  bool is_large() const { return tasks_squared() > largest_product; }

  int moments_of_each_memory() const {
    const int affordable = tasks_at_moments / static_cast<int>(graph_.tasks() + 1);
    return std::clamp(affordable, least_moments, most_moments);
  }

  bool is_short() const {
    const std::size_t memories = graph_.problem->platform().memories.size();
    for (std::size_t m = 0; m < memories && !is_large(); ++m) {
      if (!crowded_moments(graph_, static_cast<MemoryId>(m), 1).empty()) return true;
    }
    return false;
  }

  void build(RelaxedPlacement& relaxed) {
    relaxed.build();
    counted_.clear();
    for (const WorkBetween& work : blocks_)
      relaxed.add_work_between(work.first, work.then, work.tasks);
    const std::size_t memories = graph_.problem->platform().memories.size();
    for (std::size_t m = 0; m < memories && counts_memory_; ++m) {
      const auto memory = static_cast<MemoryId>(m);
      const auto moments = crowded_moments(graph_, memory, moments_of_each_memory());
      if (!moments.empty()) counted_.push_back(add_moments(relaxed, memory, moments));
    }
    costs_.add_to(relaxed);
    add_turns_to(relaxed, turns_, deadline_ ? length_within(*deadline_) : units_.horizon);
  }

  std::int64_t length_within(double deadline) const {
    const double most = std::ceil(deadline / units_.seconds * (1 + 1e-9));
    return std::min(units_.horizon, static_cast<std::int64_t>(most));
  }
  std::int64_t price_units(double watts) const {
    return static_cast<std::int64_t>(std::llround(watts * units_.seconds / units_.joules));
  }
  // Of what is minimised.
  std::int64_t most_of_interest() const {
    if (!enough_) return INT64_MAX;
    if (!is_for_joules()) return units_.seconds_down(*enough_);
    return units_.joules_down(std::max(0.0, *enough_ - fixed_joules(*graph_.problem)));
  }

  Solved solve_for(double watts, const std::optional<double>& deadline, double work) {
    if (!(work > 0)) return {};
    const std::int64_t price = price_units(watts);
    if (is_for_joules() && !deadline)
      costs_.solve_at(units_.per_second_unit + price, work * share_of_blocks);
    RelaxedPlacement relaxed(graph_, units_);
    build(relaxed);
    const std::int64_t least = known_least(price, deadline.has_value());
    is_for_joules() ? relaxed.minimise_joules(price, least) : relaxed.minimise_seconds(least);
    if (deadline) relaxed.limit_length(length_within(*deadline));
    CpOptions solver;
    solver.work = work;
    solver.strong_relaxation = true;
    solver.most = most_of_interest();
    solver.interrupted = options_.interrupted;
    const CpAnswer answer =
        by_highs_ ? solve_by_highs(relaxed.model(), solver) : solve(relaxed.model(), solver);
    const auto value = static_cast<double>(answer.value);
    open_share_ = answer.has_solution() ? 1 - static_cast<double>(answer.bound) / value : 1;
    spent_ += answer.work;
    return note(relaxed, answer, price, deadline.has_value());
  }

  void note_price(std::int64_t price, std::int64_t least, double value) {
    least_at_[price] = std::max(least_at_[price], least);
    if (value <= best_priced_) return;
    best_priced_ = value;
    best_price_ = static_cast<double>(price) * units_.joules / units_.seconds;
  }

  // What was proved before, of the same price or, within the deadline, of any.
  std::int64_t known_least(std::int64_t price, bool within_deadline) const {
    const auto same = least_at_.find(price);
    const std::int64_t known = same == least_at_.end() ? 0 : same->second;
    if (!within_deadline || !found_.bound || !is_for_joules()) return known;
    const double joules = found_.bound->value - fixed_joules(*graph_.problem);
    return std::max(known, units_.joules_down(std::max(0.0, joules)));
  }

  Solved note(const RelaxedPlacement& relaxed, const CpAnswer& answer, std::int64_t price,
              bool is_direct) {
    const double per_second = static_cast<double>(price) * units_.joules / units_.seconds;
    const double deadline = deadline_seconds(graph_.problem->request()).value_or(0);
    if (answer.bound > 0 && answer.status != CpStatus::infeasible) {
      const double margin = by_highs_ ? margin_of_highs : 1e-12;
      const double least = static_cast<double>(answer.bound) * unit() * (1 - margin);
      const double fixed = is_for_joules() ? fixed_joules(*graph_.problem) : 0;
      const double value = least + fixed - per_second * deadline * (1 + 1e-9);
      if (!found_.bound || found_.bound->value < value) found_.bound = Bound{value, "placement"};
      if (!is_direct) note_price(price, answer.bound, value);
    }
    if (!answer.has_solution()) return {};
    found_.choices.push_back(choice_in(relaxed, answer));
    found_.turns = {};
    if (graph_.tasks() <= most_tasks_of_highs) add_missing_turns(relaxed, answer, found_.turns);
    found_.price = best_price_;
    const double seconds = static_cast<double>(answer.values[relaxed.length()]) * units_.seconds;
    return {true, seconds, static_cast<double>(answer.value) * unit() - per_second * seconds};
  }

  double tasks_squared() const {
    return static_cast<double>(graph_.tasks()) * static_cast<double>(graph_.tasks());
  }
  bool is_for_joules() const { return graph_.problem->request().objective == Objective::energy; }
  double unit() const { return is_for_joules() ? units_.joules : units_.seconds; }

  // Tasks in the order of their ends, which is one that respects what they need.
  PlacementChoice choice_in(const RelaxedPlacement& relaxed, const CpAnswer& answer) const {
    const auto end = [&](TaskId task) { return answer.values[relaxed.end(task)]; };
    std::vector<DeviceId> devices;
    std::vector<int> states;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      int chosen = 0;
      for (std::size_t w = 0; w < graph_.ways[t].size(); ++w) {
        if (answer.is_true(relaxed.way(static_cast<TaskId>(t), static_cast<int>(w))))
          chosen = static_cast<int>(w);
      }
      devices.push_back(graph_.ways[t][chosen].device);
      states.push_back(graph_.ways[t][chosen].state);
    }
    std::vector<double> ends;
    for (std::size_t t = 0; t < graph_.tasks(); ++t)
      ends.push_back(static_cast<double>(end(static_cast<TaskId>(t))));
    PlacementChoice choice = plain_choice(graph_, order_by(ends), std::move(devices));
    choice.state = states;
    for (std::size_t t = 0; t < states.size(); ++t)
      choice.device_state[choice.device[t]] = states[t];
    for (const CountedMemory& counted : counted_) take_fates(graph_, counted, answer, choice);
    return choice;
  }

  // The task that ends first, of those whose predecessors have been taken.
  TaskOrder order_by(const std::vector<double>& ends) const {
    const auto& before = graph_.problem->before;
    std::vector<double> late = ends;
    for (std::size_t t = 0; t < late.size(); ++t) {
      for (const TaskId other : before[t]) late[t] = std::max(late[t], late[other]);
    }
    TaskOrder order(late.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = static_cast<TaskId>(t);
    std::stable_sort(order.begin(), order.end(),
                     [&](TaskId a, TaskId b) { return late[a] < late[b]; });
    return order;
  }

  const PlacedGraph& graph_;
  RelaxedUnits units_;
  const SearchOptions& options_;
  std::optional<double> deadline_;
  std::vector<WorkBetween> blocks_;
  BlockCosts costs_;
  bool is_short_;
  bool counts_memory_ = false;
  bool by_highs_ = false;
  RelaxedTurns turns_;
  std::optional<double> enough_;  // of a bound
  double open_share_ = 0;         // of the last solution: by how much it may be above the least
  double spent_ = 0;              // of the solver's work, on all but blocks
  std::vector<CountedMemory> counted_;             // of the last solution
  std::map<std::int64_t, std::int64_t> least_at_;  // by price: proved
  double best_price_ = 0;                          // whose bound is the best of all prices'
  double best_priced_ = -std::numeric_limits<double>::infinity();  // that bound
  PlacementBound found_;
};

bool can_bound(const PlacedGraph& graph, double horizon) {
  const Objective objective = graph.problem->request().objective;
  const bool is_ours = objective == Objective::energy || objective == Objective::time;
  return is_ours && has_cp_sat() && horizon > 0 && std::isfinite(horizon);
}

}  // namespace

PlacementBound placement_bound(const PlacedGraph& graph, const PlacementBoundOptions& bounding,
                               const SearchOptions& options) {
  const double horizon = horizon_seconds(graph, bounding.known);
  if (!can_bound(graph, horizon)) return {};
  const RelaxedUnits units = units_for(graph, horizon, bounding.is_fine ? fine : coarse);
  Bounding relaxation(graph, units, options);
  if (bounding.by_highs) return relaxation.solved_by_highs(bounding.work);
  return relaxation.solved(bounding.work, bounding.is_fine);
}

PlacementBound placement_bound_in_turns(const PlacedGraph& graph,
                                        const PlacementBoundOptions& bounding,
                                        const TurnsOptions& turning, const PlacementBound& before,
                                        const SearchOptions& options) {
  const double horizon = horizon_seconds(graph, bounding.known);
  const bool is_ours =
      has_highs() && graph.tasks() <= most_tasks_of_highs && bounding.work >= least_work_of_highs;
  if (!is_ours || !can_bound(graph, horizon)) return {};
  Bounding relaxation(graph, units_for(graph, horizon, coarse), options);
  return relaxation.solved_in_turns(bounding.work * turns_work, turning, before);
}

}  // namespace stint

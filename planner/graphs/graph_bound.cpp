#include "planner/graphs/graph_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/block_bound.hpp"
#include "planner/graphs/common_unit.hpp"
#include "planner/graphs/free_moments.hpp"
#include "planner/graphs/state_uses.hpp"
#include "planner/makespan_bound.hpp"
#include "planner/strategy.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

// With a hundred times as many the solver has proved bounds that were 1.5 % above a plan, and 6 %
// where copies take time.
constexpr double bound_units = 1e9;
// Only where plan and bound meet but for rounding, so that a plan can be called optimal: what may
// be wrong there is less than that. Never where copies take time. Each run again is rounded, so
// larger graphs need finer units.
constexpr double fine_bound_units = 1e11;
constexpr double fine_tasks = 100;
constexpr double most_times_as_fine = 100;
constexpr double rounding = 1e-6;
constexpr double digits_of_differences = 1e-6;  // units
constexpr std::size_t strong_up_to_tasks = 2500;
constexpr std::size_t related_up_to_tasks = 5000;
constexpr double close_gap = 6e-3;       // what HiGHS proves first
constexpr double states_per_work = 4e4;  // of the searches of blocks
constexpr double first_try = 0.1;        // of these, to see which blocks tell most
constexpr int longer_tries = 2;          // of those that had too few
constexpr double close_enough = 0.01;    // to what is to be proved, where another try may tell more

// What a second of work costs beside the busy watts of its state, what the step costs however it is
// done, and what a second costs by which it is longer: together no more than the objective of any
// plan.
struct Prices {
  double watts = 0;    // per second of a task
  double seconds = 0;  // likewise, where seconds are the aim
  double joules = 1;   // weight of busy joules
  double fixed = 0;
  double longer = 0;
};

class Bounding {
 public:
  Bounding(const Problem& problem, const DeviceGraph& graph)
      : problem_(problem), graph_(graph), device_(problem.platform().devices[graph.device]) {}

  // Every run of a task takes one of the workers for its time, and the makespan is at least all
  // that over the workers; it is also at least what paths and work tell (makespan_bound.hpp). Where
  // work alone tells most, time is paid by task: that weighs fast states against frugal ones. Where
  // copies may make the step longer that tells more, or, in one state, all.
  std::vector<Prices> prices() const {
    const double work = sum(fastest_seconds()) / device_.workers;
    const bool is_work_all = work * (1 + 1e-9) >= time_bound(problem_).value;
    if (!is_work_all || (can_move() && has_one_state())) return {prices(false)};
    if (can_move()) return {prices(true), prices(false)};
    return {prices(true)};
  }

  Prices prices(bool by_work) const {
    const double workers = device_.workers;
    const double least_time = time_bound(problem_).value;
    if (problem_.request().objective == Objective::time)
      return by_work ? Prices{0, 1 / workers, 0, 0, 0} : Prices{0, 0, 0, least_time, 1};
    const double shared = device_.active_watts / workers;
    const double always = always_on_watts(problem_.platform());
    if (problem_.request().bill != Bill::makespan) return {shared, 0, 1, fixed_joules(problem_), 0};
    if (by_work) return {shared + always / workers, 0, 1, 0, 0};
    return {shared, 0, 1, always * least_time, always};
  }

  // All work takes at most workers × deadline.
  Prices with_deadline(Prices prices, double second_joules) const {
    const auto deadline = deadline_seconds(problem_.request());
    if (!deadline) return prices;
    prices.watts += second_joules / device_.workers;
    prices.fixed -= second_joules * *deadline * (1 + 1e-9);
    return prices;
  }

  std::vector<double> costs(const Prices& prices) const {
    std::vector<double> all;
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      all.push_back(least(t, [&](const PowerState& state, double seconds) {
        const double busy = busy_watts(problem_.graph().tasks[t], state);
        return (prices.joules * busy + prices.watts + prices.seconds) * seconds;
      }));
    }
    return all;
  }

  // The cheapest link out and the cheapest back, and what copies take of them.
  std::vector<MovePrice> moves(double unit, const Prices& prices) const {
    std::vector<MovePrice> all;
    if (!can_move()) return all;
    for (const GraphItem& item : graph_.items)
      all.push_back(move_price(item.tensor, !item.writers.empty(), unit, prices));
    return all;
  }

  // State that may be away, all of it. What tasks use in parts may go in parts, for less.
  std::vector<MovedState> states(double unit, const Prices& prices) const {
    std::vector<MovedState> all;
    for (StateUse& use : state_uses(problem_)) {
      MovedState state;
      state.bytes = aligned(problem_.graph().tensors[use.tensor].bytes,
                            problem_.platform().memories[graph_.memory]);
      if (!use.in_parts) state.price = move_price(use.tensor, !use.updaters.empty(), unit, prices);
      if (!use.updaters.empty()) state.updater = use.updaters.back();
      state.users = std::move(use.users);
      all.push_back(std::move(state));
    }
    return all;
  }

  // Where one link leads out and one back.
  std::optional<LinkTime> link_time(double unit, const Prices& prices) const {
    const Ways ways = this->ways();
    if (prices.longer == 0 || ways.out.size() != 1 || ways.back.size() != 1) return std::nullopt;
    const std::string& channel = ways.out.front()->channel;
    LinkTime time;
    time.is_one_channel = !channel.empty() && channel == ways.back.front()->channel;
    time.price = rounded_down(prices.longer * time_bound(problem_).value / unit) + 2;
    const auto priced = [&](double seconds) {
      return rounded_down(prices.longer * seconds / unit);
    };
    const std::vector<double> seconds = fastest_seconds();
    const Spans spans = this->spans(seconds);
    for (std::size_t t = 0; t < seconds.size(); ++t) {
      time.begin.push_back(priced(spans.before[t]));
      time.end.push_back(priced(spans.before[t] + seconds[t]));
      time.rest.push_back(priced(spans.rest[t]));
    }
    return time;
  }

  bool can_move() const {
    const Ways ways = this->ways();
    return problem_.request().offload && !ways.out.empty() && !ways.back.empty();
  }
  bool has_one_state() const { return choosable_states(device_) == 1; }

  // Everything once is so many units, or, where that is more, a plan that is known: where copies
  // cost a thousand times what tasks do, so do the numbers that the solver sees, otherwise.
  double unit(const Prices& prices, const std::vector<double>& costs, double known,
              double units) const {
    const double once = sum(costs) + prices.longer * sum(fastest_seconds()) / device_.workers;
    const double all = std::max(once, known - prices.fixed);
    if (const auto counted = counted_unit(prices, costs)) return *counted;
    return all > 0 ? all / units : 1;
  }
  // Where tasks are all that costs, and all are multiples of one amount: nothing is rounded then.
  std::optional<double> counted_unit(const Prices& prices, const std::vector<double>& costs) const {
    if (prices.longer != 0 || can_move()) return std::nullopt;
    return common_unit(costs, bound_units);
  }

  static std::vector<std::int64_t> whole(const std::vector<double>& costs, double unit) {
    std::vector<std::int64_t> all;
    for (const double cost : costs) all.push_back(rounded_down(cost / unit));
    return all;
  }

  std::vector<std::int64_t> time_costs(double unit, const Prices& prices) const {
    std::vector<std::int64_t> all;
    for (const double seconds : fastest_seconds())
      all.push_back(rounded_down(prices.longer * seconds / device_.workers / unit));
    return all;
  }

  // Of all work, and of the work from every moment on that is a waist: what is in a later interval
  // begins no earlier.
  std::vector<SpareTime> spare_times(double unit, const Prices& prices,
                                     const std::vector<TaskId>& moments) const {
    if (prices.longer == 0) return {};
    const std::vector<double> seconds = fastest_seconds();
    const double workers = device_.workers;
    const MakespanBound bound = makespan_bound(problem_.needs, seconds, workers);
    const double least_time = time_bound(problem_).value;
    const auto spare = [&](double begin, std::size_t first) {
      const double work =
          std::accumulate(seconds.begin() + static_cast<std::ptrdiff_t>(first), seconds.end(), 0.0);
      const double left = std::max(least_time - begin - work / workers, 0.0);
      return rounded_down(prices.longer * left / unit) + 2;
    };
    std::vector<SpareTime> all{{0, spare(0, 0)}};
    for (const Waist& waist : bound.waists) {
      const auto moment = std::find(moments.begin(), moments.end(), waist.task);
      if (moment == moments.end()) continue;
      all.push_back(
          {static_cast<int>(moment - moments.begin()) + 1, spare(waist.begin, waist.task)});
    }
    return all;
  }

  static std::int64_t rounded_down(double value) {
    return whole_part(std::clamp(value, -1e15, 1e15));
  }

  // State may be elsewhere where there is an elsewhere.
  std::int64_t capacity(bool isolated) const {
    return graph_.capacity_bytes + (isolated ? 0 : graph_.state_bytes);
  }

 private:
  struct Ways {
    std::vector<const Link*> out;
    std::vector<const Link*> back;
  };
  Ways ways() const {
    Ways ways;
    for (const Link& link : problem_.platform().links) {
      if (link.from == graph_.memory) ways.out.push_back(&link);
      if (link.to == graph_.memory) ways.back.push_back(&link);
    }
    return ways;
  }
  // Of a whole tensor; nothing is written to a slower memory that is there already.
  MovePrice move_price(TensorId tensor, bool goes_out, double unit, const Prices& prices) const {
    const std::int64_t bytes = problem_.graph().tensors[tensor].bytes;
    const auto least_of = [&](const std::vector<const Link*>& links, auto price) {
      double best = std::numeric_limits<double>::infinity();
      for (const Link* link : links) best = std::min(best, price(*link));
      return rounded_down(best / unit);
    };
    const auto joules = [&](const Link& link) {
      const double per_byte = link.joules_per_byte + link.active_watts / link.bytes_per_second;
      return prices.joules * per_byte * static_cast<double>(bytes);
    };
    const auto time = [&](const Link& link) { return prices.longer * copy_seconds(link, bytes); };
    const Ways all = ways();
    MovePrice price{0, least_of(all.back, joules), 0, least_of(all.back, time)};
    if (goes_out) price.out = least_of(all.out, joules), price.out_time = least_of(all.out, time);
    return price;
  }

  template <typename Cost>
  double least(std::size_t task, Cost cost) const {
    double best = std::numeric_limits<double>::infinity();
    for (int s = 0; s < choosable_states(device_); ++s) {
      const PowerState& state = device_.states[s];
      best = std::min(best, cost(state, problem_.seconds[graph_.device][task] / state.speed));
    }
    return best;
  }
  std::vector<double> fastest_seconds() const {
    std::vector<double> all;
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t)
      all.push_back(least(t, [](const PowerState&, double seconds) { return seconds; }));
    return all;
  }
  // By task, at least: the seconds before it first begins, and from there to the end of the step.
  // The longest way, or all that comes before or after, shared by the workers.
  struct Spans {
    std::vector<double> before;
    std::vector<double> rest;
  };
  Spans spans(const std::vector<double>& seconds) const {
    const std::size_t tasks = seconds.size();
    Spans spans{std::vector<double>(tasks, 0), std::vector<double>(tasks, 0)};
    std::vector<double> work_after = spans.rest;
    if (tasks <= related_up_to_tasks) {
      const auto reaches = reachability(problem_.needs);
      for (std::size_t a = 0; a < tasks; ++a) {
        for (std::size_t b = a + 1; b < tasks; ++b) {
          if (!reaches[a][b]) continue;
          spans.before[b] += seconds[a] / device_.workers;
          work_after[a] += seconds[b] / device_.workers;
        }
      }
    }
    for (std::size_t t = 0; t < tasks; ++t) {
      for (const TaskId other : problem_.needs[t])
        spans.before[t] = std::max(spans.before[t], spans.before[other] + seconds[other]);
    }
    for (std::size_t t = tasks; t-- > 0;) {
      spans.rest[t] = seconds[t] + std::max(spans.rest[t], work_after[t]);
      for (const TaskId other : problem_.needs[t])
        spans.rest[other] = std::max(spans.rest[other], spans.rest[t]);
    }
    return spans;
  }
  static double sum(const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const Device& device_;
};

struct MomentBound {
  Bound bound;
  bool is_rounded = false;
  TaskSequence sequence;
};

// The step as the solvers see it, in units.
struct WholeStep {
  MomentProblem master;
  double unit = 1;
  double once = 0;  // what every task costs once
  std::int64_t enough = INT64_MAX;
};

WholeStep whole_step(const Prices& prices, const Bounding& bounding, const DeviceGraph& graph,
                     const GraphBoundOptions& options, double units) {
  const std::vector<double> costs = bounding.costs(prices);
  WholeStep step;
  step.unit = bounding.unit(prices, costs, options.enough, units);
  step.once = std::accumulate(costs.begin(), costs.end(), 0.0);
  step.master.graph = &graph;
  step.master.costs = Bounding::whole(costs, step.unit);
  step.master.moves = bounding.moves(step.unit, prices);
  if (bounding.can_move()) {
    step.master.states = bounding.states(step.unit, prices);
    step.master.link_time = bounding.link_time(step.unit, prices);
  }
  step.master.capacity_bytes = bounding.capacity(step.master.moves.empty());
  step.master.time_costs = bounding.time_costs(step.unit, prices);
  step.master.is_bound = true;
  // What is asked for decides no proof, and the difference of two sums lacks some digits.
  if (options.enough > 0)
    step.enough = Bounding::rounded_down((options.enough - prices.fixed - step.once) / step.unit +
                                         digits_of_differences);
  return step;
}

Bound bound_of(const WholeStep& step, const Prices& prices, std::int64_t again, const char* by) {
  const double cost = static_cast<double>(std::max<std::int64_t>(again, 0)) * step.unit;
  return {(step.once + cost) * (1 - 1e-12) + prices.fixed, by};
}

std::optional<MomentBound> bound_at(const Prices& prices, const Bounding& bounding,
                                    const Problem& problem, const DeviceGraph& graph,
                                    const GraphBoundOptions& options, double units = bound_units) {
  const WholeStep step = whole_step(prices, bounding, graph, options, units);
  FreeMomentOptions how;
  how.moments = options.moments;
  how.order = options.order;
  how.enough = step.enough;
  how.by_highs = options.by_highs;
  how.close = Bounding::rounded_down(options.enough * close_gap / step.unit);
  how.spare_times = [&](const std::vector<TaskId>& moments) {
    return bounding.spare_times(step.unit, prices, moments);
  };
  how.solver.work = options.work;
  how.solver.strong_relaxation = graph.tasks.size() <= strong_up_to_tasks;
  how.solver.interrupted = options.interrupted;
  FreeMoments found = generate_free_moments(problem, step.master, how);
  if (found.is_infeasible) return std::nullopt;
  // What is moved, or state that is elsewhere, no sequence of tasks tells.
  if (!step.master.moves.empty()) found.sequence.clear();
  return MomentBound{bound_of(step, prices, found.bound, "moments"), found.is_rounded,
                     std::move(found.sequence)};
}

double fine_units(const DeviceGraph& graph) {
  const double size = static_cast<double>(graph.tasks.size()) / fine_tasks;
  return fine_bound_units * std::clamp(size, 1.0, most_times_as_fine);
}

std::optional<BoundByMoments> finest_bound_at(const Prices& prices, const Bounding& bounding,
                                              const Problem& problem, const DeviceGraph& graph,
                                              const GraphBoundOptions& options) {
  const bool has_copies_in_time = prices.longer > 0 && bounding.can_move();
  const bool is_refined = !has_copies_in_time && !options.by_highs &&
                          !bounding.counted_unit(prices, bounding.costs(prices));
  GraphBoundOptions first = options;
  if (is_refined) first.enough *= 1 - rounding / 2;  // the rest is for finer units
  auto coarse = bound_at(prices, bounding, problem, graph, first);
  if (!coarse) return std::nullopt;
  BoundByMoments found{coarse->bound, std::move(coarse->sequence)};
  const double missing = options.enough - found.bound.value;
  const bool is_near = missing > 0 && missing <= options.enough * rounding;
  if (!is_refined || coarse->is_rounded || !is_near) return found;
  auto fine = bound_at(prices, bounding, problem, graph, options, fine_units(graph));
  const bool is_right = fine && fine->bound.value <= options.enough * (1 + 1e-9);
  if (is_right && fine->bound.value > found.bound.value) found.bound = fine->bound;
  if (fine && !fine->sequence.empty()) found.sequence = std::move(fine->sequence);
  return found;
}

bool is_for_bounds(const Problem& problem) {
  const Objective objective = problem.request().objective;
  return problem.platform().devices.size() == 1 &&
         (objective == Objective::energy || objective == Objective::time);
}

struct TriedShape {
  RowShape shape;
  BlockRow row;
  BlockBound bound;
};
bool is_better(const TriedShape& a, const TriedShape& b) { return a.bound.cost > b.bound.cost; }

}  // namespace

std::optional<BoundByMoments> graph_bound(const Problem& problem, const DeviceGraph& graph,
                                          const GraphBoundOptions& options) {
  if (!is_for_bounds(problem) || !has_cp_sat() || options.moments.empty()) return std::nullopt;
  const Bounding bounding(problem, graph);
  std::optional<BoundByMoments> best;
  for (const Prices& prices : bounding.prices()) {
    const bool is_enough = best && best->bound.value >= options.enough * (1 - close_enough);
    if (is_enough) break;
    auto found = finest_bound_at(bounding.with_deadline(prices, options.second_joules), bounding,
                                 problem, graph, options);
    if (found && (!best || best->bound.value < found->bound.value)) best = std::move(found);
  }
  return best;
}

std::optional<BoundByBlocks> graph_bound_by_blocks(const Problem& problem, const DeviceGraph& graph,
                                                   const TaskChain& chain,
                                                   const GraphBoundOptions& options) {
  const Bounding bounding(problem, graph);
  const auto all_prices = bounding.prices();
  const Prices prices = bounding.with_deadline(all_prices.front(), options.second_joules);
  const bool is_ours = is_for_bounds(problem) && !bounding.can_move() && prices.longer == 0;
  if (!is_ours) return std::nullopt;
  const WholeStep step = whole_step(prices, bounding, graph, options, bound_units);
  BlockBoundOptions how;
  how.capacity_bytes = step.master.capacity_bytes;
  how.enough = step.enough;
  how.most_states = static_cast<std::int64_t>(options.work * states_per_work);
  how.interrupted = options.interrupted;
  std::vector<TriedShape> shapes;
  for (const RowShape& shape : row_shapes) {
    TriedShape tried{shape, block_row(problem, graph, chain, step.master.costs, shape), {}};
    BlockBoundOptions within = how;
    within.most_states =
        static_cast<std::int64_t>(static_cast<double>(how.most_states) * first_try);
    tried.bound = block_bound(tried.row, within);
    shapes.push_back(std::move(tried));
  }
  std::stable_sort(shapes.begin(), shapes.end(), is_better);
  int tries = 0;
  for (TriedShape& tried : shapes)
    if (!tried.bound.is_over && tries++ < longer_tries) tried.bound = block_bound(tried.row, how);
  std::stable_sort(shapes.begin(), shapes.end(), is_better);
  if (shapes.front().bound.cost == 0) return std::nullopt;
  return BoundByBlocks{bound_of(step, prices, shapes.front().bound.cost, "blocks"),
                       shapes.front().shape};
}

}  // namespace stint

#include "planner/graphs/device_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/accept.hpp"
#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/address_cuts.hpp"
#include "planner/graphs/beside_search.hpp"
#include "planner/graphs/graph_bound.hpp"
#include "planner/graphs/graph_draft.hpp"
#include "planner/graphs/graph_moves.hpp"
#include "planner/graphs/graph_solver.hpp"
#include "planner/graphs/side_by_side.hpp"
#include "planner/graphs/state_away.hpp"
#include "planner/power/schedule_power.hpp"

namespace stint {
namespace {

constexpr double bound_work_per_unit = 0.45;
constexpr double more_bound_work = 2;  // times as much, where the gap is wide
constexpr double wide_gap = 8e-3;
constexpr double room_shares[] = {0.94, 0.86, 0.76};    // of the memory, for plans that leave room
constexpr double hidden_shares[] = {0.95, 0.5};         // of the time of moves
constexpr double move_shares[] = {1, 0.9, 0.78, 0.64};  // of the memory, for plans with moves
constexpr double state_hidden_share = 0.5;              // of the time of copies of state
constexpr double near_bound = 1e-4;                     // good enough to stop
constexpr double close_bound = 1e-3;                    // the same in large graphs
constexpr double close_plan = 3e-3;                     // where more tries are not worth their time
constexpr int attempts = 8;                             // at fitting addresses into the memory
constexpr std::int64_t smallest_part = 500;             // of the memory, to do without
constexpr int cut_rounds = 8;                           // before that, with less only in places
constexpr int most_places = 12;                         // of a stretch, each tried alone
constexpr std::size_t each_up_to_tasks = 300;           // in graphs of this size
constexpr double cut_share = 0.1;                       // of the limit, for finding each place
constexpr int most_prices = 4;                          // of a second, tried for a deadline
constexpr double price_share = 0.5;                     // of the limit, for each of them
constexpr double states_limit = 0.5;                    // for states on the order of a plan
constexpr double runs_priced_per_unit = 20000;          // by search beside, of all sequences
constexpr int most_priced = 4000;                       // sequences
constexpr int beside_rounds = 2;

class OnDevice {
 public:
  // `at_home` is the same graph with all state in the device's memory.
  OnDevice(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
           const DeviceGraph& at_home, double limit, Answer& answer)
      : problem_(problem),
        options_(options),
        graph_(graph),
        at_home_(at_home),
        limit_(limit),
        answer_(answer),
        scratch_(problem.blank) {
    if (!graph.away_state.empty()) state_place_ = place_for_moves(problem, graph);
  }

  void plan() {
    const ChainAim aim =
        problem_.request().objective == Objective::time ? ChainAim{0, 1} : ChainAim{1, 0};
    attempt(aim);
    if (problem_.request().objective == Objective::energy) meet_deadline();
  }

 private:
  const Device& device() const { return problem_.platform().devices[graph_.device]; }

  std::vector<double> costs(const ChainAim& aim, const std::vector<int>& states) const {
    std::vector<double> all;
    for (std::size_t t = 0; t < states.size(); ++t)
      all.push_back(task_cost(problem_, graph_.device, static_cast<TaskId>(t), states[t], aim));
    if (!state_place_) return all;
    return with_copies(problem_, graph_, *state_place_, aim, state_hidden_share, std::move(all));
  }

  std::vector<TaskOrder> orders() const {
    std::vector<TaskOrder> all = memory_orders(problem_);
    for (TaskOrder& order : all) order = with_state_copies(graph_, order);
    return all;
  }

  // Tasks side by side then all run in one state.
  bool shares_its_state() const {
    return device().state_scope == StateScope::device && device().workers > 1;
  }

  std::vector<int> cheapest_states(const ChainAim& aim) const {
    std::vector<int> best;
    double least = 0;
    for (const int choice : state_choices(device())) {
      if (choice == each_its_best && shares_its_state()) continue;
      const auto states = task_states(problem_, graph_.device, choice, aim);
      const auto each = costs(aim, states);
      const double sum = std::accumulate(each.begin(), each.end(), 0.0);
      if (best.empty() || sum < least) best = states, least = sum;
    }
    return best;
  }

  // Where the cheapest plan is late, seconds get a price: what one is worth on the order of the
  // plan before, until that does not change any more. Where it is in time the fastest plan is tried
  // all the same: what an earlier deadline would have found must not be missed.
  void meet_deadline() {
    if (!deadline_seconds(problem_.request())) return;
    std::vector<double> tried{0};
    for (int i = 0; i < most_prices && last_ && !options_.is_interrupted(); ++i) {
      const double price = worth_of_a_second(problem_, *last_);
      const auto is_near = [&](double other) {
        return price == other || std::abs(price - other) <= 1e-6 * price;
      };
      if (std::any_of(tried.begin(), tried.end(), is_near)) break;
      tried.push_back(price);
      last_.reset();
      limit_ *= i == 0 ? price_share : 1;
      attempt(std::isfinite(price) ? ChainAim{1, price} : ChainAim{0, 1});
    }
    if (tried.size() > 1 || is_good() || options_.is_interrupted()) return;
    limit_ *= price_share;
    attempt({0, 1});
  }

  void attempt(const ChainAim& aim) {
    if (largest_task_bytes(graph_) > graph_.capacity_bytes) return;
    const std::vector<int> states = cheapest_states(aim);
    GraphSolverOptions options;
    options.limit = limit_;
    options.seed = static_cast<std::uint64_t>(problem_.request().seed);
    options.interrupted = options_.interrupted;
    const Recognised recognised = recognise_chain(problem_.graph(), problem_.before);
    if (recognised.chain && !state_place_) options.chain = &*recognised.chain;
    if (!state_place_) options.before = &problem_.before;
    GraphSolver solver(graph_, costs(aim, states), orders(), options);
    const auto plan = solver.solve(graph_.capacity_bytes);
    int workers = device().workers;
    while (plan && workers > 1 && !fit(solver, *plan, states, workers)) workers /= 2;
    if (plan && workers == 1) fit(solver, *plan, states, 1);
    if (!fits_whole(graph_, device().workers)) {
      if (!is_good()) move_items(solver, aim, states);
      if (plan && workers > 1 && !is_moving() && !is_good()) leave_room(solver, states, workers);
      if (!is_good()) improve_beside();
    }
    if (!plan) return;
    const double second_joules = aim.joules > 0 ? aim.seconds : 0;
    claim(solver, second_joules, 1);
    const bool is_other = device().workers > 1 || is_moving() || state_place_;
    if (is_other || gap() <= close_plan || options_.is_interrupted()) return;
    search_freely(solver, *plan, states);
    if (answer_.schedule && gap() > wide_gap) claim(solver, second_joules, more_bound_work);
  }

  bool is_moving() const {
    return answer_.schedule && answer_.schedule->predicted.copied_bytes > 0;
  }

  // Of the best plan so far, of its value.
  double gap() const {
    if (!answer_.schedule) return 1;
    const double value = answer_.schedule->predicted.objective.value;
    double least = objective_bound(problem_).value;
    if (answer_.bound) least = std::max(least, answer_.bound->value);
    return value > 0 ? 1 - least / value : 0;
  }

  bool is_good() const { return is_close_to_best(problem_, answer_); }

  // Items may also leave the memory and come back; cheap if nobody has to wait for that.
  void move_items(GraphSolver& solver, const ChainAim& aim, const std::vector<int>& states) {
    const auto place = place_for_moves(problem_, graph_);
    if (!place) return;
    const DeviceGraph moving = with_moves(graph_);
    for (const double hidden : hidden_shares) {
      for (const double share : move_shares) {
        const auto bytes = static_cast<double>(graph_.capacity_bytes) * share;
        const auto capacity = static_cast<std::int64_t>(bytes);
        const auto prices = with_copies(problem_, moving, *place, aim, hidden, costs(aim, states));
        const auto plan = solver.solve_moving(moving, prices, capacity);
        if (!plan || options_.is_interrupted() || is_good()) break;
        const TaskSequence sequence =
            with_early_fetches(problem_, moving, *place, plan->sequence, graph_.capacity_bytes);
        const GraphCrew crew{device().workers, states, graph_.capacity_bytes, place};
        moving_ = moving;
        consider(finished(*moving_, sequence, crew));
      }
    }
  }

  GraphCrew crew_of(int workers, const std::vector<int>& states, std::int64_t capacity) const {
    return {workers, states, capacity, state_place_};
  }

  // In the order of the sequence, or in that in which several workers would begin its steps.
  Schedule finished(const DeviceGraph& graph, TaskSequence sequence, const GraphCrew& crew) {
    if (state_place_)
      sequence = with_early_fetches(problem_, graph, *state_place_, sequence, crew.capacity_bytes);
    Draft draft = graph_draft(problem_, graph, sequence, crew);
    if (crew.workers > 1 || crew.place) {
      const TaskSequence other = side_by_side(problem_, graph, sequence, crew);
      Draft beside = graph_draft(problem_, graph, other, crew);
      const auto cost = cost_of(problem_, draft, scratch_);
      const auto cost_beside = cost_of(problem_, beside, scratch_);
      if (cost && cost_beside && cost_beside->seconds < cost->seconds) {
        drafted_ = {&graph, other, crew};
        return finish(problem_, beside, "graph");
      }
    }
    drafted_ = {&graph, sequence, crew};
    return finish(problem_, draft, "graph");
  }

  // What runs side by side, and copies, are priced by the simulator: from the best plan so far.
  void improve_beside() {
    for (int round = 0; round < beside_rounds && best_drafted_.graph && !is_good(); ++round) {
      const Drafted from = best_drafted_;
      if (from.crew.workers == 1 && !from.crew.place) return;
      const double runs = runs_priced_per_unit * limit_;
      const double sequences = runs / static_cast<double>(from.sequence.size());
      BesideSearchOptions how;
      how.sequences = static_cast<int>(std::min<double>(most_priced, sequences));
      how.seed = static_cast<std::uint64_t>(problem_.request().seed + round);
      how.good_enough = objective_bound(problem_).value * (1 + near_bound);
      how.interrupted = options_.interrupted;
      const auto found = search_beside(problem_, *from.graph, from.crew, from.sequence, how);
      for (const TaskSequence& sequence : found) {
        drafted_ = {from.graph, sequence, from.crew};
        const Draft draft = graph_draft(problem_, *from.graph, sequence, from.crew);
        if (consider(finish(problem_, draft, "graph"))) break;
      }
    }
  }

  // A plan that takes less leaves room for more to run side by side.
  void leave_room(GraphSolver& solver, const std::vector<int>& states, int workers) {
    for (const double share : room_shares) {
      if (options_.is_interrupted() || is_good()) return;
      const auto capacity = static_cast<double>(graph_.capacity_bytes) * share;
      const auto plan = solver.shrink(static_cast<std::int64_t>(capacity));
      if (!plan) return;
      fit(solver, *plan, states, workers);
    }
  }

  // In large graphs a little less memory costs little, and finding out where it is wasted takes
  // long.
  bool fit(GraphSolver& solver, const GraphPlan& plan, const std::vector<int>& states,
           int workers) {
    const bool is_small = graph_.tasks.size() <= each_up_to_tasks;
    if (is_small && fit_with_cuts(solver, plan, states, workers)) return true;
    const bool fits = fit_with_less(solver, plan, states, workers);
    if (is_small || is_close(plan)) return fits;
    return fit_with_cuts(solver, plan, states, workers) || fits;
  }

  // Local search in any order: first without addresses, if only to better a plan; then for what has
  // some, from there and from the best that has.
  void search_freely(GraphSolver& solver, const GraphPlan& plan, const std::vector<int>& states) {
    const GraphCrew crew = crew_of(1, states, graph_.capacity_bytes);
    std::optional<GraphPlan> better;
    if (answer_.schedule) better = solver.solve_in_any_order(plan.sequence, crew.capacity_bytes);
    const GraphPlan& start = better ? *better : plan;
    if (better) consider(finished(graph_, better->sequence, crew));
    if (is_close(start)) return;
    std::vector<TaskSequence> starts{start.sequence};
    if (best_drafted_.graph == &graph_) starts.push_back(best_drafted_.sequence);
    for (const TaskSequence& each : starts) {
      if (options_.is_interrupted()) return;
      for (const GraphPlan& found : solver.solve_with_addresses(each, crew.capacity_bytes)) {
        if (consider(finished(graph_, found.sequence, crew))) break;
      }
      if (is_close(start)) return;
    }
  }

  // Addresses cost hardly anything above the plan without them.
  bool is_close(const GraphPlan& plan) const {
    return answer_.schedule &&
           answer_.schedule->predicted.objective.value <= plan.measure.cost * (1 + close_plan);
  }

  // Where addresses waste bytes, it is solved for less in the stretches in which they do.
  bool fit_with_cuts(GraphSolver& solver, GraphPlan plan, const std::vector<int>& states,
                     int workers) {
    const AddressCutOptions how{limit_ * cut_share, options_.interrupted};
    std::vector<std::int64_t> reserved(graph_.tasks.size(), 0);
    for (int round = 0; round < cut_rounds && !options_.is_interrupted(); ++round) {
      const GraphCrew crew = crew_of(workers, states, graph_.capacity_bytes);
      if (consider(finished(graph_, plan.sequence, crew))) return true;
      const auto cuts = address_cuts(graph_, plan.sequence, how);
      const bool is_small = graph_.tasks.size() <= each_up_to_tasks;
      if (round == 0 && is_small && fit_with_each(solver, cuts, crew)) return true;
      for (const AddressCut& cut : cuts) apply(cut, (1 << round) - 1, reserved);
      const auto other =
          cuts.empty() ? std::nullopt : solver.shrink(graph_.capacity_bytes, reserved);
      if (!other) return false;
      plan = *other;
    }
    return false;
  }

  // One moment with room may be enough, and which is cheapest nobody knows.
  bool fit_with_each(GraphSolver& solver, const std::vector<AddressCut>& cuts,
                     const GraphCrew& crew) {
    bool fits = false;
    for (const AddressCut& cut : cuts) {
      const int stride = 1 + (cut.end - cut.begin - 1) / most_places;
      for (int p = cut.begin; p < cut.end && !options_.is_interrupted(); p += stride) {
        std::vector<std::int64_t> reserved(graph_.tasks.size(), 0);
        reserved[p] = cut.reserved_bytes;
        const auto plan = solver.shrink(graph_.capacity_bytes, reserved);
        fits = (plan && consider(finished(graph_, plan->sequence, crew))) || fits;
      }
    }
    return fits;
  }

  // At first only in the middle of the stretch: it may be enough that one moment has room.
  static void apply(const AddressCut& cut, int reach, std::vector<std::int64_t>& reserved) {
    const int end = std::min(cut.end, cut.middle + reach + 1);
    for (int p = std::max(cut.begin, cut.middle - reach); p < end; ++p)
      reserved[p] = std::max(reserved[p], cut.reserved_bytes);
  }

  // Where addresses or workers side by side take more than there is, it is solved for less: by what
  // was too much, and each time by twice as much.
  bool fit_with_less(GraphSolver& solver, GraphPlan plan, const std::vector<int>& states,
                     int workers) {
    std::int64_t capacity = graph_.capacity_bytes;
    for (int tried = 0; tried < attempts; ++tried) {
      const GraphCrew crew = crew_of(workers, states, capacity);
      Schedule schedule = finished(graph_, plan.sequence, crew);
      const std::int64_t arena = schedule.arenas[memory_name(problem_.platform(), graph_.memory)];
      if (consider(std::move(schedule))) return true;
      std::int64_t excess = arena - problem_.capacity_bytes[graph_.memory];
      if (excess <= 0 || options_.is_interrupted()) return false;
      excess = std::max(excess, graph_.capacity_bytes / smallest_part);
      capacity -= std::min(excess, capacity >> tried) << tried;
      const auto smaller = solver.shrink(capacity);
      if (!smaller) return false;
      plan = *smaller;
    }
    return false;
  }

  void claim(const GraphSolver& solver, double second_joules, double share) {
    GraphBoundOptions how;
    how.moments = solver.moments();
    how.order = solver.order();
    const auto is_copy = [&](TaskId task) { return graph_.is_copy(task); };
    std::erase_if(how.moments, is_copy);
    std::erase_if(how.order, is_copy);
    how.work = limit_ * bound_work_per_unit * share;
    how.second_joules = second_joules;
    how.interrupted = options_.interrupted;
    const bool is_small = graph_.tasks.size() <= each_up_to_tasks;
    if (answer_.schedule)
      how.enough = answer_.schedule->predicted.objective.value * (1 - (is_small ? 0 : close_bound));
    const auto bound = graph_bound(problem_, at_home_, how);
    if (bound && (!answer_.bound || answer_.bound->value < bound->value)) answer_.bound = bound;
  }

  // Under a deadline with the best states on its order.
  bool consider(Schedule schedule) {
    if (deadline_seconds(problem_.request())) {
      auto better = with_better_states(problem_, schedule, states_limit);
      if (better) schedule = std::move(*better);
      const double value = schedule.predicted.objective.value;
      if (!last_ || value < last_->predicted.objective.value) last_ = schedule;
    }
    if (!accept(problem_, schedule, answer_)) return false;
    if (keep_if_better(std::move(schedule), options_, answer_)) best_drafted_ = drafted_;
    return true;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const DeviceGraph& graph_;
  const DeviceGraph& at_home_;
  std::optional<SlowPlace> state_place_;  // where state lives that is away, if there is any
  double limit_;
  Answer& answer_;
  Schedule scratch_;
  // What the schedule under consideration was made of, and the best one.
  struct Drafted {
    const DeviceGraph* graph = nullptr;
    TaskSequence sequence;
    GraphCrew crew;
  };
  Drafted drafted_;
  Drafted best_drafted_;
  std::optional<DeviceGraph> moving_;  // the graph with moves
  std::optional<Schedule> last_;       // the best for the present price of a second, also if late
};

}  // namespace

bool fits_whole(const DeviceGraph& graph, int workers) {
  std::int64_t bytes = 0;
  std::int64_t workspace = 0;
  for (const GraphItem& item : graph.items) bytes += item.bytes;
  for (const GraphTask& task : graph.tasks) workspace = std::max(workspace, task.workspace_bytes);
  return bytes <= graph.capacity_bytes &&
         workspace <= (graph.capacity_bytes - bytes) / std::max(workers, 1);
}

bool is_close_to_best(const Problem& problem, const Answer& answer) {
  if (!answer.schedule) return false;
  double least = objective_bound(problem).value;
  if (answer.bound) least = std::max(least, answer.bound->value);
  return answer.schedule->predicted.objective.value <= least * (1 + near_bound);
}

void plan_on_device(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
                    const DeviceGraph& at_home, double limit, Answer& answer) {
  OnDevice(problem, options, graph, at_home, limit, answer).plan();
}

}  // namespace stint

#include "planner/graphs/device_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/bounds.hpp"
#include "planner/chains/chain_costs.hpp"
#include "planner/graphs/address_fit.hpp"
#include "planner/graphs/beside_search.hpp"
#include "planner/graphs/block_sequence.hpp"
#include "planner/graphs/graph_bound.hpp"
#include "planner/graphs/graph_moves.hpp"
#include "planner/graphs/graph_solver.hpp"
#include "planner/graphs/lowest_peak_order.hpp"
#include "planner/graphs/state_away.hpp"
#include "planner/power/schedule_power.hpp"
#include "planner/solver/highs.hpp"

namespace stint {
namespace {

constexpr double bound_work_per_unit = 0.45;
constexpr double first_bound_work = 0.4;  // times as much, in large graphs at first
constexpr double more_bound_work = 2;     // times as much, where the gap is wide
constexpr double highs_bound_work = 3;    // the same by HiGHS
constexpr double wide_gap = 8e-3;
constexpr double widest_for_highs = 0.04;  // it does not close wider ones, and takes longer
constexpr std::size_t highs_up_to_tasks = 2000;
constexpr std::size_t more_up_to_tasks = 1000;          // beyond, work takes longer than it counts
constexpr double room_shares[] = {0.94, 0.86, 0.76};    // of the memory, for plans that leave room
constexpr double hidden_shares[] = {0.95, 0.5};         // of the time of moves
constexpr double move_shares[] = {1, 0.9, 0.78, 0.64};  // of the memory, for plans with moves
constexpr double state_hidden_share = 0.5;              // of the time of copies of state
constexpr std::size_t exact_up_to_tasks = 300;
constexpr std::size_t warm_up_to_tasks = 60;
constexpr double close_bound = 1e-3;  // in larger graphs: good enough
constexpr double proof_tolerance = 1e-9;
constexpr std::size_t proved_up_to_tasks = 400;  // to the end, also if the plan may not be the best
constexpr int most_followed = 3;        // solutions of the bound that are plans, each better
constexpr double best_in_order = 1e-5;  // above what is proved there
constexpr int most_prices = 4;          // of a second, tried for a deadline
constexpr double price_share = 0.5;     // of the limit, for each of them
constexpr double runs_priced_per_unit = 20000;  // by search beside, of all sequences
constexpr int most_priced = 4000;               // sequences
constexpr double cold = 5e-3;                   // of what a plan costs, where search beside begins
// Of a small graph: one task is more of its cost, so plans that are far apart are reached only
// warm.
constexpr double warm_tasks[] = {0, 0, 0.3, 0.3, 1, 0};  // by round: of a task's mean cost
constexpr int rounds_of_large = 2;
constexpr double block_states_per_unit = 2e4;          // of searches of blocks
constexpr double block_shares[] = {0.98, 0.96, 0.94};  // of the memory, for plans by blocks
constexpr int tries_by_blocks = 2;
constexpr double far_gap = 0.01;  // from what blocks prove: large graphs begin from them then

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
        drafts_(problem, options, graph, answer) {}

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
    const auto& place = drafts_.state_place();
    if (!place) return all;
    return with_copies(problem_, graph_, *place, aim, state_hidden_share, std::move(all));
  }

  std::vector<TaskOrder> orders() const {
    std::vector<TaskOrder> all = memory_orders(problem_);
    for (TaskOrder& order : all) order = with_state_copies(graph_, order);
    return all;
  }

  // What a sequence costs is then what the plan does.
  bool is_all_counted() const {
    return problem_.request().objective == Objective::time ||
           problem_.request().bill == Bill::makespan;
  }

  bool is_small() const { return graph_.tasks.size() <= exact_up_to_tasks; }

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
    for (int i = 0; i < most_prices && drafts_.latest() && !options_.is_interrupted(); ++i) {
      const double price = worth_of_a_second(problem_, *drafts_.latest());
      const auto is_near = [&](double other) {
        return price == other || std::abs(price - other) <= 1e-6 * price;
      };
      if (std::any_of(tried.begin(), tried.end(), is_near)) break;
      tried.push_back(price);
      drafts_.forget_latest();
      limit_ *= i == 0 ? price_share : 1;
      attempt(std::isfinite(price) ? ChainAim{1, price} : ChainAim{0, 1});
    }
    if (tried.size() > 1 || drafts_.is_good() || options_.is_interrupted()) return;
    limit_ *= price_share;
    attempt({0, 1});
  }

  // In the order of the lowest peak too where nothing is found in the usual ones, or nothing good
  // in a small graph.
  void attempt(const ChainAim& aim) {
    if (largest_task_bytes(graph_) > graph_.capacity_bytes) return;
    attempt_in(orders(), aim);
    if (answer_.schedule || options_.is_interrupted()) return;
    if (graph_.tasks.size() > lowest_peak_up_to_tasks) return;
    lacks_addresses_ = false;  // plans in another order may have some
    const TaskOrder lowest = lowest_peak_order(at_home_, problem_.before);
    attempt_in({with_state_copies(graph_, lowest)}, aim);
  }

  void attempt_in(std::vector<TaskOrder> orders, const ChainAim& aim) {
    const std::vector<int> states = cheapest_states(aim);
    GraphSolverOptions options;
    options.limit = limit_;
    options.seed = static_cast<std::uint64_t>(problem_.request().seed);
    options.interrupted = options_.interrupted;
    const Recognised recognised = recognise_chain(problem_.graph(), problem_.before);
    const bool has_state_away = drafts_.state_place().has_value();
    if (recognised.chain && !has_state_away) options.chain = &*recognised.chain;
    if (!has_state_away) options.before = &problem_.before;
    GraphSolver solver(graph_, costs(aim, states), std::move(orders), options);
    auto plan = solver.solve(graph_.capacity_bytes);
    const bool by_blocks = recognised.chain && !deadline_seconds(problem_.request());  // many tries
    const double second_joules = aim.joules > 0 ? aim.seconds : 0;
    // In large graphs before anything gets addresses, which takes longer; unless it is near what is
    // best in its order.
    const bool is_before = plan && by_blocks && is_alone() && !is_small() && is_all_counted() &&
                           plan->measure.cost > solver.bound() * (1 + close_gap);
    if (is_before) {
      const auto shape = claim_by_blocks(*recognised.chain, second_joules, plan->measure.cost);
      const bool is_far =
          answer_.bound && plan->measure.cost > answer_.bound->value * (1 + far_gap);
      if (shape && is_far) plan = best_start(solver, *plan, *recognised.chain, *shape);
    }
    AddressFit addresses(problem_, options_, graph_, lacks_addresses_ ? 0 : limit_, solver,
                         drafts_);
    const int workers = plan ? fit_workers(addresses, *plan, states) : 1;
    lacks_addresses_ = plan && !drafts_.best().graph && !answer_.late;
    if (!fits_whole(graph_, device().workers)) {
      // First without moves: what may be moved away must not make a plan dearer.
      if (plan && workers > 1 && !drafts_.is_good()) leave_room(solver, addresses, states, workers);
      if (!drafts_.is_good()) move_items(solver, aim, states);
      if (!drafts_.is_good()) improve_beside();
    }
    if (!plan) return;
    claim_and_follow(solver, states, second_joules, is_small() ? 1 : first_bound_work, false);
    std::optional<RowShape> shape;
    if (by_blocks && !is_before && answer_.schedule && gap_of(problem_, answer_) > close_gap) {
      const double known = answer_.schedule->predicted.objective.value;
      shape = claim_by_blocks(*recognised.chain, second_joules, known);
    }
    const bool is_other = !is_alone() || is_moving();
    if (is_other || gap_of(problem_, answer_) <= close_gap || options_.is_interrupted()) return;
    if (shape) plan = best_start(solver, *plan, *recognised.chain, *shape);
    search_freely(solver, addresses, *plan, states);
    if (answer_.schedule && gap_of(problem_, answer_) > wide_gap)
      claim_more(solver, states, second_joules);
  }

  // On all workers, then on half as many and so on, until it fits. In small graphs on: fewer that
  // have all that they need may well be faster than more that wait for each other's memory. Returns
  // how many the best plan has.
  int fit_workers(AddressFit& addresses, const GraphPlan& plan, const std::vector<int>& states) {
    const bool goes_on = is_small() && !fits_whole(graph_, device().workers);
    bool fits = false;
    for (int workers = device().workers; workers > 0; workers /= 2) {
      fits = addresses.fit(plan, states, workers) || fits;
      if (fits && (!goes_on || drafts_.is_good() || options_.is_interrupted())) return workers;
    }
    return fits && drafts_.best().graph ? drafts_.best().crew.workers : 1;
  }

  // Then what a sequence takes is what the plan takes.
  bool is_alone() const { return device().workers == 1 && !drafts_.state_place(); }

  bool is_moving() const {
    return answer_.schedule && answer_.schedule->predicted.copied_bytes > 0;
  }

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
        if (!plan || options_.is_interrupted() || drafts_.is_good()) break;
        const TaskSequence sequence =
            with_early_fetches(problem_, moving, *place, plan->sequence, graph_.capacity_bytes);
        const GraphCrew crew{device().workers, states, graph_.capacity_bytes, place};
        moving_ = moving;
        drafts_.consider(drafts_.finish_best(*moving_, sequence, crew));
      }
    }
  }

  // What runs side by side, and copies, are priced by the simulator: from the best plan so far.
  void improve_beside() {
    const bool is_warmed = graph_.tasks.size() <= warm_up_to_tasks;
    const int rounds = is_warmed ? static_cast<int>(std::size(warm_tasks)) : rounds_of_large;
    for (int round = 0; round < rounds && drafts_.best().graph && !drafts_.is_good(); ++round) {
      const DeviceDrafts::Drafted from = drafts_.best();
      if (from.crew.workers == 1 && !from.crew.place) return;
      const double runs = runs_priced_per_unit * limit_;
      const double sequences = runs / static_cast<double>(from.sequence.size());
      BesideSearchOptions how;
      how.sequences = static_cast<int>(std::min<double>(most_priced, sequences));
      how.first_temperature =
          std::max(cold, warm_tasks[round] / static_cast<double>(graph_.tasks.size()));
      how.seed = static_cast<std::uint64_t>(problem_.request().seed + round);
      how.good_enough = objective_bound(problem_).value * (1 + near_bound);
      how.interrupted = options_.interrupted;
      const auto found = search_beside(problem_, *from.graph, from.crew, from.sequence, how);
      for (const TaskSequence& sequence : found) {
        if (drafts_.consider(drafts_.finish_as_is({from.graph, sequence, from.crew}))) break;
      }
    }
  }

  // A plan that takes less leaves room for more to run side by side.
  void leave_room(GraphSolver& solver, AddressFit& addresses, const std::vector<int>& states,
                  int workers) {
    for (const double share : room_shares) {
      if (options_.is_interrupted() || drafts_.is_good()) return;
      const auto capacity = static_cast<double>(graph_.capacity_bytes) * share;
      const auto plan = solver.shrink(static_cast<std::int64_t>(capacity));
      if (!plan) return;
      addresses.fit(*plan, states, workers);
    }
  }

  // The plan, or one by blocks, each of which is solved exactly, where that is cheaper; in large
  // graphs by far, since addresses are found more easily near the plan. Together blocks take more
  // than was counted, so they are solved for less memory.
  GraphPlan best_start(GraphSolver& solver, const GraphPlan& plan, const TaskChain& chain,
                       const RowShape& shape) {
    GraphPlan best = plan;
    TaskSequence best_from;
    const BlockRow row = block_row(problem_, graph_, chain, solver.costs(), shape);
    for (const double share : block_shares) {
      BlockBoundOptions how;
      how.capacity_bytes =
          static_cast<std::int64_t>(static_cast<double>(graph_.capacity_bytes) * share);
      how.enough = solver.whole_cost_again(plan.sequence);
      how.most_states = static_cast<std::int64_t>(limit_ * block_states_per_unit);
      how.interrupted = options_.interrupted;
      const TaskSequence start = solved_block_sequence(problem_, graph_, row, solver.order(), how);
      if (start.empty()) continue;
      for (int i = 0; i < tries_by_blocks && !options_.is_interrupted(); ++i) {
        const auto found = solver.solve_near(start, graph_.capacity_bytes);
        if (found && found->measure.cost < best.measure.cost) best = *found, best_from = start;
      }
    }
    const double least_gain = is_small() ? 0 : close_gap;
    if (best.measure.cost >= plan.measure.cost * (1 - least_gain)) return plan;
    solver.adopt(best.sequence, std::move(best_from));
    return best;
  }

  // Local search in any order: first without addresses, if only to better a plan; then for what has
  // some, from there and from the best that has.
  void search_freely(GraphSolver& solver, AddressFit& addresses, const GraphPlan& plan,
                     const std::vector<int>& states) {
    const GraphCrew crew = drafts_.crew_of(1, states, graph_.capacity_bytes);
    std::optional<GraphPlan> better;
    if (answer_.schedule) better = solver.solve_in_any_order(plan.sequence, crew.capacity_bytes);
    const GraphPlan& start = better ? *better : plan;
    if (better && is_small()) drafts_.consider(drafts_.finish_best(graph_, better->sequence, crew));
    const bool is_cheaper = better && better->measure.cost < plan.measure.cost * (1 - close_bound);
    if (is_cheaper && !is_small()) addresses.fit(*better, states, 1);
    if (drafts_.is_close(start) || (!is_small() && answer_.schedule)) return;
    std::vector<TaskSequence> starts{start.sequence};
    if (drafts_.best().graph == &graph_) starts.push_back(drafts_.best().sequence);
    for (const TaskSequence& each : starts) {
      if (options_.is_interrupted()) return;
      for (const GraphPlan& found : solver.solve_with_addresses(each, crew.capacity_bytes)) {
        if (drafts_.consider(drafts_.finish_best(graph_, found.sequence, crew))) break;
      }
      if (drafts_.is_close(start)) return;
    }
  }

  void claim_more(const GraphSolver& solver, const std::vector<int>& states, double second_joules) {
    const bool is_huge = graph_.tasks.size() > more_up_to_tasks;
    const bool by_highs = has_highs() && graph_.tasks.size() <= highs_up_to_tasks &&
                          gap_of(problem_, answer_) <= widest_for_highs;
    const double share = by_highs ? highs_bound_work : is_huge ? 1 : more_bound_work;
    claim_and_follow(solver, states, second_joules, share, by_highs);
  }

  // Then it probably is in any other.
  bool is_best_in_order(const GraphSolver& solver) const {
    return answer_.schedule && is_all_counted() &&
           answer_.schedule->predicted.objective.value <= solver.bound() * (1 + best_in_order);
  }

  // Returns what fits of the solutions, if anything does.
  TaskSequence claim(const GraphSolver& solver, double second_joules, double share, bool by_highs) {
    const bool is_exact = graph_.tasks.size() <= proved_up_to_tasks || is_best_in_order(solver);
    GraphBoundOptions how = bound_options(second_joules, share, is_exact);
    how.by_highs = by_highs;
    how.moments = solver.moments();
    how.order = solver.order();
    const auto is_copy = [&](TaskId task) { return graph_.is_copy(task); };
    std::erase_if(how.moments, is_copy);
    std::erase_if(how.order, is_copy);
    const auto found = graph_bound(problem_, at_home_, how);
    if (!found) return {};
    note(found->bound);
    return found->sequence;
  }

  // The bound is of all orders, and its solution may be a plan in another.
  void claim_and_follow(const GraphSolver& solver, const std::vector<int>& states,
                        double second_joules, double share, bool by_highs) {
    for (int tried = 0; tried < most_followed; ++tried) {
      const TaskSequence other = claim(solver, second_joules, share, by_highs);
      if (other.empty() || !is_alone() || !answer_.schedule || options_.is_interrupted()) return;
      const double value = answer_.schedule->predicted.objective.value;
      if (solver.cost(other) >= value * (1 - proof_tolerance)) return;
      drafts_.consider(
          drafts_.finish_best(graph_, other, drafts_.crew_of(1, states, graph_.capacity_bytes)));
      const bool is_better = answer_.schedule->predicted.objective.value < value;
      if (!is_better || gap_of(problem_, answer_) <= proof_tolerance) return;
    }
  }

  // For what costs so much. The shape of the blocks that tell most.
  std::optional<RowShape> claim_by_blocks(const TaskChain& chain, double second_joules,
                                          double known) {
    GraphBoundOptions how = bound_options(second_joules, 1, is_small());
    how.enough = known;
    const auto found = graph_bound_by_blocks(problem_, at_home_, chain, how);
    if (!found) return std::nullopt;
    note(found->bound);
    return found->shape;
  }

  // Whether nothing costs less at all; else, in large graphs, whether nothing is much cheaper.
  GraphBoundOptions bound_options(double second_joules, double share, bool is_exact) const {
    GraphBoundOptions how;
    how.work = limit_ * bound_work_per_unit * share * solver_work_factor(graph_);
    how.second_joules = second_joules;
    how.interrupted = options_.interrupted;
    if (answer_.schedule)
      how.enough = answer_.schedule->predicted.objective.value * (1 - (is_exact ? 0 : close_bound));
    return how;
  }
  void note(const std::optional<Bound>& bound) {
    if (bound && (!answer_.bound || answer_.bound->value < bound->value)) answer_.bound = bound;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const DeviceGraph& graph_;
  const DeviceGraph& at_home_;
  double limit_;
  Answer& answer_;
  DeviceDrafts drafts_;
  bool lacks_addresses_ = false;       // plans that fit had none: little is spent on others
  std::optional<DeviceGraph> moving_;  // the graph with moves
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

void plan_on_device(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
                    const DeviceGraph& at_home, double limit, Answer& answer) {
  OnDevice(problem, options, graph, at_home, limit, answer).plan();
}

}  // namespace stint

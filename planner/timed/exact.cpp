#include "planner/timed/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/accept.hpp"
#include "planner/graphs/graph_draft.hpp"
#include "planner/graphs/graph_moves.hpp"
#include "planner/infinity.hpp"
#include "planner/solver/cp_sat.hpp"
#include "planner/timed/timed_model.hpp"

namespace stint {
namespace {

constexpr std::size_t most_tasks = 60;  // among other strategies, and not to explain what would fit
// Units of time in a step, and tries at them: some end at once and others never. In the finest a
// unit of the solver's work takes many times as long; all that is left for it is to tell `optimal`
// from a gap of a thousandth.
struct Resolution {
  double units = 0;
  int seeds = 0;
  double plan_share = 0;   // of the limit, for one try at plans
  double bound_share = 0;  // and at the bound
};
constexpr Resolution resolutions[] = {{3e3, 2, 0.03, 0.1}, {1e11, 3, 0.002, 0.002}};
constexpr double targets[] = {0.05, 0.01, 0};  // gaps that are proved one after the other
constexpr double small_share = 0.01;  // of the memory: what counts for nothing in a rough bound
constexpr double all_share = 0.8;     // of the limit, for all of them
constexpr int most_runs = 4;          // of a task, that get a place in time
constexpr int most_comes = 3;         // of a tensor, likewise
constexpr double proved_gap = 1e-9;
constexpr double good_gap = 1e-3;  // of a plan that is known, where it is left alone

class Exact {
 public:
  Exact(const Problem& problem, const SearchOptions& options, DeviceGraph graph)
      : problem_(problem), options_(options), graph_(std::move(graph)), place_(only_place()) {
    if (place_) graph_ = with_moves(graph_);
  }

  // First for plans, then for the bound, which is of use only where it is solved to the end: finer
  // times make it harder, and so does what is small.
  Answer solve() {
    for (const Resolution& resolution : resolutions) {
      const bool is_first = &resolution == resolutions;
      find_plans(resolution, is_first);
      if (is_done() || best() == nullptr) break;
      if (is_first && !prove(resolution, rough_bytes())) break;
      if (is_done() || !prove(resolution, 1)) break;
    }
    if (bound_ > 0) answer_.bound = Bound{std::min(bound_, value()), "exact"};
    return std::move(answer_);
  }

 private:
  // Copies have a place in time where there is only one way for them.
  std::optional<SlowPlace> only_place() const {
    int links = 0;
    for (const Link& link : problem_.platform().links)
      links += link.from == graph_.memory || link.to == graph_.memory ? 1 : 0;
    return links == 2 ? place_for_moves(problem_, graph_) : std::nullopt;
  }

  const Schedule* best() const {
    if (answer_.schedule) return &*answer_.schedule;
    return options_.known;
  }
  double value() const { return best() == nullptr ? infinity : best()->predicted.objective.value; }
  bool is_done() const {
    const bool is_proved = best() != nullptr && value() - bound_ <= proved_gap * value();
    return options_.is_interrupted() || is_proved || work_ > problem_.request().limit * all_share;
  }

  std::int64_t rough_bytes() const {
    return static_cast<std::int64_t>(small_share * static_cast<double>(graph_.capacity_bytes));
  }

  // With less to choose from plans are found sooner, and others are looked for below their cost.
  void find_plans(const Resolution& resolution, bool is_first) {
    TimedOptions how;
    how.is_bound = false;
    how.moves = how.reruns = false;
    if (is_first) find_plan(resolution, how);
    how.reruns = problem_.request().recompute;
    if (is_first && how.reruns) find_plan(resolution, how);
    how.moves = place_.has_value();
    if (how.moves || !is_first) find_plan(resolution, how);
  }
  void find_plan(const Resolution& resolution, const TimedOptions& how) {
    for (int seed = 1; seed <= resolution.seeds && !is_done(); ++seed) {
      const auto found = look_for(resolution, seed, how);
      if (!found || found->is_infeasible || found->is_solved) return;
    }
  }

  // That there is no plan so much cheaper than the best. The less is left to look at, the sooner
  // that is known. Whether it was solved, down to the last.
  bool prove(const Resolution& resolution, std::int64_t least_bytes) {
    for (const double target : targets) {
      if (is_done() || !prove(resolution, least_bytes, target)) return false;
    }
    return true;
  }
  // What was missing gets a place in time.
  bool prove(const Resolution& resolution, std::int64_t least_bytes, double target) {
    TimedOptions how;
    how.least_bytes = least_bytes;
    for (int seed = 1; seed <= resolution.seeds && !is_done();) {
      if (bound_ >= value() * (1 - target)) return true;
      how.places = places_;
      const auto found = look_for(resolution, seed, how, target);
      if (!found || found->is_infeasible) return true;
      if (found->is_solved && !add_places(*found)) return true;
      if (!found->is_solved && (is_behind() || ++seed > resolution.seeds)) return false;
    }
    return is_done();
  }

  // Others proved more: so hard a problem is not worth another try.
  bool is_behind() const {
    return options_.known != nullptr && bound_ < options_.known->predicted.objective.lower_bound;
  }

  bool add_places(const TimedAnswer& found) {
    bool is_more = false;
    for (const TaskId task : found.more_runs) {
      int& runs = places_.runs.try_emplace(task, usual_runs).first->second;
      if (runs < most_runs) ++runs, is_more = true;
    }
    for (const TensorId tensor : found.more_comes) {
      int& comes = places_.comes.try_emplace(tensor, usual_comes).first->second;
      if (comes < most_comes) ++comes, is_more = true;
    }
    return is_more;
  }

  std::optional<TimedAnswer> look_for(const Resolution& resolution, int seed, TimedOptions how,
                                      double target = 0) {
    const double units = resolution.units;
    const double seconds = best() == nullptr ? all_seconds() : best()->predicted.seconds;
    const auto prices = timed_prices(problem_, graph_, seconds, units);
    if (!prices) return std::nullopt;
    how.seed = seed;
    how.work =
        problem_.request().limit * (how.is_bound ? resolution.bound_share : resolution.plan_share);
    how.interrupted = options_.interrupted;
    const double known = value() * (1 - target);
    how.most_cost = std::isfinite(known) ? prices->below(known) : std::int64_t{1} << 50;
    const double one_after_the_other = units * all_seconds() / seconds;
    how.horizon = prices->time_cost == 0 ? *prices->deadline
                  : std::isfinite(known) ? how.most_cost
                                         : static_cast<std::int64_t>(2 * one_after_the_other) + 1;
    TimedAnswer found = solve_timed(problem_, graph_, *prices, how);
    work_ += found.work;
    if (how.is_bound)
      bound_ = std::max(bound_, found.is_infeasible ? known : prices->value(found.bound));
    if (!found.runs.empty()) consider(found.runs);
    return found;
  }

  // Of all tasks and copies, one after the other.
  double all_seconds() const {
    const auto& device = problem_.platform().devices[graph_.device];
    double slowest = 1;
    for (int s = 0; s < choosable_states(device); ++s)
      slowest = std::min<double>(slowest, device.states[s].speed);
    const auto& seconds = problem_.seconds[graph_.device];
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / slowest;
  }

  void consider(const std::vector<TimedRun>& runs) {
    TaskSequence sequence;
    GraphCrew crew;
    crew.workers = problem_.platform().devices[graph_.device].workers;
    crew.states.assign(graph_.tasks.size(), 0);
    crew.capacity_bytes = graph_.capacity_bytes;
    crew.place = place_;
    for (const TimedRun& run : runs) {
      sequence.push_back(run.task);
      crew.states[run.task] = run.state;
      crew.times.push_back({run.begin, run.end});
    }
    if (!can_be_replayed(sequence)) return;
    Schedule schedule = finish(problem_, graph_draft(problem_, graph_, sequence, crew), "exact");
    if (accept(problem_, schedule, answer_) && schedule.predicted.objective.value < value())
      keep_if_better(std::move(schedule), options_, answer_);
  }

  // Whether everything is written before it is read: what takes no time in whole units may stand
  // in another order.
  bool can_be_replayed(const TaskSequence& sequence) const {
    std::vector<bool> is_written(graph_.items.size(), false);
    for (std::size_t i = 0; i < graph_.items.size(); ++i)
      is_written[i] = graph_.items[i].writers.empty() || graph_.items[i].bytes == 0;
    for (const TaskId task : sequence) {
      const auto& reads = graph_.tasks[task].reads;
      if (!std::all_of(reads.begin(), reads.end(), [&](GraphItemId i) { return is_written[i]; }))
        return false;
      for (const GraphOutput& output : graph_.tasks[task].writes) is_written[output.item] = true;
    }
    return true;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  DeviceGraph graph_;
  std::optional<SlowPlace> place_;
  Answer answer_;
  TimedPlaces places_;
  double bound_ = 0;
  double work_ = 0;
};

}  // namespace

std::optional<Answer> exact(const Problem& problem, const SearchOptions& options) {
  const Request& request = problem.request();
  const bool is_ours =
      request.objective == Objective::energy || request.objective == Objective::time;
  if (!has_cp_sat() || problem.platform().devices.size() != 1 || !is_ours) return std::nullopt;
  auto graph = device_graph(problem, DeviceId{0});
  if (!graph) return std::nullopt;
  const bool is_asked = strategy_name(request.strategy) == "exact";
  const bool runs_beside =
      problem.platform().devices.front().workers > 1 || place_for_moves(problem, *graph);
  const bool is_small = graph->tasks.size() <= most_tasks;
  const bool is_good = options.known && options.known->predicted.objective.gap <= good_gap;
  const bool is_left_out = !runs_beside || !is_small || is_good || !options.explains;
  if (!is_asked && is_left_out) return std::nullopt;
  return Exact(problem, options, std::move(*graph)).solve();
}

}  // namespace stint

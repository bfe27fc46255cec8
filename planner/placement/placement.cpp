#include "planner/placement/placement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/accept.hpp"
#include "planner/chains/chain.hpp"
#include "planner/graphs/graph.hpp"
#include "planner/keep_all.hpp"
#include "planner/order.hpp"
#include "planner/placement/placed_draft.hpp"
#include "planner/placement/placement_bound.hpp"
#include "planner/placement/placement_search.hpp"
#include "schedules/validate.hpp"

namespace stint {
namespace {

constexpr double search_steps_per_unit = 4e6;  // of replays, for a unit of the limit
constexpr double bound_work_per_unit = 1;      // the solver's, likewise
constexpr double others_share = 0.1;           // of the limit, for the strategies of one device
constexpr double automatic_share = 0.03;       // of the limit, beside other strategies
constexpr std::size_t most_tasks_automatically = 1000;
constexpr double small_gap = 1e-4;  // worth a finer bound
constexpr std::size_t most_tasks_of_fine_bounds = 150;
constexpr int most_starts = 3;
constexpr int attempts = 6;  // at fitting addresses into the memories

bool is_ours(const Problem& problem) {
  int devices = 0;
  for (const auto& seconds : problem.seconds) {
    if (std::any_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s); }))
      ++devices;
  }
  return devices > 1 && problem.request().objective != Objective::memory;
}

class Placing {
 public:
  Placing(const Problem& problem, const SearchOptions& options, const PlacedGraph& graph,
          Answer& answer)
      : problem_(problem),
        options_(options),
        graph_(graph),
        answer_(answer),
        replay_(graph),
        capacity_(problem.capacity_bytes),
        limit_(problem.request().limit *
               (problem.request().strategy == "auto" ? automatic_share : 1)) {}

  void plan() {
    if (problem_.request().strategy != "auto") start_from_others();
    start_from_devices();
    relax();
    search();
    refine();
  }

 private:
  double score(const PlacementTrial& trial) const { return trial.value * (1 + 3 * trial.excess); }

  void add_start(PlacementChoice choice) {
    settle_ties(graph_, choice);
    auto trial = tried(graph_, replay_, std::move(choice), capacity_);
    if (trial) starts_.push_back(std::move(*trial));
  }

  // What others can do, on one device or by list scheduling.
  void start_from_others() {
    Problem small = problem_;
    small.blank.request.limit = problem_.request().limit * others_share;
    SearchOptions quiet = options_;
    quiet.improved = nullptr;
    for (const auto& strategy : {keep_all, chain, graph}) {
      if (answer_.schedule && options_.is_interrupted()) return;
      auto found = strategy(small, quiet);
      if (!found) continue;
      answer_.least_arena.merge(found->least_arena);
      if (found->least_seconds)
        answer_.least_seconds =
            std::min(*found->least_seconds, answer_.least_seconds.value_or(*found->least_seconds));
      if (!found->schedule) continue;
      found->schedule->request = problem_.request();
      add_start(choice_of(graph_, *found->schedule));
      keep(std::move(*found->schedule));
    }
  }

  // Everything on one device, as far as it runs there, in the states that are best or fastest.
  void start_from_devices() {
    for (const TaskOrder& order : memory_orders(problem_)) {
      for (std::size_t d = 0; d < problem_.platform().devices.size(); ++d) {
        for (const bool fast : {false, true})
          add_start(alone(order, static_cast<DeviceId>(d), fast));
      }
    }
  }

  PlacementChoice alone(const TaskOrder& order, DeviceId device, bool fast) const {
    std::vector<DeviceId> devices(graph_.tasks(), device);
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      if (!std::isfinite(problem_.seconds[device][t])) devices[t] = graph_.ways[t].front().device;
    }
    PlacementChoice choice = plain_choice(graph_, order, std::move(devices));
    settle_ties(graph_, choice);
    set_states(fast, choice);
    return choice;
  }

  void set_states(bool fast, PlacementChoice& choice) const {
    const bool pays_time = problem_.request().bill == Bill::makespan;
    const double rate = pays_time ? always_on_watts(problem_.platform()) : 0;
    const std::size_t devices = problem_.platform().devices.size();
    std::vector<std::vector<double>> cost(devices);
    for (std::size_t d = 0; d < devices; ++d)
      cost[d].assign(choosable_states(problem_.platform().devices[d]), 0);
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      double least = std::numeric_limits<double>::infinity();
      for (const PlacedWay& way : graph_.ways[t]) {
        if (way.device != choice.device[t]) continue;
        const double mine = fast ? way.seconds : way.joules + rate * way.seconds;
        cost[way.device][way.state] += mine;
        if (mine < least) least = mine, choice.state[t] = way.state;
      }
    }
    for (std::size_t d = 0; d < devices; ++d) {
      choice.device_state[d] =
          static_cast<int>(std::min_element(cost[d].begin(), cost[d].end()) - cost[d].begin());
    }
  }

  // The relaxation's solution is a start, and its value a bound.
  void relax() {
    PlacementBound found = bounded(false);
    for (PlacementChoice& choice : found.choices) add_start(std::move(choice));
    answer_.bound = found.bound;
  }

  // Where plan and bound meet but for rounding.
  void refine() {
    if (!answer_.bound || !answer_.schedule || options_.is_interrupted()) return;
    const double value = answer_.schedule->predicted.objective.value;
    const double gap = value - answer_.bound->value;
    if (gap > small_gap * value || gap <= 0 || graph_.tasks() > most_tasks_of_fine_bounds) return;
    const PlacementBound found = bounded(true);
    if (found.bound && found.bound->value > answer_.bound->value) answer_.bound = found.bound;
  }

  PlacementBound bounded(bool is_fine) const {
    PlacementBoundOptions bounding;
    if (answer_.schedule) bounding.known = answer_.schedule->predicted.objective.value;
    bounding.work = limit_ * bound_work_per_unit;
    bounding.is_fine = is_fine;
    return placement_bound(graph_, bounding, options_);
  }

  void search() {
    const auto better = [&](const PlacementTrial& a, const PlacementTrial& b) {
      return score(a) < score(b);
    };
    std::stable_sort(starts_.begin(), starts_.end(), better);
    if (starts_.empty()) return;
    const int count = std::min<int>(most_starts, static_cast<int>(starts_.size()));
    const double steps = limit_ * search_steps_per_unit;
    std::vector<PlacementTrial> ends;
    for (int i = 0; i < count; ++i) {
      if (i > 0 && options_.is_interrupted()) break;
      ends.push_back(anneal(starts_[i], steps / (2.0 * count), 0.01, i));
    }
    std::stable_sort(ends.begin(), ends.end(), better);
    PlacementTrial best = anneal(ends.front(), steps / 2, 0.002, most_starts);
    fit(std::move(best));
  }

  PlacementTrial anneal(const PlacementTrial& start, double steps, double temperature, int round) {
    PlacementSearchOptions options;
    options.capacity_bytes = capacity_;
    options.steps = static_cast<std::int64_t>(steps);
    options.seed = static_cast<std::uint64_t>(problem_.request().seed) * 1000 + round;
    options.first_temperature = temperature;
    if (answer_.bound) options.good_enough = answer_.bound->value * (1 + 1e-9);
    options.interrupted = options_.interrupted;
    return search_placement(graph_, replay_, start, options);
  }

  // Where addresses take more than there is, it is searched on with less.
  void fit(PlacementTrial trial) {
    const double steps = limit_ * search_steps_per_unit / 10;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (!replay_.make(trial.choice)) return;
      Schedule schedule = finish(problem_, placed_draft(graph_, replay_), "placement");
      if (accept(problem_, schedule, answer_) && obeys_request(schedule))
        return keep(std::move(schedule));
      if (options_.is_interrupted() || !tighten(schedule, attempt)) return;
      auto again = tried(graph_, replay_, trial.choice, capacity_);
      if (!again) return;
      trial = anneal(*again, steps, 0.002, most_starts + 1 + attempt);
    }
  }

  // No less than by what was too much, and each time by twice as much.
  bool tighten(const Schedule& schedule, int attempt) {
    bool any = false;
    for (std::size_t m = 0; m < capacity_.size(); ++m) {
      const std::string name = memory_name(problem_.platform(), static_cast<MemoryId>(m));
      const auto arena = schedule.arenas.find(name);
      if (arena == schedule.arenas.end()) continue;
      const std::int64_t excess = arena->second - problem_.capacity_bytes[m];
      if (excess <= 0) continue;
      capacity_[m] -= std::min(excess, capacity_[m] >> attempt) << attempt;
      any = true;
    }
    return any;
  }

  // What was asked beside bounds: nothing computed again, or nothing moved away and back.
  bool obeys_request(const Schedule& schedule) const {
    if (problem_.request().recompute && problem_.request().offload) return true;
    const auto violations = validate(schedule);
    return std::none_of(violations.begin(), violations.end(),
                        [](const Violation& violation) { return violation.rule == 19; });
  }

  void keep(Schedule schedule) {
    const double value = schedule.predicted.objective.value;
    if (answer_.schedule && answer_.schedule->predicted.objective.value <= value) return;
    answer_.schedule = std::move(schedule);
    if (options_.improved) options_.improved(*answer_.schedule);
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const PlacedGraph& graph_;
  Answer& answer_;
  PlacedReplay replay_;
  std::vector<std::int64_t> capacity_;
  double limit_;
  std::vector<PlacementTrial> starts_;
};

}  // namespace

std::optional<Answer> placement(const Problem& problem, const SearchOptions& options) {
  const bool is_large = problem.graph().tasks.size() > most_tasks_automatically;
  if (!is_ours(problem) || (is_large && problem.request().strategy == "auto")) return std::nullopt;
  const auto graph = placed_graph(problem);
  if (!graph) return std::nullopt;
  Answer answer;
  Placing(problem, options, *graph, answer).plan();
  return answer;
}

}  // namespace stint

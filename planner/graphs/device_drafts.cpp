#include "planner/graphs/device_drafts.hpp"

#include <algorithm>
#include <utility>

#include "planner/accept.hpp"
#include "planner/bounds.hpp"
#include "planner/graphs/graph_moves.hpp"
#include "planner/graphs/side_by_side.hpp"
#include "planner/power/schedule_power.hpp"

namespace stint {
namespace {

constexpr double states_limit = 0.5;  // for states on the order of a plan
constexpr std::size_t large_from_tasks = 300;
constexpr double large_effort = 5;  // for addresses, where another plan takes longer to find
// For plans that leave room for them, of which most have some: another one would cost more.
constexpr double roomy_effort = 12;

double address_effort(const DeviceGraph& graph, const GraphCrew& crew) {
  const bool is_large = crew.workers == 1 && graph.tasks.size() > large_from_tasks;
  if (!is_large) return 1;
  return crew.capacity_bytes < graph.capacity_bytes ? roomy_effort : large_effort;
}

double best_bound(const Problem& problem, const Answer& answer) {
  const double least = objective_bound(problem).value;
  return answer.bound ? std::max(least, answer.bound->value) : least;
}

}  // namespace

double gap_of(const Problem& problem, const Answer& answer) {
  if (!answer.schedule) return 1;
  const double value = answer.schedule->predicted.objective.value;
  return value > 0 ? 1 - best_bound(problem, answer) / value : 0;
}

bool is_close_to_best(const Problem& problem, const Answer& answer) {
  return gap_of(problem, answer) <= near_bound;
}

DeviceDrafts::DeviceDrafts(const Problem& problem, const SearchOptions& options,
                           const DeviceGraph& graph, Answer& answer)
    : problem_(problem), options_(options), answer_(answer), scratch_(problem.blank) {
  if (!graph.away_state.empty()) state_place_ = place_for_moves(problem, graph);
}

Schedule DeviceDrafts::finish_best(const DeviceGraph& graph, TaskSequence sequence,
                                   const GraphCrew& crew) {
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
  drafted_ = {&graph, std::move(sequence), crew};
  return finish(problem_, draft, "graph", address_effort(graph, crew));
}

Schedule DeviceDrafts::finish_as_is(Drafted drafted) {
  drafted_ = std::move(drafted);
  Draft draft = graph_draft(problem_, *drafted_.graph, drafted_.sequence, drafted_.crew);
  return finish(problem_, draft, "graph");
}

bool DeviceDrafts::consider(Schedule schedule) {
  if (deadline_seconds(problem_.request())) {
    auto better = with_better_states(problem_, schedule, states_limit);
    if (better) schedule = std::move(*better);
    const double value = schedule.predicted.objective.value;
    if (!latest_ || value < latest_->predicted.objective.value) latest_ = schedule;
  }
  if (!accept(problem_, schedule, answer_)) return false;
  if (keep_if_better(std::move(schedule), options_, answer_)) best_ = drafted_;
  return true;
}

bool DeviceDrafts::is_close(const GraphPlan& plan) const {
  return answer_.schedule &&
         answer_.schedule->predicted.objective.value <= plan.measure.cost * (1 + close_gap);
}

}  // namespace stint

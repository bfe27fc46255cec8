#include "planner/graphs/graph.hpp"

#include <algorithm>

#include "planner/accept.hpp"
#include "planner/graphs/device_drafts.hpp"
#include "planner/graphs/device_plan.hpp"
#include "planner/graphs/graph_moves.hpp"
#include "planner/graphs/least_memory.hpp"
#include "planner/graphs/state_away.hpp"
#include "planner/parallel.hpp"

namespace stint {
namespace {

constexpr std::size_t shared_up_to_tasks = 20000;     // where memory is no matter
constexpr double state_share = 0.25;                  // of the limit, for each choice of state
constexpr int more_choices_of_state = 2;              // once there is a plan
constexpr std::size_t all_choices_up_to_tasks = 300;  // in larger graphs

// State that lives elsewhere leaves room for other things, at the price of its copies.
void send_state(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
                double limit, Answer& answer) {
  const auto place = place_for_moves(problem, graph);
  if (!place || fits_whole(graph, problem.platform().devices[graph.device].workers)) return;
  const bool is_small = graph.tasks.size() <= all_choices_up_to_tasks;
  int more = 0;  // than a plan needed
  for (const auto& tensors : away_choices(problem, graph, *place)) {
    const bool is_enough = !is_small && more >= more_choices_of_state;
    const bool is_over = options.is_interrupted() || is_enough || is_close_to_best(problem, answer);
    if (answer.schedule && is_over) return;
    if (answer.schedule) ++more;
    const DeviceGraph away = with_state_away(problem, graph, tensors);
    plan_on_device(problem, options, away, graph, limit * state_share, answer);
  }
}

Link without_ends(Link link) {
  link.from = link.to = MemoryId{0};
  link.channel.clear();
  return link;
}

// The other would find the same plans.
bool is_same_kind_of_device(const Problem& problem, const DeviceGraph& a, const DeviceGraph& b) {
  const Platform& platform = problem.platform();
  Device device = platform.devices[a.device];
  const Device& other = platform.devices[b.device];
  device.name = other.name;
  device.node = other.node;
  device.memory = other.memory;
  if (!(device == other) || problem.seconds[a.device] != problem.seconds[b.device]) return false;
  if (a.capacity_bytes != b.capacity_bytes) return false;
  if (platform.memories[a.memory].alignment_bytes != platform.memories[b.memory].alignment_bytes)
    return false;
  const auto place = place_for_moves(problem, a);
  const auto other_place = place_for_moves(problem, b);
  if (!place || !other_place) return !place && !other_place;
  const auto is_same = [&](LinkId link, LinkId other_link) {
    return without_ends(platform.links[link]) == without_ends(platform.links[other_link]);
  };
  return place->memory == other_place->memory && is_same(place->out, other_place->out) &&
         is_same(place->back, other_place->back);
}

Answer answer_on_device(const Problem& problem, const SearchOptions& options,
                        const DeviceGraph& graph) {
  const Request& request = problem.request();
  if (request.objective == Objective::memory)
    return plan_of_least_memory(problem, options, graph.memory);
  Answer found;
  plan_on_device(problem, options, graph, graph, request.limit, found);
  send_state(problem, options, graph, request.limit, found);
  return found;
}

// What one device found beside what others found.
void join(Answer found, const SearchOptions& options, Answer& answer) {
  if (found.schedule) keep_if_better(std::move(*found.schedule), options, answer);
  if (found.bound && (!answer.bound || answer.bound->value < found.bound->value))
    answer.bound = found.bound;
  for (const auto& [memory, arena] : found.least_arena) {
    const auto [least, is_new] = answer.least_arena.emplace(memory, arena);
    least->second = std::min(least->second, arena);
  }
  const bool is_sooner = found.least_seconds &&
                         (!answer.least_seconds || *found.least_seconds < *answer.least_seconds);
  if (!is_sooner) return;
  answer.least_seconds = found.least_seconds;
  answer.late = std::move(found.late);
}

// The devices that are worth a look: among several strategies, those with a choice to make of what
// is kept, or of who computes what.
std::vector<DeviceGraph> device_graphs(const Problem& problem) {
  const auto& devices = problem.platform().devices;
  const bool is_asked = strategy_name(problem.request().strategy) == "graph";
  std::vector<DeviceGraph> all;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    auto flat = device_graph(problem, static_cast<DeviceId>(d));
    if (!flat) continue;
    const bool is_shared = devices[d].workers > 1 && flat->tasks.size() <= shared_up_to_tasks;
    const bool is_for_memory = problem.request().objective == Objective::memory;
    if (!is_asked && !is_shared && !is_for_memory && fits_whole(*flat, devices[d].workers))
      continue;
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const DeviceGraph& other) {
      return is_same_kind_of_device(problem, *flat, other);
    });
    if (!is_known) all.push_back(std::move(*flat));
  }
  return all;
}

}  // namespace

std::optional<Answer> graph(const Problem& problem, const SearchOptions& options) {
  const Request& request = problem.request();
  auto graphs = device_graphs(problem);
  if (graphs.empty()) return std::nullopt;
  if (!request.recompute)
    std::transform(graphs.begin(), graphs.end(), graphs.begin(), without_reruns);
  // Each device as if it were the only one, so that several are never worse than one.
  SearchOptions alone = options;
  if (graphs.size() > 1) alone.improved = nullptr;  // the join tells
  std::vector<Answer> found(graphs.size());
  for_each_index(static_cast<int>(graphs.size()), options.threads,
                 [&](int i, int) { found[i] = answer_on_device(problem, alone, graphs[i]); });
  Answer answer;
  for (Answer& each : found) join(std::move(each), options, answer);
  return answer;
}

}  // namespace stint

#include "planner/chains/chain_frontier.hpp"

#include <cmath>

#include "planner/chains/device_chain.hpp"

namespace stint {
namespace {

std::optional<DeviceChain> chain_on_a_device(const Problem& problem, const SearchOptions& options,
                                             const TaskChain& chain) {
  for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
    auto made = DeviceChain::make(problem, options, chain, static_cast<DeviceId>(d));
    if (made) return made;
  }
  return std::nullopt;
}

bool is_plain(const Problem& problem) {
  const Request& request = problem.request();
  const bool moves = request.offload && !problem.platform().links.empty();
  const bool aims = request.objective == Objective::energy || request.objective == Objective::time;
  return aims && !moves && !deadline_seconds(request);
}

ChainChoice cheapest(const DeviceChain& chain, const ChainAim& aim) {
  ChainChoice best{aim, 0};
  for (const int states : state_choices(chain.device())) {
    if (chain.cost_of_all({aim, states}) < chain.cost_of_all(best)) best.states = states;
  }
  return best;
}

// Where a second costs the same whatever runs: its joules.
std::optional<double> joules_per_second(const ChainProblem& joules, const ChainProblem& seconds) {
  double rate = 0;
  for (std::size_t i = 0; i < joules.stages.size(); ++i) {
    const ChainStage& j = joules.stages[i];
    const ChainStage& s = seconds.stages[i];
    for (const auto& [cost, time] :
         {std::pair(j.forward_cost, s.forward_cost), std::pair(j.backward_cost, s.backward_cost)}) {
      if (time == 0 && cost == 0) continue;
      if (rate == 0) rate = cost / time;
      if (!(std::abs(cost - rate * time) <= 1e-9 * cost)) return std::nullopt;
    }
  }
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

}  // namespace

std::optional<Frontier> chain_frontier(const Problem& problem, const SearchOptions& options) {
  if (!is_plain(problem)) return std::nullopt;
  const Recognised recognised = recognise_chain(problem.graph(), problem.before);
  if (!recognised.chain) return std::nullopt;
  const auto made = chain_on_a_device(problem, options, *recognised.chain);
  if (!made) return std::nullopt;
  const DeviceChain& chain = *made;
  const bool for_time = problem.request().objective == Objective::time;
  const ChainChoice choice = cheapest(chain, for_time ? ChainAim{0, 1} : ChainAim{1, 0});
  const auto rate = joules_per_second(chain.costs(choice, {1, 0}), chain.costs(choice, {0, 1}));
  Frontier frontier{problem.graph().name,
                    problem.platform().name,
                    memory_name(problem.platform(), chain.memory()),
                    for_time ? Objective::time : Objective::energy,
                    false,
                    {}};
  for (const FrontierPoint& point : chain.frontier(choice)) {
    FrontierEntry entry{.bytes = point.bytes};
    const double fixed = fixed_joules(problem);
    if (for_time || rate) entry.seconds = for_time ? point.cost : point.cost / *rate;
    if (!for_time || rate) entry.joules = fixed + (for_time ? point.cost * *rate : point.cost);
    frontier.points.push_back(entry);
  }
  return frontier;
}

}  // namespace stint

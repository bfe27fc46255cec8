#include "planner/chains/chain_costs.hpp"

#include <limits>
#include <optional>

#include "schedules/cost.hpp"

namespace stint {
namespace {

// Of a second in which the worker does anything.
double watts_besides(const Problem& problem, const Device& device) {
  const bool pays_time = problem.request().bill == Bill::makespan;
  return device.active_watts + (pays_time ? always_on_watts(problem.platform()) : 0);
}

int best_state(const Problem& problem, DeviceId device, TaskId task, const ChainAim& aim) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int s = 0; s < choosable_states(problem.platform().devices[device]); ++s) {
    const double cost = task_cost(problem, device, task, s, aim);
    if (cost < least) least = cost, best = s;
  }
  return best;
}

std::optional<LinkId> link_between(const Platform& platform, MemoryId from, MemoryId to) {
  for (std::size_t l = 0; l < platform.links.size(); ++l) {
    if (platform.links[l].from == from && platform.links[l].to == to) return static_cast<LinkId>(l);
  }
  return std::nullopt;
}

struct CopyPrice {
  double fixed = 0;
  double per_byte = 0;
};

CopyPrice copy_price(const Problem& problem, const Link& link, const ChainAim& aim, CopyTime time) {
  const bool pays_time = time == CopyTime::sequential && problem.request().bill == Bill::makespan;
  double per_second = aim.joules * link.active_watts;
  if (pays_time) per_second += aim.joules * always_on_watts(problem.platform());
  if (time == CopyTime::sequential) per_second += aim.seconds;
  return {per_second * link.latency_seconds,
          per_second / link.bytes_per_second + aim.joules * link.joules_per_byte};
}

}  // namespace

double task_cost(const Problem& problem, DeviceId device, TaskId task, int state,
                 const ChainAim& aim) {
  const Device& on = problem.platform().devices[device];
  const PowerState& power = on.states[state];
  const double seconds = problem.seconds[device][task] / power.speed;
  const double watts = busy_watts(problem.graph().tasks[task], power) + watts_besides(problem, on);
  return aim.joules * watts * seconds + aim.seconds * seconds;
}

std::vector<int> state_choices(const Device& device) {
  std::vector<int> choices;
  if (device.settable == Settable::action && device.states.size() > 1)
    choices.push_back(each_its_best);
  for (int s = 0; s < choosable_states(device); ++s) choices.push_back(s);
  return choices;
}

std::vector<int> task_states(const Problem& problem, DeviceId device, int choice,
                             const ChainAim& aim) {
  std::vector<int> states(problem.graph().tasks.size(), choice);
  if (choice != each_its_best) return states;
  for (std::size_t t = 0; t < states.size(); ++t)
    states[t] = best_state(problem, device, static_cast<TaskId>(t), aim);
  return states;
}

void set_costs(const Problem& problem, DeviceId device, const TaskChain& chain,
               const std::vector<int>& states, const ChainAim& aim, ChainProblem& sizes) {
  const auto sum = [&](const std::vector<TaskId>& tasks) {
    double cost = 0;
    for (const TaskId task : tasks) cost += task_cost(problem, device, task, states[task], aim);
    return cost;
  };
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    sizes.stages[i].forward_cost = sum(chain.stages[i].forward);
    sizes.stages[i].backward_cost = sum(chain.stages[i].backward);
  }
}

double fixed_joules(const Problem& problem) {
  const Request& request = problem.request();
  const double watts = always_on_watts(problem.platform());
  if (request.bill == Bill::deadline) return watts * *request.deadline_seconds;
  return request.bill == Bill::period ? watts * request.period_seconds : 0;
}

std::vector<SlowPlace> slow_places(const Problem& problem, MemoryId fast) {
  const Platform& platform = problem.platform();
  std::vector<SlowPlace> places;
  for (std::size_t m = 0; m < platform.memories.size(); ++m) {
    const auto memory = static_cast<MemoryId>(m);
    const auto out = link_between(platform, fast, memory);
    const auto back = link_between(platform, memory, fast);
    if (memory != fast && out && back) places.push_back({memory, *out, *back});
  }
  return places;
}

std::vector<SlowMemory> slow_memories(const Problem& problem, const std::vector<SlowPlace>& places,
                                      const ChainAim& aim, CopyTime time) {
  std::vector<SlowMemory> memories;
  for (const SlowPlace& place : places) {
    const auto& links = problem.platform().links;
    const CopyPrice out = copy_price(problem, links[place.out], aim, time);
    const CopyPrice back = copy_price(problem, links[place.back], aim, time);
    memories.push_back(
        {problem.capacity_bytes[place.memory], out.fixed, out.per_byte, back.fixed, back.per_byte});
  }
  return memories;
}

}  // namespace stint

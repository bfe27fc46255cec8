#include "planner/crews.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stint {

namespace {

constexpr std::size_t every_state_below_tasks = 500;

bool runs_everything(const std::vector<double>& seconds) {
  return std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s); });
}

Crew crew_of(const Problem& problem, const std::vector<int>& workers) {
  return {workers, std::vector<int>(problem.platform().devices.size(), 0)};
}

int devices_in(const Crew& crew) {
  return static_cast<int>(crew.workers.size() -
                          std::count(crew.workers.begin(), crew.workers.end(), 0));
}

void add(const Crew& crew, std::vector<Crew>& all) {
  const auto same = [&](const Crew& other) {
    return other.state == crew.state && other.workers == crew.workers;
  };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(crew);
}

// The crew with every device in the choosable state that has the least cost.
template <typename Cost>
Crew cheapest(const Problem& problem, Crew crew, Cost cost) {
  const auto& devices = problem.platform().devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (crew.workers[d] == 0) continue;
    for (int s = 1; s < choosable_states(devices[d]); ++s) {
      if (cost(devices[d], devices[d].states[s]) <
          cost(devices[d], devices[d].states[crew.state[d]]))
        crew.state[d] = s;
    }
  }
  return crew;
}

double slowness(const Device&, const PowerState& state) { return 1 / state.speed; }
double busy_joules(const Device&, const PowerState& state) {
  return state.busy_watts / state.speed;
}

void add_every_state(const Problem& problem, const Crew& crew, std::vector<Crew>& all) {
  const auto device = std::find_if(crew.workers.begin(), crew.workers.end(),
                                   [](int workers) { return workers > 0; }) -
                      crew.workers.begin();
  for (int s = 0; s < choosable_states(problem.platform().devices[device]); ++s) {
    Crew other = crew;
    other.state[device] = s;
    add(other, all);
  }
}

}  // namespace

std::vector<Crew> crews(const Problem& problem) {
  const auto& devices = problem.platform().devices;
  std::vector<Crew> all;
  std::vector<int> everyone;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    everyone.push_back(devices[d].workers);
    if (!runs_everything(problem.seconds[d])) continue;
    std::vector<int> workers(devices.size(), 0);
    for (int count = 1; count < devices[d].workers; count *= 2) {
      workers[d] = count;
      add(crew_of(problem, workers), all);
    }
    workers[d] = devices[d].workers;
    add(crew_of(problem, workers), all);
  }
  add(crew_of(problem, everyone), all);
  return all;
}

std::vector<Crew> with_states(const Problem& problem, const Crew& crew) {
  const Objective objective = problem.request().objective;
  const Crew fastest = cheapest(problem, crew, slowness);
  if (objective == Objective::time || objective == Objective::memory) return {fastest};
  std::vector<Crew> all{crew};
  add(fastest, all);
  double workers = 0;
  for (const int count : crew.workers) workers += count;
  const double share = always_on_watts(problem.platform()) / workers;
  add(cheapest(problem, crew, busy_joules), all);
  add(cheapest(problem, crew,
               [&](const Device& device, const PowerState& state) {
                 const double shared = share + device.active_watts / device.workers;
                 return (state.busy_watts + shared) / state.speed;
               }),
      all);
  if (devices_in(crew) == 1 && problem.graph().tasks.size() < every_state_below_tasks)
    add_every_state(problem, crew, all);
  return all;
}

}  // namespace stint

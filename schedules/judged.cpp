#include "schedules/judged.hpp"

namespace stint {

Judged judge(const Schedule& schedule) {
  Judged judged{validate(schedule), std::nullopt};
  if (can_be_simulated(judged.violations)) judged.simulation = simulate(schedule);
  return judged;
}

std::vector<Busy> busy_by_worker(const Schedule& schedule, const Simulation& simulation) {
  std::vector<Busy> by_worker(workers(schedule.platform).size());
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    const Action& action = schedule.actions[i];
    for (const WorkerId worker : {action.worker, action.occupies}) {
      if (worker == no_worker) continue;
      by_worker[worker].seconds += simulation.seconds[i];
      ++by_worker[worker].actions;
    }
  }
  return by_worker;
}

}  // namespace stint

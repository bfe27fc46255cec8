#include "schedules/marginal_joules.hpp"

#include <algorithm>
#include <utility>

#include "schedules/cache_traffic.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"

namespace stint {

MarginalJoules::MarginalJoules(const Schedule& schedule, const std::vector<Worker>& workers,
                               std::vector<double> cache_joules)
    : schedule_(schedule), workers_(workers), cache_joules_(std::move(cache_joules)) {}

MarginalJoules::MarginalJoules(const Schedule& schedule, const std::vector<Worker>& workers,
                               const Lanes& lanes)
    : MarginalJoules(schedule, workers, stint::cache_joules(schedule, workers, lanes)) {}

double MarginalJoules::operator()(ActionId id, double seconds) const {
  const Platform& platform = schedule_.platform;
  const Action& action = schedule_.actions[id];
  const Worker& worker = workers_[action.worker];
  if (action.what == Do::compute) {
    const PowerState& state = platform.devices[worker.device].states[std::max(0, action.state)];
    return busy_watts(schedule_.graph.tasks[action.task], state) * seconds + cache_joules(id);
  }
  if (!worker.is_link())  // a load, of which no plan knows how long it takes
    return platform.devices[worker.device].states.front().busy_watts * seconds;
  const Link& link = platform.links[worker.link];
  return link.joules_per_byte * static_cast<double>(bytes_moved(schedule_, action)) +
         link.active_watts * seconds;
}

}  // namespace stint

// A schedule together with what the judge and the simulator say about it, for whoever shows it. A
// schedule that cannot be simulated (a name names nothing, the order is cyclic) has no simulation;
// everything that shows schedules shows the rest then.
#pragma once

#include <optional>
#include <vector>

#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

namespace stint {

struct Judged {
  std::vector<Violation> violations;
  std::optional<Simulation> simulation;
};

Judged judge(const Schedule& schedule);

// What a worker is busy with, copies that only occupy it included.
struct Busy {
  double seconds = 0;
  std::int64_t actions = 0;
};
std::vector<Busy> busy_by_worker(const Schedule& schedule, const Simulation& simulation);

}  // namespace stint

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

}  // namespace stint

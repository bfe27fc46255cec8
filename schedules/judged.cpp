#include "schedules/judged.hpp"

#include <algorithm>

namespace stint {
namespace {

// Names and order (R1 and R2 of the README): without them time means nothing.
bool can_be_simulated(const std::vector<Violation>& violations) {
  return std::none_of(violations.begin(), violations.end(),
                      [](const Violation& violation) { return violation.rule <= 2; });
}

}  // namespace

Judged judge(const Schedule& schedule) {
  Judged judged{validate(schedule), std::nullopt};
  if (can_be_simulated(judged.violations)) judged.simulation = simulate(schedule);
  return judged;
}

}  // namespace stint

// What can be measured on this machine and what can be set, for people: every domain of every
// counter, every kind of power state, why not where it cannot, and what to type.
#pragma once

#include <string>
#include <vector>

#include "platforms/meters/energy_domain.hpp"
#include "platforms/power/power_knobs.hpp"

namespace stint {

// Of sources that were probed.
std::string summary(const std::vector<EnergySource>& sources);

std::string summary(const std::vector<PowerKnob>& knobs);

}  // namespace stint

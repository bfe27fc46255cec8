// What can be measured on this machine, for people: every domain of every counter, why not where it
// cannot, and what to type.
#pragma once

#include <string>
#include <vector>

#include "platforms/meters/energy_domain.hpp"

namespace stint {

// Of sources that were probed.
std::string summary(const std::vector<EnergySource>& sources);

}  // namespace stint

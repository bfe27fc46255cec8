// Ourselves: the shape's static plan, laid out once, replayed in every step.
#pragma once

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

Contestant stint_contestant();

}  // namespace stint

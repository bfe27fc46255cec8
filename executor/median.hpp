// The middle of some measurements, which a few that went wrong do not move.
#pragma once

#include <vector>

namespace stint {

// The mean of the two in the middle if they are even in number; 0 if there are none.
double median(std::vector<double> values);

}  // namespace stint

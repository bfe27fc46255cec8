// Costs that are whole multiples of one amount, as those of files with round numbers are: counted
// in it nothing is lost to rounding, so that a plan may be proved the best to the last digit.
//
// Euclid's algorithm on floating-point numbers. O(n log(most_units)).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stint {

// The largest of which all are whole multiples but for the last digits of a double, if together
// they are no more than so many.
std::optional<double> common_unit(const std::vector<double>& costs, double most_units);

// What is whole but for the last digits of a double is that.
std::int64_t whole_part(double value);

}  // namespace stint

// The second opinion on whether items fit: items as rectangles of fixed time and free offset that
// must not overlap, for CP-SAT. Offsets are in units of the greatest common divisor of all sizes: a
// packing in which every item lies as low as it can has sums of sizes for offsets.
#pragma once

#include "planner/addresses/fit.hpp"

namespace stint {

Fit fit_by_solver(const std::vector<Item>& items, std::int64_t capacity_bytes,
                  const FitOptions& options);

}  // namespace stint

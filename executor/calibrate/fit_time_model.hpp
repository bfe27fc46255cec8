// The time model of an op, fitted to what was measured: a price for every feature of its tasks, and
// for the bytes beyond the end of every cache. Prices are not negative, and what is made least is
// the sum of relative errors: a task of a microsecond counts as much as one of a second, and a
// reading that went wrong does not bend the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/calibrate/observation.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Where the bytes of a task outgrow a cache: from half of a worker's share of it to twice that, and
// all of it.
std::vector<std::int64_t> cache_knots(const std::vector<Cache>& caches);

// By the observations that are not held out; without sigma. Prices of 0 are left out.
TimeModel fit_time_model(const std::vector<Observation>& seen,
                         const std::vector<std::int64_t>& knots);

}  // namespace stint

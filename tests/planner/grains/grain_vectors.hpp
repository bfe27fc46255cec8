// Splits and granularities with known answers: tests/planner/grains/data.
#pragma once

#include <optional>
#include <vector>

#include "planner/grains/granularity.hpp"
#include "planner/grains/split.hpp"

namespace stint {

struct SplitVector {
  std::int64_t items = 0;
  std::vector<SplitWorker> workers;
  double after_seconds = 0;
  std::optional<double> deadline_seconds;
  ItemSplit best;
};
std::vector<SplitVector> time_vectors();
std::vector<SplitVector> energy_vectors();

struct GranularityVector {
  GrainCosts costs;
  Grains best;
  double seconds_of_one_each = 0;  // as many tasks as workers, or as units if there are fewer
  double seconds_of_units = 0;     // as many tasks as units
};
std::vector<GranularityVector> granularity_vectors();

}  // namespace stint

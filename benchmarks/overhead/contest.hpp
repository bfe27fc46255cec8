// Lets contestants run the same shape with the same work in turns, so that whatever else the
// machine does hits all of them alike; what is compared are medians over the rounds of one contest.
#pragma once

#include <vector>

#include "benchmarks/overhead/contestant.hpp"

namespace stint {

struct ContestOptions {
  int rounds = 9;
  double seconds_per_round = 0.03;  // for each contestant: as many steps as begin within it
};

// Wall time per task. Other programs can only add to a time, so the fastest step of a round stands
// for it.
struct Timing {
  double fastest_seconds = 0;  // of all rounds
  double median_seconds = 0;   // over the rounds
};

// In the order of the contestants. Throws if one of them fails, or leaves tasks out or runs them
// too early, which is looked at first, apart from the timing.
std::vector<Timing> time_per_task(const std::vector<Contestant>& contestants,
                                  const TaskShape& shape, Work work, const ContestOptions& options);

}  // namespace stint

// Into how many tasks equal units of work are best cut: fewer tasks pay less overhead, more keep
// all workers busy and let the first begin while the last are still being handed out.
//
// The model: n tasks whose sizes differ by at most one unit, the larger first; task i runs on
// worker i mod P, not before `submit_seconds`·(i + 1), and takes h + size·unit seconds. Equal
// workers; for unequal ones see split.hpp.
#pragma once

#include <cstdint>

namespace stint {

struct GrainCosts {
  std::int64_t units = 1;
  std::int64_t workers = 1;
  double unit_seconds = 0;
  double overhead_seconds = 0;  // h, of every task, on its worker
  double submit_seconds = 0;    // of every task, one after the other; 0 in a static replay
};

struct Grains {
  std::int64_t tasks = 1;
  double seconds = 0;
};

// When the last of so many tasks ends, 1 to `units`. O(tasks).
double seconds_of(const GrainCosts& costs, std::int64_t tasks);

// The fewest tasks that end earliest. O(units²).
Grains best_grains(const GrainCosts& costs);

}  // namespace stint

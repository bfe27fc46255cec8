// What single actions add to the bill of a step, at the prices of the schedule's platform: busy
// watts for as long as they take, and what bytes cost whatever the time: those that links carry, and
// those that tasks fetch from beyond a cache (cache_traffic.hpp).
#pragma once

#include <vector>

#include "schedules/lanes.hpp"
#include "schedules/schedule.hpp"

namespace stint {

class MarginalJoules {
 public:
  // Schedule and workers must outlive it. Joules of caches: by action, or none.
  MarginalJoules(const Schedule& schedule, const std::vector<Worker>& workers,
                 std::vector<double> cache_joules);
  MarginalJoules(const Schedule& schedule, const std::vector<Worker>& workers, const Lanes& lanes);

  // What an action adds if it takes so many seconds.
  double operator()(ActionId id, double seconds) const;

  // What of that no seconds decide: for bytes that were in no cache.
  double cache_joules(ActionId id) const { return cache_joules_.empty() ? 0 : cache_joules_[id]; }

 private:
  const Schedule& schedule_;
  const std::vector<Worker>& workers_;
  std::vector<double> cache_joules_;
};

}  // namespace stint

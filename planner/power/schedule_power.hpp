// Power states of a schedule, chosen anew while everything else stays: who does what, in which
// order, at which addresses. What happens before what does not change, so that a valid schedule
// stays valid; only times, waits and the bill do.
//
// The states of a device are chosen as it permits: one for the run, for each worker or for all of
// them; or one for each action, where actions that may overlap on a device with one state share it.
// Copies on one channel keep their turn in the model; the simulator tells in the end.
#pragma once

#include <optional>
#include <vector>

#include "planner/power/choose_power.hpp"
#include "planner/problem.hpp"
#include "schedules/schedule.hpp"

namespace stint {

struct SchedulePower {
  PowerProblem problem;
  std::vector<ActionId> order;  // by action of the problem, which one of the schedule it is
};

// What the states of the schedule's actions may be, and what they cost as the request bills it. The
// value of a choice is that of the simulator, but for waiting by spinning, and for active watts of
// devices with several workers, of which only as much counts as is certain.
SchedulePower schedule_power(const Problem& problem, const Schedule& schedule);

// The schedule with the least energy (or energy × seconds) on its order; it may be late without.
// Nothing if it is best as it is, if no states can be chosen, or if nothing on this order meets the
// deadline. Without a proof. `limit`: units of search.
std::optional<Schedule> with_better_states(const Problem& problem, const Schedule& schedule,
                                           double limit);

// Joules that a second more until the deadline would save on the order of the schedule, if states
// could be mixed; 0 if the deadline is no matter, infinite if nothing on this order meets it.
double worth_of_a_second(const Problem& problem, const Schedule& schedule);

}  // namespace stint

// What a strategy decides, and the one finisher that turns it into a schedule.
//
// A draft is a list of actions in one total order, each with its worker, its task or the tensor it
// moves, its power state, and the buffers it touches; tasks may appear several times. The order
// must respect data: whatever an action reads stands before it. `after` is for what an action waits
// for beside its data, such as a copy that shall not come back too early. What a draft leaves open
// — offsets, the rest of `after`, `wait`, ids, predicted values — follows from it, the same for
// every strategy:
// 1. `after` from the data, and times from the simulator;
// 2. lifetimes on the order of the simulated starts and ends; offsets for them;
// 3. `after` also from the addresses: whoever writes over older bytes comes after all who used
//    them. Such edges agree with the simulated times and so cost none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/problem.hpp"
#include "schedules/schedule.hpp"
#include "schedules/simulate.hpp"

namespace stint {

struct Draft {
  std::vector<Buffer> buffers;  // without offset and id; double where there is a second offset
  std::vector<Action> actions;  // without wait, id and derived values
  std::vector<BufferId> kept;   // carry a result to the end of the step
};

// Seconds and joules of a draft: what it costs, wherever its buffers may lie.
struct DraftCost {
  double seconds = 0;
  double joules = 0;
  std::int64_t live_bytes = 0;  // peaks of all memories but storage: no arenas are smaller
  bool fits = true;             // no memory's peak is above what it may hold
};

// Nothing if sizes or times are beyond all reason. `scratch` is a copy of problem.blank, or one
// that was used here before: copying model and platform takes longer than pricing a small draft.
std::optional<DraftCost> cost_of(const Problem& problem, const Draft& draft, Schedule& scratch);

// The whole schedule, without its proof. It may exceed the bounds of the request. Needs a draft
// that has a price. `address_effort`: times the usual work to find addresses within the memories.
Schedule finish(const Problem& problem, const Draft& draft, const std::string& strategy,
                double address_effort = 1);

// Whether a worker of a device that pays for spinning sleeps through a gap: what that saves is more
// than what waking costs, or nobody spins for so long.
bool pays_to_sleep(double gap_seconds, const Device& device, double on_watts);

// Waits, times and predicted values anew, after the power states of a schedule have changed.
void reprice(const Problem& problem, Schedule& schedule);

}  // namespace stint

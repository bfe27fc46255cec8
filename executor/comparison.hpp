// Predicted next to measured, for the report of a run: the bills (schedules/energy_bill.hpp), the
// ledger of checkpointing decisions, the joules of every action, and what was learned of tasks.
#pragma once

#include "executor/measurements.hpp"
#include "executor/run_meter.hpp"

namespace stint {

// Of a report that measurements and meter have filled in.
void compare(const Schedule& schedule, const Simulation& simulation,
             const Measurements& measurements, const RunMeter& meter, RunReport& report);

}  // namespace stint

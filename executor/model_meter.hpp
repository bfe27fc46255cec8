// The meter for machines without counters: the times of a replayed step, multiplied by the prices
// of the platform file. An estimate, as good as the prices: `basis` names the weakest of them.
//
// The terms are those of the simulator (schedules/README.md); only the times are measured.
#pragma once

#include <string>

#include "executor/measured_step.hpp"
#include "schedules/marginal_joules.hpp"

namespace stint {

// By what actions of the schedule add, which is the same for all of its steps.
JoulesBy modelled_joules(const Schedule& schedule, const Lanes& lists, const MarginalJoules& joules,
                         const MeasuredStep& step);

// `modelled:calibrated`, `modelled:datasheet` or `modelled:assumed`.
std::string model_basis(const Platform& platform);

}  // namespace stint

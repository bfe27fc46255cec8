// Good plans for property tests, made by the planner. The same seed gives the same plan.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"

namespace stint {

// Of a small random graph on a random machine; every eighth is the training step of
// training_step.hpp.
Schedule random_plan(std::uint64_t seed);

// The best plan of a model on a machine that keeps everything. Throws if there is none.
Schedule plan_of(const Model& model, const Platform& platform, const Request& request = {});

}  // namespace stint

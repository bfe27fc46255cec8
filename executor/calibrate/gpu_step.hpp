// A step of a network on one GPU as a schedule: tasks in listed order, every tensor in its place
// (step_places.hpp). For measuring; no judge has seen it.
#pragma once

#include "executor/calibrate/network_step.hpp"
#include "models/training/lower_network.hpp"
#include "schedules/schedule.hpp"

namespace stint {

Schedule gpu_step(const NetworkStep& step, const Graph& graph, const Platform& platform,
                  DeviceId gpu);

}  // namespace stint

// What a task or a copy costs on a platform: seconds and marginal joules. See the platform format
// in platforms/README.md for the terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Seconds of a task on one worker of a device at speed 1; nothing if the device cannot run it. A
// task's own `seconds` win, by full device name, then device name, then kind; else the device's
// time model prices its op, flops and bytes.
std::optional<double> seconds_at_speed_1(const Task& task, const Platform& platform,
                                         DeviceId device);

// Watts that one worker adds while it runs the task in that power state.
double busy_watts(const Task& task, const PowerState& state);

// The class by which watts may differ: gemm, conv, elementwise, reduction, copy, io; "" if unknown.
std::string op_class(const std::string& op);

double copy_seconds(const Link& link, std::int64_t bytes);
double copy_joules(const Link& link, std::int64_t bytes);  // bytes moved, and the link's own watts

}  // namespace stint

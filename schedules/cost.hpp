// What a task or a copy costs on a platform: seconds and marginal joules. See the platform format
// in platforms/README.md for the terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/graph.hpp"
#include "platforms/platform.hpp"

namespace stint {

// How long tasks take on the devices of a platform, which must outlive it.
class TaskTimes {
 public:
  explicit TaskTimes(const Platform& platform);

  // Seconds of a task on one worker of a device at speed 1; nothing if the device cannot run it. A
  // task's own `seconds` win, by full device name, then device name, then kind; then the first of
  // the device's measured kernels of the same op and shape; else the device's time model prices
  // its op, flops, bytes and features.
  std::optional<double> seconds_at_speed_1(const Task& task, DeviceId device) const;

  // What prices the task on the device if that is a time model; null if its own seconds, a measured
  // kernel or nothing does.
  const TimeModel* model_of(const Task& task, DeviceId device) const;

 private:
  const Kernel* kernel_for(const Task& task, DeviceId device) const;

  const Platform& platform_;
  std::vector<std::vector<const Kernel*>> kernels_;  // by device, ascending (op, shape)
};

// Seconds at speed 1 that a time model gives a task for its flops, bytes and features, corrected.
double modelled_seconds(const Task& task, const TimeModel& model);

// Watts that one worker adds while it runs the task in that power state.
double busy_watts(const Task& task, const PowerState& state);

// The class by which watts may differ: gemm, conv, elementwise, reduction, copy, io; "" if unknown.
std::string op_class(const std::string& op);

double copy_seconds(const Link& link, std::int64_t bytes);
double copy_joules(const Link& link, std::int64_t bytes);  // bytes moved, and the link's own watts

}  // namespace stint

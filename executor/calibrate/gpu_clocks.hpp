// How long tasks and copies take on a GPU of this machine: run as `run` runs them, and timed by the
// GPU's own events.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "executor/calibrate/step_clock.hpp"
#include "platforms/platform.hpp"

namespace stint {

// Whether it is the memory of a GPU.
bool is_of_gpu(const Platform& platform, MemoryId memory);

// Steps with every tensor in a place of its own, tasks in listed order on the GPU's first worker.
// Both must outlive the clock, which throws InputError if the GPU has no kernel for a task, or too
// little memory for the step.
StepClock gpu_clock(const Platform& platform, DeviceId gpu);

// Of a copy over a link to or from a GPU, whose other end is pinned where it is the host's: the
// least of several.
double gpu_copy_seconds(const Platform& platform, const Link& link, std::int64_t bytes);

// Runs a step again and again, from when it is made until it goes.
class BusyGpu {
 public:
  // What is handed over must outlive it. Throws as a clock does.
  BusyGpu(const NetworkStep& step, const Platform& platform, DeviceId gpu);
  ~BusyGpu();
  BusyGpu(const BusyGpu&) = delete;
  BusyGpu& operator=(const BusyGpu&) = delete;

 private:
  std::atomic<bool> stopped_{false};
  std::thread worker_;
};

}  // namespace stint

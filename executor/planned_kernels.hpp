// What a plan says of the kernels of its tasks: which implementation, how much workspace, at which
// addresses. The same for every kind of device.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "executor/cpu/kernel_job.hpp"

namespace stint {

class PlannedKernels {
 public:
  // Of that kind of devices.
  PlannedKernels(const Schedule& schedule, const std::string& device_kind);

  // "" if the plan leaves it open.
  std::string algorithm(const Task& task) const;

  // Throws InputError, naming the task, if its kernel here is another than the plan pins, or needs
  // more workspace than the plan gives.
  void expect(const Task& task, const KernelJob& job) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> pinned_;  // algorithm by (op, shape)
};

// Points the job to its operands.
void point_to(KernelJob& job, const Operands& operands, const Arenas& arenas);

}  // namespace stint

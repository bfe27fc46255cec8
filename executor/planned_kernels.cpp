#include "executor/planned_kernels.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

constexpr const char* measured_here =
    "this machine: `calibrate --for SCHEDULE -o here.json`, then `plan MODEL here.json`";

}  // namespace

PlannedKernels::PlannedKernels(const Schedule& schedule, const std::string& device_kind) {
  for (const PinnedKernel& kernel : schedule.lowering.kernels) {
    if (kernel.device == device_kind) pinned_[{kernel.op, kernel.shape}] = kernel.algorithm;
  }
}

std::string PlannedKernels::algorithm(const Task& task) const {
  const auto pinned = pinned_.find({task.op, task.shape});
  return pinned == pinned_.end() ? "" : pinned->second;
}

void PlannedKernels::expect(const Task& task, const KernelJob& job) const {
  const std::string where = fmt::format("task {}", in_quotes(task.name));
  const auto pinned = pinned_.find({task.op, task.shape});
  if (pinned != pinned_.end() && pinned->second != job.algorithm())
    throw InputError(
        where, fmt::format("the plan is for the kernel {}, here it would be {}; "
                           "expected a plan for {}",
                           in_quotes(pinned->second), in_quotes(job.algorithm()), measured_here));
  if (job.workspace_bytes() > task.workspace_bytes)
    throw InputError(where, fmt::format("its kernel needs {} of workspace here, the plan gives it "
                                        "{}; expected a plan for {}",
                                        bytes_text(job.workspace_bytes()),
                                        bytes_text(task.workspace_bytes), measured_here));
}

void point_to(KernelJob& job, const Operands& operands, const Arenas& arenas) {
  const auto list = [&](const std::vector<Place>& places) {
    std::vector<TaskAddresses::Halves> halves;
    for (const Place& place : places) {
      if (place.buffer == no_buffer)
        halves.push_back({nullptr, nullptr});
      else
        halves.push_back({arenas.bytes(place, 0).data(), arenas.bytes(place, 1).data()});
    }
    return halves;
  };
  TaskAddresses addresses{list(operands.reads), list(operands.writes), list(operands.updates_from),
                          list(operands.updates_to)};
  if (job.workspace_bytes() > 0) addresses.workspace = arenas.bytes(operands.workspace, 0).data();
  job.point_to(addresses);
}

}  // namespace stint

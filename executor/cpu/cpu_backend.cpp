#include "executor/cpu/cpu_backend.hpp"

#include <fmt/format.h>

#include <cstring>

#include "executor/operands.hpp"
#include "files/input_error.hpp"
#include "models/training/workspace.hpp"
#include "platforms/names.hpp"
#include "schedules/result_places.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

// Kernels of ours run on processors, and read and write whole vectors.
void expect_cpu(const Platform& platform, const Worker& worker) {
  const Device& device = platform.devices[worker.device];
  const std::string where = "device " + in_quotes(device_name(platform, DeviceId{worker.device}));
  if (device.kind != "cpu")
    throw InputError(where, fmt::format("of kind {}, for which there are no kernels; expected cpu, "
                                        "or --synthetic, which replays costs alone",
                                        in_quotes(device.kind)));
  const Memory& memory = platform.memories[device.memory];
  if (memory.alignment_bytes % workspace_alignment_bytes != 0)
    throw InputError(where, fmt::format("its memory aligns to {} bytes; expected a multiple of {}",
                                        memory.alignment_bytes, workspace_alignment_bytes));
}

constexpr const char* measured_here =
    "this machine: `calibrate --for SCHEDULE -o here.json`, then `plan MODEL here.json`";

}  // namespace

CpuBackend::CpuBackend(const Schedule& schedule, const LoweredNetwork& lowered, Arenas& arenas,
                       const TensorValues& values, std::int64_t seed)
    : schedule_(schedule),
      lowered_(lowered),
      arenas_(arenas),
      moves_(schedule, arenas, values),
      evaluation_(schedule, lowered, arenas),
      seed_(seed) {
  const std::vector<Worker> all = workers(schedule.platform);
  for (const Action& action : schedule.actions) {
    if (action.what == Do::compute) expect_cpu(schedule.platform, all[action.worker]);
  }
  const ResultPlace loss = result_places(schedule).front();
  loss_ = place(schedule, loss.buffer);
  loss_skip_bytes_ = loss.skip_bytes;
  for (const PinnedKernel& kernel : schedule.lowering.kernels) {
    if (kernel.device == "cpu") pinned_[{kernel.op, kernel.shape}] = kernel.algorithm;
  }
}

void CpuBackend::expect_as_planned(const Task& task, const KernelJob& job) const {
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

TaskAddresses CpuBackend::addresses(const Operands& operands, const KernelJob& job) const {
  const auto list = [&](const std::vector<Place>& places) {
    std::vector<TaskAddresses::Halves> halves;
    for (const Place& place : places) {
      if (place.buffer == no_buffer)
        halves.push_back({nullptr, nullptr});
      else
        halves.push_back({arenas_.bytes(place, 0).data(), arenas_.bytes(place, 1).data()});
    }
    return halves;
  };
  TaskAddresses addresses{list(operands.reads), list(operands.writes), list(operands.updates_from),
                          list(operands.updates_to)};
  if (job.workspace_bytes() > 0) addresses.workspace = arenas_.bytes(operands.workspace, 0).data();
  return addresses;
}

std::unique_ptr<Job> CpuBackend::compute(const Action& action, const Operands& operands, double) {
  const TaskKernel& kernel = lowered_.kernels[action.task];
  auto job = std::make_unique<KernelJob>(kernel, pools_[action.worker], seed_);
  expect_as_planned(schedule_.graph.tasks[action.task], *job);
  job->point_to(addresses(operands, *job));
  return evaluation_.in_both(std::move(job), action, operands);
}

std::unique_ptr<Job> CpuBackend::copy(const Action& action, const Operands& operands, double) {
  return moves_.copy(action, operands, 0);
}

std::unique_ptr<Job> CpuBackend::load(const Action& action, const Operands& operands, double) {
  return moves_.load(action, operands, 0);
}

std::optional<double> CpuBackend::loss(std::int64_t step) const {
  float loss = 0;
  const std::vector<std::byte> held = arenas_.get(loss_, step);
  std::memcpy(&loss, held.data() + loss_skip_bytes_, sizeof(loss));
  return loss;
}

}  // namespace stint

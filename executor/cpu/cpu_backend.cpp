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

}  // namespace

CpuBackend::CpuBackend(const Schedule& schedule, const LoweredNetwork& lowered, Arenas& arenas,
                       const TensorValues& values, std::int64_t seed)
    : schedule_(schedule),
      lowered_(lowered),
      arenas_(arenas),
      moves_(schedule, arenas, values),
      evaluation_(schedule, lowered, arenas),
      planned_(schedule, "cpu"),
      workers_(workers(schedule.platform)),
      seed_(seed) {
  const ResultPlace loss = result_places(schedule).front();
  loss_ = place(schedule, loss.buffer);
  loss_skip_bytes_ = loss.skip_bytes;
}

std::unique_ptr<Job> CpuBackend::compute(const Action& action, const Operands& operands, double) {
  expect_cpu(schedule_.platform, workers_[action.worker]);
  const TaskKernel& kernel = lowered_.kernels[action.task];
  auto job = std::make_unique<KernelJob>(kernel, pools_[action.worker], seed_);
  planned_.expect(schedule_.graph.tasks[action.task], *job);
  point_to(*job, operands, arenas_);
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

#include "tests/executor/cpu/delayed_training.hpp"

#include "executor/cpu/cpu_backend.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"

namespace stint {

RunReport trained_with(const Schedule& schedule, std::int64_t steps, const BeforeAction& before) {
  const auto& network = std::get<Network>(schedule.model);
  const LoweredNetwork lowered = lower_with_kernels(network, schedule.lowering);
  const auto samples = open_samples("", network, schedule.lowering.batch, 0, false);
  const NetworkValues values(network, lowered, schedule.lowering, *samples, 0);
  Arenas arenas(schedule, {});
  CpuBackend backend(schedule, lowered, arenas, values, 0);
  DelayingBackend delaying(schedule, backend, before);
  RunOptions options;
  options.steps = steps;
  options.warmup_steps = 0;
  return run_unjudged(schedule, arenas, delaying, values, options, false).report;
}

}  // namespace stint

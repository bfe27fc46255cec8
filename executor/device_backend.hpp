// The backend of plans for CPUs and GPUs together: what an accelerator performs it enqueues, and
// everything else is done as on CPUs alone, after the work on devices that the plan puts before it.
#pragma once

#include "executor/accelerator.hpp"
#include "executor/cpu/cpu_backend.hpp"

namespace stint {

class DeviceBackend : public Backend {
 public:
  // As CpuBackend; the accelerator must outlive the jobs too.
  DeviceBackend(const Schedule& schedule, const LoweredNetwork& lowered, Arenas& arenas,
                const TensorValues& values, std::int64_t seed, Accelerator& accelerator);

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override;
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                            double seconds) override;
  std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                            double seconds) override;

  void start_clocks() override { accelerator_.start_clocks(); }
  std::vector<DeviceSpan> device_spans() const override { return accelerator_.device_spans(); }
  Witness* witness() const override { return accelerator_.witness(); }
  std::optional<double> loss(std::int64_t step) const override { return cpu_.loss(step); }

 private:
  ActionId id_of(const Action& action) const;
  CopyEnd end_of(const Place& place) const;
  // A job of the host, after all that the plan puts before it on devices, before a witness.
  std::unique_ptr<Job> on_host(ActionId action, const Operands& operands, std::unique_ptr<Job> job);

  const Schedule& schedule_;
  const LoweredNetwork& lowered_;
  Arenas& arenas_;
  const TensorValues& values_;
  Accelerator& accelerator_;
  CpuBackend cpu_;
  PlannedKernels planned_;
};

}  // namespace stint

// The backend that trains: tasks of a network run their kernels, on one thread each; copies and
// loads move real bytes as fast as they can. What a task computes depends on its operands alone, so
// every plan of the same numerics ends with the same bits.
#pragma once

#include <map>
#include <vector>

#include "executor/arenas.hpp"
#include "executor/backend.hpp"
#include "executor/cpu/evaluation_jobs.hpp"
#include "executor/cpu/kernel_job.hpp"
#include "executor/cpu/leaf_kernels.hpp"
#include "executor/moves.hpp"
#include "executor/planned_kernels.hpp"
#include "models/training/lower_network.hpp"
#include "platforms/names.hpp"

namespace stint {

class CpuBackend : public Backend {
 public:
  // All must outlive the jobs; `lowered` is the schedule's graph with its kernels. `seed` decides
  // masks. Tasks of devices that are no CPUs, or whose memory aligns too little, throw InputError.
  CpuBackend(const Schedule& schedule, const LoweredNetwork& lowered, Arenas& arenas,
             const TensorValues& values, std::int64_t seed);

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override;
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                            double seconds) override;
  std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                            double seconds) override;

  std::optional<double> loss(std::int64_t step) const override;
  void evaluate(std::int64_t step, std::int64_t samples) override {
    evaluation_.begin(step, samples);
  }
  LabelScore label_score() const override { return evaluation_.score(); }

 private:
  const Schedule& schedule_;
  const LoweredNetwork& lowered_;
  Arenas& arenas_;
  Moves moves_;
  EvaluationJobs evaluation_;
  PlannedKernels planned_;
  std::vector<Worker> workers_;
  std::int64_t seed_;
  std::map<WorkerId, KernelPool> pools_;
  Place loss_;
  std::int64_t loss_skip_bytes_ = 0;
};

}  // namespace stint

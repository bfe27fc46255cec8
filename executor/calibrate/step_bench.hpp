// One step of a network, task after task in listed order on one thread, to see how long each takes
// where it stands: after the tasks before it, with caches as they leave them. A kernel by itself,
// run again and again, finds everything that it touches next to it, and is up to ten times as fast
// as in a step.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "executor/calibrate/aligned_block.hpp"
#include "executor/calibrate/network_step.hpp"
#include "executor/calibrate/step_places.hpp"
#include "executor/cpu/kernel_job.hpp"
#include "executor/cpu/network_values.hpp"
#include "models/training/lower_network.hpp"

namespace stint {

class StepBench {
 public:
  // Both must outlive it.
  StepBench(const NetworkStep& step, const LoweredNetwork& lowered);

  std::int64_t bytes() const { return places_.bytes; }  // that it takes

  // Before the first step. Samples are generated, parameters as a run begins with.
  void prepare();

  void run();  // a step

  // By task: medians over several steps, after some to warm up. What other programs take of the
  // core does not count.
  std::vector<double> seconds();

 private:
  void fill(Kind kind);
  TaskAddresses addresses(const Task& task, std::int64_t workspace) const;
  void run_timed(std::vector<double>& seconds);  // by task

  const Graph& graph_;
  KernelPool pool_;
  std::vector<std::unique_ptr<KernelJob>> jobs_;  // by task
  StepPlaces places_;
  AlignedBlock bytes_;
  std::unique_ptr<SampleSource> samples_;
  NetworkValues values_;
  std::vector<bool> is_long_;  // by task: other programs may have the core for a part of it
  std::int64_t step_ = 0;
};

}  // namespace stint

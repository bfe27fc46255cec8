#include "executor/calibrate/step_bench.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "executor/calibrate/core_clock.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/median.hpp"
#include "executor/ticks.hpp"

namespace stint {
namespace {

constexpr int warmup_steps = 2;
constexpr int fewest_steps = 5;
constexpr int most_timed_steps = 200;
constexpr double enough_step_seconds = 0.15;
// Tasks that are shorter are hardly ever interrupted, and the median does not see it; around them
// looking at the thread's clock would cost more than it tells.
constexpr double long_seconds = 3e-5;

}  // namespace

StepBench::StepBench(const NetworkStep& step, const LoweredNetwork& lowered)
    : graph_(lowered.graph),
      samples_(open_samples("", step.network, step.lowering.batch, measured_seed, false)),
      values_(step.network, lowered, step.lowering, *samples_, measured_seed) {
  std::vector<std::int64_t> workspace_bytes;
  for (const TaskKernel& kernel : lowered.kernels) {
    jobs_.push_back(std::make_unique<KernelJob>(kernel, pool_, measured_seed));
    workspace_bytes.push_back(jobs_.back()->workspace_bytes());
  }
  places_ = step_places(graph_, workspace_bytes);
}

void StepBench::prepare() {
  bytes_ = aligned_block(places_.bytes);
  std::memset(bytes_.get(), 0, static_cast<std::size_t>(places_.bytes));
  for (std::size_t t = 0; t < jobs_.size(); ++t)
    jobs_[t]->point_to(addresses(graph_.tasks[t], places_.workspaces[t]));
  fill(Kind::state);
}

TaskAddresses StepBench::addresses(const Task& task, std::int64_t workspace) const {
  const auto list = [&](const std::vector<TensorId>& tensors) {
    std::vector<TaskAddresses::Halves> halves;
    for (const TensorId tensor : tensors) {
      std::byte* const at = bytes_.get() + places_.tensors[tensor];
      halves.push_back({at, at});
    }
    return halves;
  };
  TaskAddresses found{list(task.reads), list(task.writes), list(task.updates), list(task.updates)};
  found.workspace = bytes_.get() + workspace;
  return found;
}

void StepBench::fill(Kind kind) {
  for (int i = 0; i < static_cast<int>(graph_.tensors.size()); ++i) {
    const Tensor& tensor = graph_.tensors[i];
    if (tensor.kind != kind) continue;
    const std::span bytes(bytes_.get() + places_.tensors[i],
                          static_cast<std::size_t>(tensor.bytes));
    if (kind == Kind::state) values_.fill_state(TensorId{i}, bytes);
    if (kind == Kind::input) values_.fill_input(TensorId{i}, step_, bytes);
  }
}

// Inputs come before a step, as in a run.
void StepBench::run() {
  fill(Kind::input);
  for (const auto& job : jobs_) job->run(step_);
  ++step_;
}

// A task begins when the one before it ends, unless there were clocks to look at in between.
void StepBench::run_timed(std::vector<double>& seconds) {
  const double tick_seconds = seconds_per_tick();
  fill(Kind::input);
  Ticks begin = ticks_after_wait();
  for (std::size_t t = 0; t < jobs_.size(); ++t) {
    const double on_core = is_long_[t] ? seconds_on_core() : 0;
    if (is_long_[t]) begin = ticks_now();
    jobs_[t]->run(step_);
    const Ticks end = ticks_now();
    seconds[t] = static_cast<double>(end - begin) * tick_seconds;
    begin = end;
    if (!is_long_[t]) continue;
    seconds[t] = std::min(seconds[t], seconds_on_core() - on_core);
    begin = ticks_now();
  }
  ++step_;
}

std::vector<double> StepBench::seconds() {
  std::vector<double> of_step(jobs_.size());
  is_long_.assign(jobs_.size(), false);
  run();
  for (int i = 1; i < warmup_steps; ++i) run_timed(of_step);
  for (std::size_t t = 0; t < jobs_.size(); ++t) is_long_[t] = of_step[t] >= long_seconds;
  std::vector<std::vector<double>> readings(jobs_.size());
  double total = 0;
  for (int i = 0; i < fewest_steps || (i < most_timed_steps && total < enough_step_seconds); ++i) {
    run_timed(of_step);
    total += std::accumulate(of_step.begin(), of_step.end(), 0.0);
    for (std::size_t t = 0; t < jobs_.size(); ++t) readings[t].push_back(of_step[t]);
  }
  std::vector<double> medians;
  for (auto& of_task : readings)
    medians.push_back(std::max(median(std::move(of_task)), 1e-9));  // a clock that stood still
  return medians;
}

}  // namespace stint

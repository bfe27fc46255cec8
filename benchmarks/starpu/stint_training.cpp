#include "benchmarks/starpu/stint_training.hpp"

#include <chrono>

#include "executor/cpu/cpu_backend.hpp"
#include "executor/replay.hpp"
#include "executor/seating.hpp"
#include "executor/step_data.hpp"
#include "executor/ticks.hpp"
#include "schedules/simulate.hpp"

namespace stint {
namespace {

class NoJob : public Job {
 public:
  void run(std::int64_t) override {}
};

class WithoutLoads : public CpuBackend {
 public:
  using CpuBackend::CpuBackend;
  std::unique_ptr<Job> load(const Action&, const Operands&, double) override {
    return std::make_unique<NoJob>();
  }
};

double busy_seconds(const StepTimes& times) {
  Ticks busy = 0;
  for (const ActionTimes& action : times.actions) busy += action.end - action.begin;
  return static_cast<double>(busy) * seconds_per_tick();
}

}  // namespace

TrainedSteps train_by_plan(const Schedule& schedule, int warmup_steps, int steps) {
  const auto& network = std::get<Network>(schedule.model);
  const LoweredNetwork lowered = lower_with_kernels(network, schedule.lowering);
  const OneBatch samples(network, schedule.lowering.batch);
  const NetworkValues values(network, lowered, schedule.lowering, samples, 0);
  Arenas arenas(schedule, {});
  WithoutLoads backend(schedule, lowered, arenas, values, 0);
  const Program program = compile(schedule, simulate(schedule).seconds, backend);
  StepData data(schedule, arenas, values);
  Seating seating(schedule.platform, program);
  const Stop never{false};
  Replay replay(
      program, seating.spin_seconds(), [&](WorkerId worker) { seating.pin(worker); }, never);
  TrainedSteps trained;
  for (const int count : {warmup_steps, steps}) {
    trained = {};
    data.reset(1);  // both halves of inputs that are loaded in turns
    data.reset(0);
    for (std::int64_t step = 0; step < count; ++step) {
      data.bring_inputs(step);
      const auto begin = std::chrono::steady_clock::now();
      replay.run_step(step);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      trained.seconds.push_back(taken.count());
      trained.busy_seconds += busy_seconds(replay.times());
    }
  }
  trained.state_sha256 = state_sha256(data.state(steps));
  return trained;
}

}  // namespace stint

#include "benchmarks/overhead/stint_contestant.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>

#include "benchmarks/overhead/shape_schedule.hpp"
#include "executor/replay.hpp"
#include "executor/seating.hpp"
#include "schedules/simulate.hpp"

namespace stint {
namespace {

class WorkJob : public Job {
 public:
  WorkJob(Work work, int task) : work_(work), task_(task) {}

  void run(std::int64_t) override { work_(task_); }

 private:
  Work work_;
  int task_;
};

// The contest's work in place of kernels; its schedules have neither copies nor loads.
class WorkBackend : public Backend {
 public:
  explicit WorkBackend(Work work) : work_(work) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands&, double) override {
    return std::make_unique<WorkJob>(work_, action.task);
  }
  std::unique_ptr<Job> copy(const Action&, const Operands&, double) override { return none(); }
  std::unique_ptr<Job> load(const Action&, const Operands&, double) override { return none(); }

 private:
  [[noreturn]] static std::unique_ptr<Job> none() {
    throw std::logic_error("a shape's schedule only computes");
  }

  Work work_;
};

Program compiled(const Schedule& schedule, Work work) {
  WorkBackend backend(work);
  return compile(schedule, simulate(schedule).seconds, backend);
}

class Replayed {
 public:
  Replayed(const TaskShape& shape, Work work)
      : schedule_(shape_schedule(shape)),
        program_(compiled(schedule_, work)),
        seating_(schedule_.platform, program_),
        replay_(
            program_, seating_.spin_seconds(), [this](WorkerId worker) { seating_.pin(worker); },
            never_) {}

  void step() {
    if (replay_.run_step(step_++) != StepEnd::done)
      throw std::runtime_error("a step was not replayed to its end");
  }

 private:
  const Schedule schedule_;
  const Program program_;
  Seating seating_;
  const Stop never_{false};
  std::int64_t step_ = 0;
  Replay replay_;
};

}  // namespace

Contestant stint_contestant() {
  return {"Stint", [](const TaskShape& shape, Work work) -> Step {
            const auto replayed = std::make_shared<Replayed>(shape, work);
            return [replayed] { replayed->step(); };
          }};
}

}  // namespace stint

#include "tests/executor/replays.hpp"

#include <chrono>
#include <thread>

#include "executor/byte_streams.hpp"
#include "executor/synthetic_data.hpp"

namespace stint {
namespace {

class DelayedJob : public Job {
 public:
  DelayedJob(std::unique_ptr<Job> job, ActionId action, const BeforeAction& before)
      : job_(std::move(job)), action_(action), before_(before) {}
  void run(std::int64_t step) override {
    before_(action_, step);
    job_->run(step);
  }

 private:
  std::unique_ptr<Job> job_;
  ActionId action_;
  const BeforeAction& before_;
};

}  // namespace

std::unique_ptr<Job> DelayingBackend::compute(const Action& action, const Operands& operands,
                                              double seconds) {
  return delayed(action, backend_.compute(action, operands, seconds));
}
std::unique_ptr<Job> DelayingBackend::copy(const Action& action, const Operands& operands,
                                           double seconds) {
  return delayed(action, backend_.copy(action, operands, seconds));
}
std::unique_ptr<Job> DelayingBackend::load(const Action& action, const Operands& operands,
                                           double seconds) {
  return delayed(action, backend_.load(action, operands, seconds));
}

std::unique_ptr<Job> DelayingBackend::delayed(const Action& action, std::unique_ptr<Job> job) {
  const auto id = static_cast<ActionId>(&action - schedule_.actions.data());
  return std::make_unique<DelayedJob>(std::move(job), id, before_);
}

RunOptions quick_options() { return {.steps = 3, .warmup_steps = 0, .pace = Pace::none}; }

RunReport replay(const Schedule& schedule, const RunOptions& options) {
  return run(schedule, options, false);
}

RunReport replay_with(const Schedule& schedule, const BeforeAction& before,
                      const RunOptions& options) {
  Arenas arenas(schedule, options.storage);
  const SyntheticValues values(schedule.graph, options.seed);
  SyntheticBackend backend(schedule, arenas, values, options.pace);
  DelayingBackend delaying(schedule, backend, before);
  return run_unjudged(schedule, arenas, delaying, values, options, false).report;
}

BeforeAction random_delays(std::uint64_t seed) {
  return [seed](ActionId action, std::int64_t step) {
    const std::uint64_t random = derive(derive(seed, step), static_cast<std::int64_t>(action));
    std::this_thread::sleep_for(std::chrono::microseconds(random % 50));
  };
}

ReferenceRun hashes(const RunReport& report) {
  return {report.state_sha256, report.results_sha256};
}

}  // namespace stint

// Short ways to replay in tests: without taking the predicted time, with delays, without the judge.
#pragma once

#include <functional>

#include "executor/run.hpp"
#include "tests/support/reference_run.hpp"

namespace stint {

// No warm-up, no waiting for predicted ends, three steps.
RunOptions quick_options();

// Judged and replayed.
RunReport replay(const Schedule& schedule, const RunOptions& options = quick_options());

// Called in the action's thread, before it does anything.
using BeforeAction = std::function<void(ActionId, std::int64_t step)>;

// Another backend's jobs with something before each. All must outlive the jobs.
class DelayingBackend : public Backend {
 public:
  DelayingBackend(const Schedule& schedule, Backend& backend, const BeforeAction& before)
      : schedule_(schedule), backend_(backend), before_(before) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override;
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                            double seconds) override;
  std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                            double seconds) override;
  std::uint64_t step_digest() const override { return backend_.step_digest(); }
  std::optional<double> loss(std::int64_t step) const override { return backend_.loss(step); }

 private:
  std::unique_ptr<Job> delayed(const Action& action, std::unique_ptr<Job> job);

  const Schedule& schedule_;
  Backend& backend_;
  const BeforeAction& before_;
};

// Not judged.
RunReport replay_with(const Schedule& schedule, const BeforeAction& before,
                      const RunOptions& options = quick_options());

// Sleeps up to 50 µs before every action, differently every time but the same for a seed.
BeforeAction random_delays(std::uint64_t seed);

// The hashes of a report, to compare with those of reference_run.
ReferenceRun hashes(const RunReport& report);

}  // namespace stint

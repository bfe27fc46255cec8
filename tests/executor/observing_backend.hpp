// A backend that tells what a policy's frequencies are when each task runs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/backend.hpp"
#include "tests/support/fake_cpufreq.hpp"

namespace stint {

template <typename Observed>
class ObservingBackend : public Observed {
 public:
  // The rest is for the backend that is observed.
  template <typename... Arguments>
  ObservingBackend(const FakeCpufreq& cpufreq, int policy, Arguments&&... arguments)
      : Observed(std::forward<Arguments>(arguments)...), cpufreq_(cpufreq), policy_(policy) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override {
    return std::make_unique<ObservingJob>(Observed::compute(action, operands, seconds), *this);
  }
  std::vector<std::string> seen;

 private:
  struct ObservingJob : Job {
    ObservingJob(std::unique_ptr<Job> inner, ObservingBackend& owner)
        : job(std::move(inner)), backend(owner) {}
    void run(std::int64_t step) override {
      backend.seen.push_back(backend.cpufreq_.range(backend.policy_));
      job->run(step);
    }
    std::unique_ptr<Job> job;
    ObservingBackend& backend;
  };
  const FakeCpufreq& cpufreq_;
  int policy_;
};

}  // namespace stint

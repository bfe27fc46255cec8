// What the steps of a run took, gathered step by step: medians and spread for the report.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/measured_step.hpp"
#include "schedules/run_report.hpp"
#include "schedules/simulate.hpp"

namespace stint {

class Measurements {
 public:
  // Both references must outlive it.
  Measurements(const Schedule& schedule, const Simulation& simulation, std::int64_t steps);

  void add(const StepTimes& times);

  // Fills in all that was measured, but for bills.
  void report(RunReport& report) const;

  // Medians over the steps, term by term, at the prices of a platform that differs in nothing else;
  // of actions those that were reported.
  MeasuredStepTimes at_prices(const Platform& platform,
                              const std::vector<RunAction>& reported) const;

 private:
  std::vector<RunAction> actions() const;

  const Schedule& schedule_;
  const Simulation& simulation_;
  Lanes lists_;
  std::size_t most_kept_;  // steps whose actions are kept
  bool kept_order_ = true;
  std::vector<double> seconds_;  // by step
  std::vector<MeasuredStep> kept_;
};

}  // namespace stint

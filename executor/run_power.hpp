// The power states of a run: set as the plan says, once or where a worker comes to another one, and
// put back at the end. A plan that only uses the first state of each device, which is what the
// machine does by itself, needs none of this.
//
// Where a state cannot be set the plan is refused; or, if degraded runs are allowed, it is run in
// the first states, with predictions for those.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/backend.hpp"
#include "executor/state_switches.hpp"
#include "schedules/run_report.hpp"

namespace stint {

struct RunPowerOptions {
  bool set = false;  // false: states are not looked at, as where costs alone are replayed
  bool allow_degraded = false;
  PowerPlaces places;
  std::string saved_file;  // where values that were found are kept
};

class RunPower {
 public:
  // Sets states that hold for the whole run. Throws InputError, naming what to type. `file` is the
  // schedule's, which must outlive it.
  RunPower(const Schedule& schedule, const RunPowerOptions& options, const std::string& file);
  RunPower(const RunPower&) = delete;
  RunPower& operator=(const RunPower&) = delete;

  // As it is run: the plan, or the plan in the first states.
  const Schedule& schedule() const { return degraded_ ? *degraded_ : original_; }

  // Jobs of the backend given that set their state where the plan switches; the backend itself
  // where nothing does. Both must outlive it.
  Backend& switching(Backend& backend);

  // Puts everything back; says what was not kept, and that predictions are for other states.
  void finish(RunReport& report);

 private:
  void set_states(const RunPowerOptions& options);

  const Schedule& original_;
  std::optional<Schedule> degraded_;
  std::string why_degraded_;
  PowerControl control_;
  std::vector<int> of_run_;  // states of the guard that hold for the whole run
  std::unique_ptr<PowerGuard> guard_;
  std::unique_ptr<StateSwitches> switches_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace stint

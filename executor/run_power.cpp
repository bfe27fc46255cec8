#include "executor/run_power.hpp"

#include <algorithm>

#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "schedules/simulate.hpp"

namespace stint {
namespace {

bool uses_states(const Schedule& schedule) {
  return std::any_of(schedule.actions.begin(), schedule.actions.end(),
                     [](const Action& action) { return action.state > 0; });
}

// In the states that the machine is in by itself.
Schedule in_first_states(const Schedule& schedule) {
  Schedule copy = schedule;
  for (Action& action : copy.actions) {
    action.state = std::min(action.state, 0);
    action.start_seconds = action.seconds = action.joules = std::nullopt;
  }
  copy.predicted = predict(copy, simulate(copy));
  return copy;
}

}  // namespace

RunPower::RunPower(const Schedule& schedule, const RunPowerOptions& options,
                   const std::string& file)
    : original_(schedule), control_(options.places) {
  if (!options.set || !uses_states(schedule)) return;
  try {
    set_states(options);
  } catch (const PowerFault& fault) {
    if (!options.allow_degraded) {
      const std::string remedy = fault.to_type.empty() ? "" : fault.to_type + ", or ";
      throw InputError(file, std::string("its power states cannot be set: ") + fault.what() +
                                 "; expected " + remedy + "--allow-degraded");
    }
    why_degraded_ = fault.what();
    degraded_ = in_first_states(schedule);
  }
}

void RunPower::set_states(const RunPowerOptions& options) {
  switches_ = std::make_unique<StateSwitches>(original_);
  guard_ = std::make_unique<PowerGuard>(switches_->states(), control_, options.saved_file);
  of_run_ = switches_->begin(*guard_);
}

Backend& RunPower::switching(Backend& backend) {
  if (!guard_) return backend;
  backend_ = std::make_unique<SwitchingBackend>(backend, *switches_, *guard_);
  return *backend_;
}

void RunPower::finish(RunReport& report) {
  if (degraded_) {
    report.schedule_sha256 = sha256(schedule_text(original_));
    report.degraded = why_degraded_;
  }
  if (!guard_) return;
  for (const int state : of_run_) {
    for (const std::string& complaint : guard_->complaints(state)) {
      report.notes.push_back("times and energy are invalid: " + complaint);
    }
  }
  try {
    guard_->restore();
  } catch (const PowerFault& fault) {
    report.notes.push_back(std::string("power settings were not put back: ") + fault.what() +
                           "; type run --restore");
  }
}

}  // namespace stint

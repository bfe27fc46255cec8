#include "executor/state_switches.hpp"

#include <algorithm>
#include <set>

#include "executor/accelerator.hpp"
#include "platforms/cores.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

class SwitchingJob : public Job {
 public:
  SwitchingJob(std::unique_ptr<Job> job, const PowerGuard& guard, std::atomic<int>& now, int state)
      : job_(std::move(job)), guard_(guard), now_(now), state_(state) {}
  void run(std::int64_t step) override {
    if (now_.exchange(state_) != state_) guard_.set(state_);
    job_->run(step);
  }

 private:
  std::unique_ptr<Job> job_;
  const PowerGuard& guard_;
  std::atomic<int>& now_;  // of the unit: workers of a device may share one
  int state_;
};

// All processors are one unit here, so those of two kinds cannot be in two states.
void expect_one_kind_of_processors(const Platform& platform) {
  const auto kinds = std::count_if(platform.devices.begin(), platform.devices.end(),
                                   [](const Device& device) { return device.kind == "cpu"; });
  if (kinds > 1) {
    throw PowerFault("processors are several devices, whose states are not set one by one here",
                     "");
  }
}

}  // namespace

StateSwitches::StateSwitches(const Schedule& schedule)
    : platform_(schedule.platform), workers_(workers(schedule.platform)) {
  std::set<int> in_use;
  for (const Action& action : schedule.actions) {
    if (action.state > 0) in_use.insert(workers_[action.worker].device);
  }
  for (const Action& action : schedule.actions) {
    const bool computes = action.what == Do::compute;
    if (computes && in_use.contains(workers_[action.worker].device)) add(action);
  }
}

MachinePart StateSwitches::unit_of(const Action& action) const {
  const int own = workers_[action.worker].device;
  const Device& device = platform_.devices[own];
  if (is_gpu(device)) {
    const auto gpu =
        std::count_if(platform_.devices.begin(), platform_.devices.begin() + own, is_gpu);
    return {true, static_cast<int>(gpu)};
  }
  const bool whole = device.settable == Settable::run || device.state_scope == StateScope::device;
  return {false, whole ? -1 : Cores::here().processor(action.worker)};
}

void StateSwitches::add(const Action& action) {
  const Device& device = platform_.devices[workers_[action.worker].device];
  if (device.kind != "cpu" && device.kind != "cuda") {
    throw PowerFault("device kind " + device.kind + " has no power states known here", "");
  }
  const MachinePart unit = unit_of(action);
  if (!unit.is_gpu) expect_one_kind_of_processors(platform_);
  Unit& known = units_[{unit.is_gpu, unit.number}];
  known.by_action = device.settable == Settable::action;
  known.states.resize(device.states.size(), -1);
  const int state = std::max(0, action.state);
  if (known.states[state] >= 0) return;
  known.states[state] = static_cast<int>(states_.size());
  states_.push_back({unit, state == 0 ? "" : device.states[state].name});
}

std::vector<int> StateSwitches::begin(const PowerGuard& guard) {
  std::vector<int> of_run;
  for (auto& [name, unit] : units_) {
    const auto first =
        std::find_if(unit.states.begin(), unit.states.end(), [](int state) { return state >= 0; });
    guard.set(*first);
    unit.now = *first;
    if (!unit.by_action) of_run.push_back(*first);
  }
  return of_run;
}

std::unique_ptr<Job> StateSwitches::in_state(const Action& action, std::unique_ptr<Job> job,
                                             const PowerGuard& guard) {
  const MachinePart unit = unit_of(action);
  const auto found = units_.find({unit.is_gpu, unit.number});
  if (found == units_.end() || !found->second.by_action) return job;
  const int state = found->second.states[std::max(0, action.state)];
  return std::make_unique<SwitchingJob>(std::move(job), guard, found->second.now, state);
}

}  // namespace stint

#include "executor/run_power.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>

#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "platforms/cores.hpp"
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

// Which unit of this machine the worker of an action is.
PowerUnit unit_of(const Platform& platform, const Worker& worker, WorkerId id) {
  const Device& device = platform.devices[worker.device];
  if (device.kind == "cuda") {
    int gpu = 0;
    for (int i = 0; i < worker.device; ++i) gpu += platform.devices[i].kind == "cuda" ? 1 : 0;
    return {true, gpu};
  }
  if (device.kind != "cpu") {
    throw PowerFault("device kind " + device.kind + " has no power states known here", "");
  }
  const bool whole = device.settable == Settable::run || device.state_scope == StateScope::device;
  return {false, whole ? -1 : Cores::here().processor(id)};
}

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

// Which state of the guard every action needs, and in which each unit is.
struct RunPower::Switches {
  struct Unit {
    std::vector<int> states;  // of the guard, by state of the device; -1: not used
    bool by_action = false;
    std::atomic<int> now{-1};
  };
  std::map<std::pair<bool, int>, Unit> units;
  std::vector<UnitState> states;
  std::vector<Worker> all_workers;

  explicit Switches(const Schedule& schedule) : all_workers(workers(schedule.platform)) {
    std::set<int> in_use;  // devices that leave their first state
    for (const Action& action : schedule.actions) {
      if (action.state > 0) in_use.insert(all_workers[action.worker].device);
    }
    for (const Action& action : schedule.actions) {
      if (action.what == Do::compute && in_use.contains(all_workers[action.worker].device)) {
        add(schedule.platform, action);
      }
    }
  }

  void add(const Platform& platform, const Action& action) {
    const Device& device = platform.devices[all_workers[action.worker].device];
    const PowerUnit unit = unit_of(platform, all_workers[action.worker], action.worker);
    if (!unit.is_gpu) expect_one_kind_of_processors(platform);
    Unit& known = units[{unit.is_gpu, unit.number}];
    known.by_action = device.settable == Settable::action;
    known.states.resize(device.states.size(), -1);
    const int state = std::max(0, action.state);
    if (known.states[state] >= 0) return;
    known.states[state] = static_cast<int>(states.size());
    states.push_back({unit, state == 0 ? "" : device.states[state].name});
  }

  Unit* unit_for(const Platform& platform, const Action& action) {
    const Worker& worker = all_workers[action.worker];
    const std::string& kind = platform.devices[worker.device].kind;
    if (kind != "cpu" && kind != "cuda") return nullptr;
    const PowerUnit unit = unit_of(platform, worker, action.worker);
    const auto found = units.find({unit.is_gpu, unit.number});
    return found == units.end() || !found->second.by_action ? nullptr : &found->second;
  }
};

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

// Everything as the backend does it, in the state of each action.
class SwitchingBackend : public Backend {
 public:
  using JobIn = std::function<std::unique_ptr<Job>(const Action&, std::unique_ptr<Job>)>;
  SwitchingBackend(Backend& backend, JobIn in_state)
      : backend_(backend), in_state_(std::move(in_state)) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override {
    return in_state_(action, backend_.compute(action, operands, seconds));
  }
  std::unique_ptr<Job> copy(const Action& action, const Operands& operands,
                            double seconds) override {
    return backend_.copy(action, operands, seconds);
  }
  std::unique_ptr<Job> load(const Action& action, const Operands& operands,
                            double seconds) override {
    return backend_.load(action, operands, seconds);
  }
  std::uint64_t step_digest() const override { return backend_.step_digest(); }
  std::optional<StepScore> score(std::int64_t step) const override { return backend_.score(step); }
  void count_labels(bool counts) override { backend_.count_labels(counts); }

 private:
  Backend& backend_;
  JobIn in_state_;
};

}  // namespace

RunPower::RunPower(const Schedule& schedule, const PowerOptions& options, const std::string& file)
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

RunPower::~RunPower() = default;

void RunPower::set_states(const PowerOptions& options) {
  auto switches = std::make_unique<Switches>(original_);
  guard_ = std::make_unique<PowerGuard>(switches->states, control_, options.saved_file);
  for (auto& [name, unit] : switches->units) {
    const auto first =
        std::find_if(unit.states.begin(), unit.states.end(), [](int state) { return state >= 0; });
    guard_->set(*first);
    unit.now = *first;
    if (!unit.by_action) of_run_.push_back(*first);
  }
  switches_ = std::move(switches);
}

Backend& RunPower::switching(Backend& backend) {
  if (!switches_) return backend;
  backend_ = std::make_unique<SwitchingBackend>(
      backend, [this](const Action& action, std::unique_ptr<Job> job) -> std::unique_ptr<Job> {
        Switches::Unit* const unit = switches_->unit_for(original_.platform, action);
        if (unit == nullptr) return job;
        const int state = unit->states[std::max(0, action.state)];
        return std::make_unique<SwitchingJob>(std::move(job), *guard_, unit->now, state);
      });
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

// Where a plan changes power states: which state of the machine every action needs, and jobs that
// set it before they run. A unit of the machine is told only of changes, by whichever of its
// workers comes first.
#pragma once

#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "executor/backend.hpp"
#include "platforms/power/power_guard.hpp"

namespace stint {

class StateSwitches {
 public:
  // Of devices that leave their first state. Throws PowerFault if a device is nothing whose states
  // this machine can set. The schedule must outlive it.
  explicit StateSwitches(const Schedule& schedule);

  // For the guard; all that follows is by index into them.
  const std::vector<UnitState>& states() const { return states_; }

  // Sets every unit to its first state in use; gives those that hold for the whole run.
  std::vector<int> begin(const PowerGuard& guard);

  // The job, in the state of its action; the job itself where nothing switches.
  std::unique_ptr<Job> in_state(const Action& action, std::unique_ptr<Job> job,
                                const PowerGuard& guard);

 private:
  struct Unit {
    std::vector<int> states;  // of the guard, by state of the device; -1: not used
    bool by_action = false;
    std::atomic<int> now{-1};
  };
  void add(const Action& action);
  MachinePart unit_of(const Action& action) const;

  const Platform& platform_;
  std::vector<Worker> workers_;
  std::map<std::pair<bool, int>, Unit> units_;
  std::vector<UnitState> states_;
};

// Everything as a backend does it, each task in its state. All three must outlive it.
class SwitchingBackend : public Backend {
 public:
  SwitchingBackend(Backend& backend, StateSwitches& switches, const PowerGuard& guard)
      : backend_(backend), switches_(switches), guard_(guard) {}

  std::unique_ptr<Job> compute(const Action& action, const Operands& operands,
                               double seconds) override {
    return switches_.in_state(action, backend_.compute(action, operands, seconds), guard_);
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
  std::optional<double> loss(std::int64_t step) const override { return backend_.loss(step); }
  void evaluate(std::int64_t step, std::int64_t samples) override {
    backend_.evaluate(step, samples);
  }
  LabelScore label_score() const override { return backend_.label_score(); }
  void start_clocks() override { backend_.start_clocks(); }
  std::vector<DeviceSpan> device_spans() const override { return backend_.device_spans(); }
  Witness* witness() const override { return backend_.witness(); }

 private:
  Backend& backend_;
  StateSwitches& switches_;
  const PowerGuard& guard_;
};

}  // namespace stint

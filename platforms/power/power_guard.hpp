// Sets power states, and puts everything back as it was: at the end, when something is thrown, and
// after a signal that ends a run in order. What was found is saved before the first setting is
// made, so that a run that was killed can be undone (saved_settings.hpp).
//
// A state counts as set only if reading back says so; every state that is asked for is tried once
// when the guard is made, so that no run stops halfway for want of a permission.
#pragma once

#include <string>
#include <vector>

#include "platforms/power/saved_settings.hpp"
#include "platforms/power/state_settings.hpp"

namespace stint {

struct UnitState {
  MachinePart unit;
  std::string state;  // "": as the machine was found
};

class PowerGuard {
 public:
  // Throws PowerFault, and leaves everything as it was, if one of the states cannot be set.
  PowerGuard(std::vector<UnitState> states, const PowerControl& control, std::string saved_file);
  ~PowerGuard();  // restores
  PowerGuard(const PowerGuard&) = delete;
  PowerGuard& operator=(const PowerGuard&) = delete;

  // By index into the states given. Allocates nothing. Throws PowerFault.
  void set(int state) const;

  // After a run in one state: what the machine did otherwise, one line each.
  std::vector<std::string> complaints(int state) const;

  // Once; throws PowerFault if something could not be put back, which then stays in the file.
  void restore();

 private:
  std::vector<PowerSetting> found_by(const MachinePart& unit) const;
  void try_all() const;
  void restore_quietly() noexcept;

  const PowerControl& control_;
  std::string file_;
  std::vector<UnitState> states_;
  std::vector<StateSettings> settings_;  // by state
  bool is_restored_ = false;
};

}  // namespace stint

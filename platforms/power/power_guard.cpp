#include "platforms/power/power_guard.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stint {
namespace {

// Bits by which a GPU says that it was slowed down by something other than what we set: hardware
// slowdown, thermal (software, hardware), power brake.
constexpr std::uint64_t slowed_down = 0x8U | 0x20U | 0x40U | 0x80U;

// What the states of a unit, or of all units, found; each value once, in order.
class EachOnce {
 public:
  void add(const std::vector<PowerSetting>& values) {
    for (const PowerSetting& value : values) {
      if (std::find(all_.begin(), all_.end(), value) == all_.end()) all_.push_back(value);
    }
  }
  const std::vector<PowerSetting>& all() const { return all_; }

 private:
  std::vector<PowerSetting> all_;
};

std::string difference(const PowerSetting& setting, const PowerControl& control) {
  const std::string found = control.value(setting);
  const bool is_file = setting.kind == PowerSetting::Kind::file;
  return fmt::format("{}{} was set to {} and reads {}", is_file ? "" : "GPU ", setting.where,
                     setting.value, found);
}

}  // namespace

PowerGuard::PowerGuard(std::vector<UnitState> states, const PowerControl& control,
                       std::string saved_file)
    : control_(control), file_(std::move(saved_file)), states_(std::move(states)) {
  for (const auto& [unit, state] : states_) {
    settings_.push_back(state.empty() ? StateSettings{} : state_settings(unit, state, control_));
  }
  EachOnce found;
  for (const StateSettings& state : settings_) found.add(state.restore);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].state.empty()) settings_[i].apply = found_by(states_[i].unit);
  }
  save_settings(file_, found.all());
  try {
    try_all();
  } catch (...) {
    restore_quietly();
    throw;
  }
}

PowerGuard::~PowerGuard() { restore_quietly(); }

std::vector<PowerSetting> PowerGuard::found_by(const MachinePart& unit) const {
  EachOnce found;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].unit == unit) found.add(settings_[i].restore);
  }
  return found.all();
}

void PowerGuard::try_all() const {
  for (int i = 0; i < static_cast<int>(settings_.size()); ++i) {
    set(i);
    for (const PowerSetting& setting : settings_[i].expect) {
      if (!control_.holds(setting)) throw PowerFault(difference(setting, control_), "");
    }
  }
}

void PowerGuard::set(int state) const {
  for (const PowerSetting& setting : settings_[state].apply) control_.write(setting);
}

std::vector<std::string> PowerGuard::complaints(int state) const {
  std::vector<std::string> lines;
  try {
    for (const PowerSetting& setting : settings_[state].expect) {
      if (!control_.holds(setting)) lines.push_back(difference(setting, control_));
    }
    const MachinePart& unit = states_[state].unit;
    if (unit.is_gpu && (control_.nvml().throttle_reasons(unit.number) & slowed_down) != 0) {
      lines.push_back(fmt::format("GPU {} was slowed down by heat or its supply", unit.number));
    }
  } catch (const std::exception& fault) {
    lines.emplace_back(fault.what());
  }
  return lines;
}

void PowerGuard::restore() {
  if (is_restored_) return;
  is_restored_ = true;
  restore_saved_settings(file_, control_);
}

// What could not be restored stays in the file, which says so to the next run.
void PowerGuard::restore_quietly() noexcept {
  try {
    restore();
  } catch (const std::exception&) {
  }
}

}  // namespace stint

#include "platforms/power/power_knobs.hpp"

#include <fmt/format.h>

#include <functional>

#include "platforms/power/power_guard.hpp"

namespace stint {
namespace {

using Kind = PowerSetting::Kind;

// A state's name and the range of its kind. Throws PowerFault if the machine has nothing of it.
struct Present {
  std::string state;
  std::string range;
};
using FindPresent = std::function<Present()>;

PowerKnob probed(const MachinePart& unit, PowerKnob knob, const FindPresent& find,
                 const PowerControl& control, const std::string& saved_file) {
  try {
    const Present present = find();
    knob.range = present.range;
    PowerGuard guard({{unit, present.state}}, control, saved_file);
    guard.restore();
    knob.can_be_set = true;
  } catch (const PowerFault& fault) {
    knob.why_not = fault.what();
    knob.to_type = fault.to_type;
  }
  return knob;
}

std::string megahertz(const std::string& kilohertz) {
  const auto number = whole_number(kilohertz);
  if (!number) throw PowerFault("\"" + kilohertz + "\" is no frequency", "");
  return fmt::format("{:g}MHz", static_cast<double>(*number) / 1e3);
}

Present present_frequency(const PowerControl& control) {
  const std::string& root = control.places().cpufreq;
  for (const std::string& name : control.files().names(root)) {
    if (!name.starts_with("policy")) continue;
    const auto read = [&](const char* file) {
      return megahertz(control.value({Kind::file, root + "/" + name + file, ""}));
    };
    const std::string greatest = read("/scaling_max_freq");
    return {greatest, read("/cpuinfo_min_freq") + " to " + greatest};
  }
  throw PowerFault(root + " has no policy to set frequencies by", "");
}

// As many watts as the packages may draw together.
Present present_limit(const PowerControl& control) {
  double watts = 0;
  for (const PowerSetting& limit : state_settings({}, "1W", control).restore) {
    const auto microwatts = whole_number(limit.value);
    if (!microwatts) throw PowerFault("\"" + limit.value + "\" is no limit", "");
    watts += static_cast<double>(*microwatts) / 1e6;
  }
  return {fmt::format("{:.6f}W", watts), fmt::format("{:g}W now", watts)};
}

Present present_gpu_limit(int gpu, const PowerControl& control) {
  const auto milliwatts = whole_number(control.value({Kind::gpu_limit, std::to_string(gpu), ""}));
  const double watts = static_cast<double>(milliwatts.value_or(0)) / 1e3;
  return {fmt::format("{:.3f}W", watts), fmt::format("{:g}W now", watts)};
}

int gpus(const PowerControl& control) {
  try {
    return control.nvml().gpus();
  } catch (const PowerFault&) {
    return 0;
  }
}

}  // namespace

std::vector<PowerKnob> power_knobs(const PowerControl& control, const std::string& saved_file) {
  std::vector<PowerKnob> knobs;
  const auto add = [&](const MachinePart& unit, PowerKnob knob, const FindPresent& find) {
    knobs.push_back(probed(unit, std::move(knob), find, control, saved_file));
  };
  add({}, {"processors", "frequency"}, [&] { return present_frequency(control); });
  add({}, {"processors", "limit"}, [&] { return present_limit(control); });
  for (int gpu = 0; gpu < gpus(control); ++gpu)
    add({true, gpu}, {fmt::format("gpu-{}", gpu), "limit"},
        [&] { return present_gpu_limit(gpu, control); });
  return knobs;
}

}  // namespace stint

#include "platforms/power/state_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "platforms/processor_list.hpp"

namespace stint {
namespace {

using Kind = PowerSetting::Kind;

struct Meaning {
  bool is_frequency = false;
  double amount = 0;  // hertz or watts
};

Meaning meaning_of(const std::string& state) {
  struct Suffix {
    const char* text;
    bool is_frequency;
    double factor;
  };
  double number = 0;
  const char* const end = state.data() + state.size();
  const auto [stopped, error] = std::from_chars(state.data(), end, number);
  const std::string unit(stopped, end);
  for (const Suffix& suffix :
       {Suffix{"GHz", true, 1e9}, Suffix{"MHz", true, 1e6}, Suffix{"W", false, 1}}) {
    const double amount = number * suffix.factor;
    if (error == std::errc{} && unit == suffix.text && amount > 0 && amount < 1e12) {
      return {suffix.is_frequency, amount};
    }
  }
  throw PowerFault("state " + state +
                       " is not named by a frequency or a limit such as 2.3GHz or "
                       "250W",
                   "");
}

std::string rounded(double number) { return fmt::format("{:.0f}", std::round(number)); }

class Settings {
 public:
  explicit Settings(const PowerControl& control) : control_(control) {}

  // Set once, and put back as it is now.
  void set(Kind kind, const std::string& where, const std::string& value) {
    result_.restore.push_back({kind, where, control_.value({kind, where, ""})});
    apply(kind, where, value);
  }

  // The least frequency first, so that the limits are in order at every moment.
  void pin(const std::string& policy, const std::string& kilohertz) {
    const std::string least = read(policy + "/cpuinfo_min_freq");
    const std::string min = policy + "/scaling_min_freq";
    const std::string max = policy + "/scaling_max_freq";
    result_.restore.push_back({Kind::file, min, least});
    result_.restore.push_back({Kind::file, max, read(max)});
    result_.restore.push_back({Kind::file, min, read(min)});
    result_.apply.push_back({Kind::file, min, least});
    apply(Kind::file, max, kilohertz);
    apply(Kind::file, min, kilohertz);
  }

  std::string read(const std::string& path) const { return control_.value({Kind::file, path, ""}); }
  StateSettings result() { return std::move(result_); }

 private:
  void apply(Kind kind, const std::string& where, const std::string& value) {
    result_.apply.push_back({kind, where, value});
    result_.expect.push_back({kind, where, value});
  }

  const PowerControl& control_;
  StateSettings result_;
};

bool has_processor(const std::string& list, int processor) {
  const std::vector<int> processors = processors_in(list, ' ');
  return std::find(processors.begin(), processors.end(), processor) != processors.end();
}

// Of all processors, or of one.
std::vector<std::string> policies(const MachinePart& unit, const PowerControl& control) {
  const std::string& root = control.places().cpufreq;
  std::vector<std::string> found;
  for (const std::string& name : control.files().names(root)) {
    const std::string policy = root + "/" + name;
    if (!name.starts_with("policy")) continue;
    const bool meant =
        unit.number < 0 ||
        has_processor(control.value({Kind::file, policy + "/related_cpus", ""}), unit.number);
    if (meant) found.push_back(policy);
  }
  if (found.empty()) throw PowerFault(root + " has no policy to set frequencies by", "");
  return found;
}

StateSettings processor_frequency(const MachinePart& unit, double hertz,
                                  const PowerControl& control) {
  Settings settings(control);
  const std::string kilohertz = rounded(hertz / 1e3);
  for (const std::string& policy : policies(unit, control)) {
    const std::string governor = policy + "/scaling_governor";
    const bool by_user =
        control.files().can_read(governor) && settings.read(governor) == "userspace";
    if (by_user) {
      settings.set(Kind::file, policy + "/scaling_setspeed", kilohertz);
    } else {
      settings.pin(policy, kilohertz);
    }
  }
  return settings.result();
}

std::vector<std::string> packages(const PowerControl& control) {
  const std::string& root = control.places().powercap;
  std::vector<std::string> found;
  for (const std::string& zone : control.files().names(root)) {
    const std::string path = root + "/" + zone;
    const bool is_top = std::count(zone.begin(), zone.end(), ':') == 1;
    if (!is_top || zone.find("mmio") != std::string::npos) continue;
    const std::string name = path + "/name";
    if (!control.files().can_read(name)) continue;
    if (control.files().read(name).starts_with("package")) found.push_back(path);
  }
  if (found.empty()) throw PowerFault(root + " has no package whose power can be limited", "");
  return found;
}

StateSettings processor_limit(const MachinePart& unit, double watts, const PowerControl& control) {
  if (unit.number >= 0) throw PowerFault("a limit is of a whole package, not of one worker", "");
  Settings settings(control);
  const std::vector<std::string> all = packages(control);
  const std::string microwatts = rounded(watts * 1e6 / static_cast<double>(all.size()));
  for (const std::string& package : all) {
    settings.set(Kind::file, package + "/constraint_0_power_limit_uw", microwatts);
  }
  return settings.result();
}

StateSettings gpu_limit(int gpu, double watts, const PowerControl& control) {
  Settings settings(control);
  settings.set(Kind::gpu_limit, std::to_string(gpu), rounded(watts * 1e3));
  return settings.result();
}

// Nothing tells whether a clock was locked before, so it is unlocked afterwards.
StateSettings gpu_frequency(int gpu, double hertz, const PowerControl& control) {
  const PowerSetting lock{Kind::gpu_clock, std::to_string(gpu), rounded(hertz / 1e6)};
  const PowerSetting unlock{Kind::gpu_clock, lock.where, "0"};
  control.value(lock);
  return {{lock}, {lock}, {unlock}};
}

}  // namespace

StateSettings state_settings(const MachinePart& unit, const std::string& state,
                             const PowerControl& control) {
  const auto [is_frequency, amount] = meaning_of(state);
  if (!unit.is_gpu) {
    return is_frequency ? processor_frequency(unit, amount, control)
                        : processor_limit(unit, amount, control);
  }
  return is_frequency ? gpu_frequency(unit.number, amount, control)
                      : gpu_limit(unit.number, amount, control);
}

}  // namespace stint

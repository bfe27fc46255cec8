// Values of this machine that decide power, read and written one by one: a file of cpufreq or
// powercap, a GPU's power limit, a GPU's locked clock. What they mean together is in
// state_settings.hpp, keeping them safe is power_guard.hpp's.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "platforms/nvml.hpp"
#include "platforms/system_files.hpp"

namespace stint {

// A setting that cannot be read or made: why, and what would help ("" if nothing is known to).
struct PowerFault : std::runtime_error {
  PowerFault(const std::string& why, std::string remedy)
      : std::runtime_error(why), to_type(std::move(remedy)) {}
  std::string to_type;
};

struct PowerSetting {
  enum class Kind { file, gpu_limit, gpu_clock };
  Kind kind = Kind::file;
  std::string where;  // a path, or the number of a GPU
  std::string value;  // what the file holds; milliwatts; megahertz, "0" is unlocked
  bool operator==(const PowerSetting&) const = default;
};

// Where settings are; others than the machine's own are for tests.
struct PowerPlaces {
  std::string cpufreq = "/sys/devices/system/cpu/cpufreq";
  std::string powercap = "/sys/class/powercap";
  std::string nvml = nvml_library;
};

class PowerControl {
 public:
  // `files` must outlive it.
  explicit PowerControl(PowerPlaces places = {}, const SystemFiles& files = SystemFiles::real())
      : places_(std::move(places)), files_(files) {}

  const PowerPlaces& places() const { return places_; }
  const SystemFiles& files() const { return files_; }

  // What the machine says of the same place. All throw PowerFault.
  std::string value(const PowerSetting& setting) const;
  void write(const PowerSetting& setting) const;

  // Whether the machine does what the setting says, to 2 %: it rounds. A GPU takes a moment.
  bool holds(const PowerSetting& setting) const;

  const Nvml& nvml() const;

 private:
  PowerPlaces places_;
  const SystemFiles& files_;
  mutable std::unique_ptr<Nvml> nvml_;
};

}  // namespace stint

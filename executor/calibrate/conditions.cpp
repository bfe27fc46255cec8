#include "executor/calibrate/conditions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

namespace stint {
namespace {

// The first word of a file; "" if there is none.
std::string word_of(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace

std::string conditions_here() {
  std::string text = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  utsname system{};
  if (::uname(&system) == 0)
    text += fmt::format(", {} {} {}", system.sysname, system.release, system.machine);
  const std::string governor = word_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty()) text += fmt::format(", governor {}", governor);
  const std::string millidegrees = word_of("/sys/class/thermal/thermal_zone0/temp");
  if (!millidegrees.empty())
    text += fmt::format(", {:.0f} °C", std::strtod(millidegrees.c_str(), nullptr) / 1000);
  double load = 0;
  if (::getloadavg(&load, 1) == 1) text += fmt::format(", load {:.1f}", load);
  return text;
}

}  // namespace stint

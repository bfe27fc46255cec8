#include "platforms/meters/energy_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platforms/meters/energy_domain.hpp"

namespace stint {
namespace {

// A reading may be late, and then holds the energy of the time before.
constexpr double late_seconds = 0.1;
constexpr double safety = 4;  // times the expected watts that no turn is missed at
constexpr auto never = std::numeric_limits<double>::infinity();

}  // namespace

EnergySum::EnergySum(double joules_per_unit, std::optional<std::uint64_t> modulus,
                     double expected_watts)
    : joules_per_unit_(joules_per_unit), modulus_(modulus), most_seconds_(never) {
  if (!modulus || expected_watts <= 0) return;
  most_seconds_ = static_cast<double>(*modulus) * joules_per_unit / (safety * expected_watts);
}

void EnergySum::add(std::uint64_t units, double now_seconds) {
  if (!fault_.empty()) return;
  if (modulus_ && units >= *modulus_) {
    return fail(fmt::format("reads {}, beyond its range of {}", units, *modulus_ - 1));
  }
  if (last_units_) add_distance(units, now_seconds - last_seconds_);
  last_units_ = units;
  last_seconds_ = now_seconds;
}

void EnergySum::add_distance(std::uint64_t units, double seconds) {
  const bool backwards = units < *last_units_;
  if (backwards && !modulus_) {
    return fail(fmt::format("went backwards, from {} to {}", *last_units_, units));
  }
  if (seconds > most_seconds_) {
    return fail(
        fmt::format("not read for {:.1f} s, in which it may have begun anew unnoticed", seconds));
  }
  const std::uint64_t distance =
      backwards ? *modulus_ - *last_units_ + units : units - *last_units_;
  const double joules = static_cast<double>(distance) * joules_per_unit_;
  if (joules > most_watts * (std::max(0.0, seconds) + late_seconds)) {
    return fail(backwards ? fmt::format("went backwards, from {} to {}", *last_units_, units)
                          : fmt::format("rose by {:.0f} J in {:.3f} s, more than anything draws",
                                        joules, seconds));
  }
  joules_ += joules;
}

void EnergySum::fail(const std::string& why) {
  if (fault_.empty()) fault_ = why;
}

}  // namespace stint

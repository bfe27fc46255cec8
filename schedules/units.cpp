#include "schedules/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace stint {
namespace {

// Four digits, without an exponent in the range that prefixes cover.
std::string digits(double value) {
  return std::abs(value) < 10000 ? fmt::format("{:.4g}", value) : fmt::format("{:.3e}", value);
}

// `value` in the largest of the units, each `step` times the one before, that leaves 1 or more.
template <std::size_t count>
std::string in_units(double value, double step, const std::array<const char*, count>& units) {
  std::size_t unit = 0;
  while (unit + 1 < count && std::abs(value) >= step) {
    value /= step;
    ++unit;
  }
  return fmt::format("{} {}", digits(value), units[unit]);
}

constexpr std::array byte_units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  return in_units(static_cast<double>(bytes), 1024, byte_units);
}

std::string bytes_per_second_text(double rate) {
  constexpr std::array units = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return in_units(rate, 1000, units);
}

std::string seconds_text(double seconds) {
  constexpr std::array small_units = {"ns", "us", "ms"};
  if (seconds == 0 || std::abs(seconds) >= 1) return digits(seconds) + " s";
  return in_units(seconds * 1e9, 1000, small_units);
}

std::string flops_text(double flops) {
  constexpr std::array units = {"flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop"};
  return in_units(flops, 1000, units);
}

std::string joules_text(double joules) {
  constexpr std::array small_units = {"nJ", "uJ", "mJ"};
  constexpr std::array units = {"J", "kJ", "MJ", "GJ"};
  if (joules == 0 || std::abs(joules) >= 1) return in_units(joules, 1000, units);
  return in_units(joules * 1e9, 1000, small_units);
}

std::string watts_text(double watts) { return digits(watts) + " W"; }

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100); }

std::int64_t add_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  using Limits = std::numeric_limits<std::int64_t>;
  return a > 0 ? Limits::max() : Limits::min();
}

std::string count_text(std::int64_t count, const std::string& noun, const std::string& plural) {
  if (count == 1) return "1 " + noun;
  return fmt::format("{} {}", count, plural.empty() ? noun + 's' : plural);
}

}  // namespace stint

// Adds up a counter that begins anew after its modulus: each reading adds its distance from the
// last, which must not be further away than one turn. Pure arithmetic: no clock, no files.
//
// Two things are told apart from a turn, and end the sum with a fault instead of a wrong number: a
// counter that went backwards (reset, suspended machine), which as a turn would mean more watts
// than anything draws; and readings so far apart that a turn may have been missed. Where the
// modulus is so small that even a whole turn is plausible, backwards is a turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stint {

class EnergySum {
 public:
  // `expected_watts`, if known, decides how far apart readings may be.
  EnergySum(double joules_per_unit, std::optional<std::uint64_t> modulus,
            double expected_watts = 0);

  // Readings in the order of their times.
  void add(std::uint64_t units, double now_seconds);
  void fail(const std::string& why);  // the first one stays

  double joules() const { return joules_; }
  const std::string& fault() const { return fault_; }  // "": none

 private:
  void add_distance(std::uint64_t units, double seconds);

  double joules_per_unit_;
  std::optional<std::uint64_t> modulus_;
  double most_seconds_;  // between two readings
  std::optional<std::uint64_t> last_units_;
  double last_seconds_ = 0;
  double joules_ = 0;
  std::string fault_;
};

}  // namespace stint

// A number that may say where it comes from. In files it is a plain number, or
// {"value": 95.0, "basis": "measured", "source": "…"}.
#pragma once

#include <string>

namespace stint {

enum class Basis { stated, measured, calibrated, datasheet, assumed };  // stated: a plain number

struct Quantity {
  double value = 0;
  Basis basis = Basis::stated;
  std::string source;

  Quantity() = default;
  Quantity(double plain) : value(plain) {}  // NOLINT: a number is a quantity
  Quantity(double number, Basis from, std::string why)
      : value(number), basis(from), source(std::move(why)) {}
  operator double() const { return value; }  // NOLINT: and reads as one

  bool operator==(const Quantity&) const = default;
};

std::string to_string(Basis basis);

}  // namespace stint

#include "executor/spin.hpp"

#include <algorithm>
#include <limits>

#include "executor/ticks.hpp"

namespace stint {
namespace {

// Each turn needs the result of the one before, so neither compiler nor processor can shorten it.
void turn(std::int64_t turns) {
  std::uint64_t x = 1;
  for (std::int64_t i = 0; i < turns; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(x));
  }
}

}  // namespace

// The fastest of several measurements: whatever disturbs one only makes it slower.
Spin Spin::calibrated() {
  constexpr std::int64_t turns = 1 << 19;
  constexpr int rounds = 12;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t begin = steady_nanoseconds();
    turn(turns);
    least = std::min(least, std::max<std::int64_t>(1, steady_nanoseconds() - begin));
  }
  return Spin(static_cast<double>(turns) / static_cast<double>(least));
}

void Spin::burn_until(std::int64_t end) const {
  constexpr std::int64_t longest = 10'000;  // a slice: 10 µs
  for (std::int64_t left = end - steady_nanoseconds(); left > 0;
       left = end - steady_nanoseconds()) {
    const auto slice = static_cast<double>(std::min(left, longest));
    turn(static_cast<std::int64_t>(slice * turns_per_nanosecond_));
  }
}

}  // namespace stint

#include "executor/cpu/initial_values.hpp"

#include <algorithm>
#include <cmath>

#include "executor/data/random_numbers.hpp"

namespace stint {
namespace {

constexpr double embedding_deviation = 0.02;

double initial_at(const Parameter& parameter, std::uint64_t key, double bound, std::int64_t index) {
  switch (parameter.initial) {
    case Initial::kaiming_uniform:
      return (2 * uniform_at(key, index) - 1) * bound;
    case Initial::normal:
      return embedding_deviation * normal_at(key, index);
    case Initial::ones:
      return 1;
    case Initial::zeros:
      break;
  }
  return 0;
}

}  // namespace

void fill_initial(const Parameter& parameter, std::int64_t seed, std::int64_t first,
                  std::span<float> values) {
  const std::uint64_t key = derive(derive(0, seed), parameter.name);
  const double fan_in = static_cast<double>(std::max<std::int64_t>(parameter.fan_in, 1));
  const double bound = 1 / std::sqrt(fan_in);
  for (float& value : values)
    value = static_cast<float>(initial_at(parameter, key, bound, first++));
}

}  // namespace stint

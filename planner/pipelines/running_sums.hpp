// Sums of the first 0, 1, … values: what a run of layers costs is the difference of two of them.
#pragma once

#include <numeric>
#include <vector>

namespace stint {

inline std::vector<double> running_sums(const std::vector<double>& values) {
  std::vector<double> sums(values.size() + 1, 0);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  return sums;
}

}  // namespace stint

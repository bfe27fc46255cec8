// How long something takes, for tables of benchmarks.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace stint {

// Processor time: all of this is one thread, and other programs do not disturb it as much.
inline double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

inline double median_seconds(int repeats, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(work));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace stint

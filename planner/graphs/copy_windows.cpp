#include "planner/graphs/copy_windows.hpp"

#include <algorithm>

namespace stint {
namespace {

constexpr std::size_t most_windows = 24;

}  // namespace

void fit_copies(std::vector<TimedCopy> copies, std::int64_t least, VariableId longer,
                CpModel& model) {
  std::stable_sort(copies.begin(), copies.end(),
                   [](const TimedCopy& a, const TimedCopy& b) { return a.begin > b.begin; });
  LinearSum sum;
  sum.add(longer, -1);
  std::size_t next = 0;  // the first copy that may end a window
  for (std::size_t c = 0; c < copies.size(); ++c) {
    sum.add(copies[c].move, copies[c].time);
    const bool is_last = c + 1 == copies.size();
    const bool is_window = c >= next && !is_last && copies[c + 1].begin < copies[c].begin;
    if (!is_last && !is_window) continue;
    model.add_linear(sum, INT64_MIN / 2, least - copies[c].begin);
    next = c + 1 + copies.size() / most_windows;
  }
}

}  // namespace stint

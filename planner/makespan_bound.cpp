#include "planner/makespan_bound.hpp"

#include <algorithm>
#include <numeric>

namespace stint {
namespace {

constexpr std::size_t most_heads = 256;

// Tasks `from` to `to`, without the latter, that need nothing else.
class Stretch {
 public:
  Stretch(const Predecessors& needs, const std::vector<double>& seconds, int from, int to)
      : from_(from), head_(to - from, 0), tail_(to - from, 0), seconds_(seconds) {
    for (int t = from; t < to; ++t) {
      for (const TaskId before : needs[t]) {
        if (before >= from) head_[t - from] = std::max(head_[t - from], end(before));
      }
    }
    for (int t = to; t-- > from;) {
      for (const TaskId before : needs[t]) {
        if (before >= from)
          tail_[before - from] = std::max(tail_[before - from], tail_[t - from] + seconds[t]);
      }
    }
  }

  double shortest(double workers) const {
    std::vector<int> by_tail(head_.size());
    std::iota(by_tail.begin(), by_tail.end(), 0);
    std::stable_sort(by_tail.begin(), by_tail.end(),
                     [&](int a, int b) { return tail_[a] > tail_[b]; });
    double longest = 0;
    for (std::size_t t = 0; t < head_.size(); ++t)
      longest = std::max(longest, head_[t] + tail_[t] + seconds_[from_ + t]);
    for (const double head : heads()) {
      double work = 0;
      for (const int t : by_tail) {
        if (head_[t] < head) continue;
        work += seconds_[from_ + t];
        longest = std::max(longest, head + tail_[t] + work / workers);
      }
    }
    return longest;
  }

 private:
  double end(int t) const { return head_[t - from_] + seconds_[t]; }

  std::vector<double> heads() const {
    std::vector<double> all = head_;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const std::size_t stride = all.size() / most_heads + 1;
    std::vector<double> some;
    for (std::size_t h = 0; h < all.size(); h += stride) some.push_back(all[h]);
    return some;
  }

  std::size_t from_;
  std::vector<double> head_;
  std::vector<double> tail_;
  const std::vector<double>& seconds_;
};

}  // namespace

// Everybody listed before a waist leads to somebody no later than it, everybody behind it needs
// somebody no earlier: then there is a path.
std::vector<TaskId> waists(const Predecessors& needs) {
  const int tasks = static_cast<int>(needs.size());
  std::vector<int> next(tasks, tasks);  // the first that needs it
  std::vector<int> last(tasks, -1);     // the last that it needs
  for (int t = 0; t < tasks; ++t) {
    for (const TaskId before : needs[t]) {
      next[before] = std::min<int>(next[before], t);
      last[t] = std::max<int>(last[t], before);
    }
  }
  std::vector<int> least_behind(tasks + 1, tasks);
  for (int t = tasks; t-- > 0;) least_behind[t] = std::min(least_behind[t + 1], last[t]);
  std::vector<TaskId> found;
  int reach = 0;
  for (int t = 0; t < tasks; ++t) {
    if (reach <= t && least_behind[t + 1] >= t) found.push_back(static_cast<TaskId>(t));
    reach = std::max(reach, next[t]);
  }
  return found;
}

MakespanBound makespan_bound(const Predecessors& needs, const std::vector<double>& seconds,
                             double workers) {
  MakespanBound bound;
  int from = 0;
  for (const TaskId waist : waists(needs)) {
    bound.seconds += Stretch(needs, seconds, from, waist).shortest(workers);
    bound.waists.push_back({waist, bound.seconds});
    bound.seconds += seconds[waist];
    from = waist + 1;
  }
  const int tasks = static_cast<int>(needs.size());
  bound.seconds += Stretch(needs, seconds, from, tasks).shortest(workers);
  return bound;
}

}  // namespace stint

#include "planner/grains/split.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

#include "planner/infinity.hpp"

namespace stint {
namespace {

double seconds_for(const SplitWorker& worker, std::int64_t items) {
  if (items == 0) return 0;
  return worker.overhead_seconds + worker.item_seconds * static_cast<double>(items);
}

// All ends that a worker can have, ascending, each once.
std::vector<double> possible_ends(std::int64_t items, const std::vector<SplitWorker>& workers) {
  std::vector<double> ends;
  for (const SplitWorker& worker : workers) {
    for (std::int64_t b = 1; b <= std::min(worker.most_items, items); ++b)
      ends.push_back(seconds_for(worker, b));
  }
  if (items == 0) ends.push_back(0);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Marginal joules of workers k… for so many items, all done by one end: least[k][items].
class EnergyKnapsack {
 public:
  EnergyKnapsack(std::int64_t items, const std::vector<SplitWorker>& workers, double end)
      : workers_(workers), end_(end), least_(workers.size() + 1) {
    least_.back().assign(items + 1, infinity);
    least_.back()[0] = 0;
    for (std::size_t k = workers.size(); k-- > 0;) fill(k);
  }

  double joules() const { return least_.front().back(); }

  // The fewest items for each worker in turn with which the rest is still the least.
  std::vector<std::int64_t> items() const {
    std::vector<std::int64_t> chosen;
    std::int64_t left = std::ssize(least_.front()) - 1;
    for (std::size_t k = 0; k < workers_.size(); ++k) {
      std::int64_t b = 0;
      while (marginal_joules(k, b) + least_[k + 1][left - b] > least_[k][left] * (1 + 1e-12)) ++b;
      chosen.push_back(b);
      left -= b;
    }
    return chosen;
  }

 private:
  double watts(std::size_t k) const { return workers_[k].busy_watts - workers_[k].idle_watts; }
  double marginal_joules(std::size_t k, std::int64_t items) const {
    return watts(k) * seconds_for(workers_[k], items);
  }

  std::int64_t most_by_end(std::size_t k) const {
    std::int64_t low = 0;
    std::int64_t high = std::min(workers_[k].most_items, std::ssize(least_[k + 1]) - 1);
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (seconds_for(workers_[k], middle) <= end_)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  // least[k][n] = min(least[k+1][n], w·o + min over 1 ≤ b ≤ most of w·c·b + least[k+1][n − b]). The
  // inner minimum slides: it is w·c·n + the least of least[k+1][m] − w·c·m over the last m's.
  void fill(std::size_t k) {
    const std::vector<double>& rest = least_[k + 1];
    const std::int64_t most = most_by_end(k);
    const double slope = watts(k) * workers_[k].item_seconds;
    const double opening = watts(k) * workers_[k].overhead_seconds;
    const auto shifted = [&](std::int64_t m) { return rest[m] - slope * static_cast<double>(m); };
    std::deque<std::int64_t> window;  // of m's, their shifted values ascending
    least_[k] = rest;
    for (std::int64_t n = 1; n < std::ssize(rest) && most > 0; ++n) {
      while (!window.empty() && shifted(window.back()) >= shifted(n - 1)) window.pop_back();
      window.push_back(n - 1);
      if (window.front() < n - most) window.pop_front();
      const std::int64_t m = window.front();
      const double opened = opening + slope * static_cast<double>(n - m) + rest[m];
      least_[k][n] = std::min(least_[k][n], opened);
    }
  }

  const std::vector<SplitWorker>& workers_;
  double end_;
  std::vector<std::vector<double>> least_;
};

double least_marginal_joules(std::int64_t items, const std::vector<SplitWorker>& workers) {
  double least = infinity;
  for (const SplitWorker& worker : workers) {
    const double watts = worker.busy_watts - worker.idle_watts;
    if (worker.most_items > 0) least = std::min(least, watts * worker.item_seconds);
  }
  return items == 0 ? 0 : least * static_cast<double>(items);
}

}  // namespace

std::optional<ItemSplit> split_for_time(std::int64_t items,
                                        const std::vector<SplitWorker>& workers) {
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> next;
  for (std::size_t k = 0; k < workers.size(); ++k) {
    if (workers[k].most_items > 0) next.emplace(seconds_for(workers[k], 1), k);
  }
  ItemSplit split{.items = std::vector<std::int64_t>(workers.size(), 0)};
  for (std::int64_t item = 0; item < items; ++item) {
    if (next.empty()) return std::nullopt;
    const auto [end, k] = next.top();
    next.pop();
    split.seconds = std::max(split.seconds, end);
    if (++split.items[k] < workers[k].most_items)
      next.emplace(seconds_for(workers[k], split.items[k] + 1), k);
  }
  return split;
}

std::optional<ItemSplit> split_for_energy(std::int64_t items,
                                          const std::vector<SplitWorker>& workers,
                                          double after_seconds,
                                          std::optional<double> deadline_seconds) {
  double idle_watts = 0;
  for (const SplitWorker& worker : workers) idle_watts += worker.idle_watts;
  const double least_work = least_marginal_joules(items, workers);
  std::optional<ItemSplit> best;
  for (const double end : possible_ends(items, workers)) {
    const double idle = idle_watts * (end + after_seconds);
    if (deadline_seconds && end + after_seconds > *deadline_seconds) break;
    if (best && idle + least_work >= best->joules) break;
    const EnergyKnapsack knapsack(items, workers, end);
    const double joules = idle + knapsack.joules();
    if (!std::isfinite(joules) || (best && joules >= best->joules)) continue;
    best = ItemSplit{knapsack.items(), end + after_seconds, joules};
  }
  return best;
}

}  // namespace stint

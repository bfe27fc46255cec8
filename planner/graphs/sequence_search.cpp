#include "planner/graphs/sequence_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace stint {
namespace {

constexpr double overload_weight = 3;  // of the share by which the peak is too high
constexpr double overload_price = 0.0005;
constexpr double first_temperature = 0.0006;  // on cost relative to running every task once
constexpr double last_temperature = 1e-6;
constexpr int most_added = 60;  // runs, in one move

class SequenceAnnealing {
 public:
  SequenceAnnealing(const DeviceGraph& graph, SequenceMeter& meter, TaskSequence start,
                    const RetentionSearchOptions& options)
      : graph_(graph),
        meter_(meter),
        now_(std::move(start)),
        options_(options),
        random_(options.seed),
        cost_of_all_(std::max(meter.cost_of_all(), std::numeric_limits<double>::min())) {}

  std::optional<GraphPlan> search() {
    next_ = now_;
    energy_ = measured();
    take();
    while (looked_at_ < options_.steps && !is_done()) {
      next_ = now_;
      move();
      next_ = without_needless_runs(graph_, next_);
      const double energy = measured();
      if (!accepts(energy)) continue;
      energy_ = energy;
      take();
    }
    return std::move(best_);
  }

 private:
  double measured() {
    looked_at_ += static_cast<std::int64_t>(next_.size()) * 3 + 1;
    measure_ = meter_.measure(next_);
    const auto capacity = static_cast<double>(std::max<std::int64_t>(options_.capacity_bytes, 1));
    const double over = static_cast<double>(measure_.peak_bytes) - capacity;
    const double penalty = over > 0 ? overload_weight * over / capacity + overload_price : 0;
    return measure_.cost / cost_of_all_ + penalty;
  }

  bool is_done() const {
    const bool interrupted = options_.interrupted != nullptr && options_.interrupted->load();
    return interrupted || (best_ && best_->measure.cost <= options_.good_enough);
  }

  // The new sequence becomes the one at hand, with what moves need to know about it.
  void take() {
    now_.swap(next_);
    const bool fits = measure_.peak_bytes <= options_.capacity_bytes;
    if (fits && (!best_ || measure_.cost < best_->measure.cost)) best_ = GraphPlan{now_, measure_};
    is_over_ = !fits;
    peak_ = std::min(measure_.peak_step, static_cast<int>(now_.size()) - 1);
    instances_ = meter_.instances();
    at_peak_.clear();
    instances_of_.assign(graph_.items.size(), {});
    for (int i = 0; i < static_cast<int>(instances_.size()); ++i) {
      const ItemInstance& instance = instances_[i];
      instances_of_[instance.item].push_back(i);
      if (instance.begin < peak_ && instance.last > peak_ && may_come_again(instance.item))
        at_peak_.push_back(i);
    }
    again_.clear();
    ran_.assign(graph_.tasks.size(), 0);
    for (int step = 0; step < static_cast<int>(now_.size()); ++step) {
      if (std::exchange(ran_[now_[step]], 1)) again_.push_back(step);
    }
  }

  bool may_come_again(GraphItemId item) const {
    return !graph_.items[item].is_fixed && !graph_.tasks[graph_.writer(item)].runs_once;
  }

  int any(const std::vector<int>& list) {
    return list[static_cast<std::size_t>(random_() % list.size())];
  }
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }

  void move() {
    const int kind = below(20);
    if (is_over_ ? kind < 12 : kind < 3) return drop_at(any_or(at_peak_));
    if (kind < 13 && !again_.empty()) return leave_out(any(again_));
    if (kind < 16 && !again_.empty()) return shift(any(again_));
    if (kind < 18 && !again_.empty()) {
      // Something else instead.
      const int gone = any(again_);
      drop_at(any_or(at_peak_));
      const TaskId task = now_[gone];
      const auto last = std::find(next_.rbegin(), next_.rend(), task);
      if (std::count(next_.begin(), next_.end(), task) > 1) next_.erase(std::next(last).base());
      return;
    }
    drop_at(below(static_cast<int>(instances_.size())));
  }
  int any_or(const std::vector<int>& list) {
    return list.empty() ? below(static_cast<int>(instances_.size())) : any(list);
  }

  void leave_out(int step) { next_.erase(next_.begin() + step); }

  void shift(int step) {
    const TaskId task = next_[step];
    const int reach = 1 + below(1 + static_cast<int>(now_.size()) / 8);
    const int to =
        std::clamp(step + (below(2) ? reach : -reach), 1, static_cast<int>(next_.size()) - 1);
    next_.erase(next_.begin() + step);
    const auto first = std::find(next_.begin(), next_.end(), task) - next_.begin();
    if (may_run_at(task, to))
      next_.insert(next_.begin() + std::max<std::ptrdiff_t>(to, first + 1), task);
  }

  // Once state is updated, who reads it is not computed again.
  bool may_run_at(TaskId task, int step) const {
    const auto& ends = graph_.tasks[task].ends_with;
    return std::none_of(ends.begin(), ends.end(), [&](TaskId update) {
      return std::find(now_.begin(), now_.begin() + step, update) != now_.begin() + step;
    });
  }

  // The item is computed again before somebody reads it, and not kept over the gap before.
  void drop_at(int number) {
    const ItemInstance instance = instances_[number];
    if (!may_come_again(instance.item)) return;
    const int from = instance.begin < peak_ && instance.last > peak_
                         ? peak_
                         : instance.begin + below(std::max(instance.last - instance.begin, 1));
    const int reader = next_reader(instance.item, from + 1, instance.last);
    if (reader < 0) return;
    added_.clear();
    if (!compute_again(instance.item, from, reader)) return;
    next_.insert(next_.begin() + reader, added_.begin(), added_.end());
  }

  int next_reader(GraphItemId item, int from, int last) const {
    const int end = std::min(last + 1, static_cast<int>(now_.size()));
    for (int step = from; step < end; ++step) {
      const auto& reads = graph_.tasks[now_[step]].reads;
      if (std::binary_search(reads.begin(), reads.end(), item)) return step;
    }
    return -1;
  }

  // Items that are there at the time of the gap too are kept, mostly; others come again as well.
  bool compute_again(GraphItemId item, int gap, int reader) {
    const TaskId task = graph_.writer(item);
    if (std::find(added_.begin(), added_.end(), task) != added_.end()) return true;
    if (!may_run_at(task, reader) || std::ssize(added_) >= most_added || depth_ >= most_added)
      return false;
    ++depth_;
    bool possible = true;
    for (const GraphItemId read : graph_.tasks[task].reads) {
      const int until = last_use_before(read, reader);
      const bool is_there = until >= reader || (until > gap && below(4) > 0);
      if (!possible || !may_come_again(read) || is_there) continue;
      possible = compute_again(read, gap, reader);
    }
    --depth_;
    if (possible) added_.push_back(task);
    return possible && std::ssize(added_) <= most_added;
  }

  // Of the instance that is or was there before a step: its last use.
  int last_use_before(GraphItemId item, int step) const {
    int until = -1;
    for (const int i : instances_of_[item]) {
      if (instances_[i].begin < step) until = instances_[i].last;
    }
    return until;
  }

  bool accepts(double energy) {
    if (energy <= energy_) return true;
    const double left = 1 - static_cast<double>(looked_at_) / static_cast<double>(options_.steps);
    const double temperature = first_temperature * left * left + last_temperature;
    const double chance = static_cast<double>(random_() >> 40) * 0x1p-24;
    return std::exp((energy_ - energy) / temperature) > chance;
  }

  const DeviceGraph& graph_;
  SequenceMeter& meter_;
  TaskSequence now_;
  TaskSequence next_;
  RetentionSearchOptions options_;
  std::mt19937_64 random_;
  double cost_of_all_;
  double energy_ = 0;
  SequenceMeasure measure_;
  bool is_over_ = false;
  int peak_ = 0;
  int depth_ = 0;
  std::vector<ItemInstance> instances_;
  std::vector<std::vector<int>> instances_of_;  // by item, ascending
  std::vector<int> at_peak_;                    // instances
  std::vector<int> again_;                      // steps
  std::vector<char> ran_;
  TaskSequence added_;
  std::int64_t looked_at_ = 0;
  std::optional<GraphPlan> best_;
};

}  // namespace

std::optional<GraphPlan> search_sequence(const DeviceGraph& graph, SequenceMeter& meter,
                                         TaskSequence start,
                                         const RetentionSearchOptions& options) {
  if (start.empty()) return std::nullopt;
  return SequenceAnnealing(graph, meter, std::move(start), options).search();
}

}  // namespace stint

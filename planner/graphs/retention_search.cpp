#include "planner/graphs/retention_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace stint {
namespace {

constexpr double overload_weight = 3;        // of the share by which the peak is too high
constexpr double overload_price = 0.002;     // of being too high at all
constexpr double first_temperature = 0.004;  // on cost relative to running every task once
constexpr double last_temperature = 2e-6;

class Annealing {
 public:
  Annealing(const DeviceGraph& graph, const RetentionGaps& gaps, SequenceMeter& meter,
            Retention start, const RetentionSearchOptions& options)
      : graph_(graph),
        gaps_(gaps),
        meter_(meter),
        replay_(graph, gaps),
        now_(std::move(start)),
        options_(options),
        random_(options.seed),
        cost_of_all_(std::max(meter.cost_of_all(), std::numeric_limits<double>::min())) {
    for (int gap = 0; gap < gaps.count(); ++gap) {
      if (!graph.items[gaps.item_of_gap(gap)].is_fixed && gaps.length(gap) > 1)
        choices_.push_back(gap);
    }
  }

  RetentionFound search() {
    energy_ = measured();
    remember();
    if (choices_.empty()) return found();
    while (looked_at_ < options_.steps && !is_done()) {
      undo_.clear();
      move();
      const double energy = measured();
      if (accepts(energy)) {
        energy_ = energy;
        remember();
      } else {
        for (const auto& [bits, bit] : undo_) ((now_.*bits)[bit]) ^= 1;
      }
    }
    return found();
  }

 private:
  using Bits = std::vector<char> Retention::*;

  double measured() {
    const bool possible = replay_.make(now_);
    looked_at_ += static_cast<std::int64_t>(replay_.sequence().size()) + 1;
    if (!possible) return std::numeric_limits<double>::infinity();
    measure_ = meter_.measure(replay_.sequence());
    const auto capacity = static_cast<double>(std::max<std::int64_t>(options_.capacity_bytes, 1));
    const double over = static_cast<double>(measure_.peak_bytes) - capacity;
    const double penalty = over > 0 ? overload_weight * over / capacity + overload_price : 0;
    return measure_.cost / cost_of_all_ + penalty;
  }

  bool fits() const { return measure_.peak_bytes <= options_.capacity_bytes; }
  bool is_done() const {
    const bool interrupted = options_.interrupted != nullptr && options_.interrupted->load();
    return interrupted || (best_ && best_->measure.cost <= options_.good_enough);
  }

  // What the sequence at hand suggests: gaps that fill the peak, and gaps that cost.
  void remember() {
    if (!std::isfinite(energy_)) return;
    if (fits() && (!best_ || measure_.cost < best_->measure.cost)) {
      best_ = GraphPlan{replay_.sequence(), measure_};
      best_retention_ = now_;
    }
    is_over_ = !fits();
    at_peak_.clear();
    const int steps = static_cast<int>(replay_.sequence().size());
    const int peak = std::min(measure_.peak_step, steps - 1);
    for (const ItemInstance& instance : meter_.instances()) {
      if (instance.begin < peak && instance.last > peak && !graph_.items[instance.item].is_fixed)
        at_peak_.push_back(gaps_.gap_before(instance.item, replay_.stage()[peak]));
    }
    std::erase(at_peak_, -1);
    again_.clear();
    for (int step = 0; step < steps; ++step) {
      const TaskId task = replay_.sequence()[step];
      const int stage = replay_.stage()[step];
      if (gaps_.order()[stage] == task) continue;
      for (const GraphOutput& output : graph_.tasks[task].writes) {
        if (!graph_.items[output.item].is_fixed)
          again_.push_back(gaps_.gap_before(output.item, stage));
      }
    }
  }

  int any(const std::vector<int>& list) {
    return list[static_cast<std::size_t>(random_() % list.size())];
  }
  void flip(int bit, Bits bits = &Retention::keep) {
    (now_.*bits)[bit] ^= 1;
    undo_.emplace_back(bits, bit);
  }

  void drop_from_peak() {
    if (at_peak_.empty()) return flip(any(choices_));
    const int gap = any(at_peak_);
    if (now_.keep[gap] != 0) return flip(gap);
    const GraphItemId item = gaps_.item_of_gap(gap);
    flip(item, &Retention::hold);
  }

  void keep_again() {
    if (again_.empty()) return flip(any(choices_));
    const int gap = any(again_);
    flip(now_.keep[gap] == 0 ? gap : any(choices_));
  }

  void move() {
    const int kind = static_cast<int>(random_() % 20);
    if (kind % 5 == 0 && move_away()) return;
    if (kind < 6) {
      if (is_over_) return drop_from_peak();
      return keep_again();
    }
    if (kind < 9) {
      drop_from_peak();
      return keep_again();
    }
    if (kind < 14) return flip(any(choices_));
    if (kind < 16) return swap();
    if (kind < 18) return neighbours();
    flip(gaps_.item_of_gap(any(choices_)), &Retention::hold);
  }

  // Computed again, or fetched back: the other way round. Or something is sent away and dropped.
  bool move_away() {
    if (graph_.fetch.empty()) return false;
    const bool known = random_() % 2 == 0 && !again_.empty();
    const int gap = any(known ? again_ : at_peak_.empty() ? choices_ : at_peak_);
    const GraphItemId item = gaps_.item_of_gap(gap);
    if (!graph_.moves(item)) return false;
    if (known || !now_.away[item]) flip(item, &Retention::away);
    if (!known && now_.keep[gap]) flip(gap);
    return true;
  }

  void swap() {
    const int a = any(choices_);
    const int b = any(choices_);
    flip(a);
    if (a != b && now_.keep[a] == now_.keep[b]) flip(b);
  }

  void neighbours() {
    const auto at = static_cast<std::size_t>(random_() % choices_.size());
    const std::size_t other = std::min(at + 1 + random_() % 4, choices_.size() - 1);
    flip(choices_[at]);
    if (other != at) flip(choices_[other]);
  }

  bool accepts(double energy) {
    if (energy <= energy_) return true;
    const double left = 1 - static_cast<double>(looked_at_) / static_cast<double>(options_.steps);
    const double temperature = first_temperature * left * left + last_temperature;
    const double chance = static_cast<double>(random_() >> 40) * 0x1p-24;
    return std::exp((energy_ - energy) / temperature) > chance;
  }

  RetentionFound found() {
    return {std::move(best_), best_retention_.keep.empty() ? now_ : best_retention_};
  }

  const DeviceGraph& graph_;
  const RetentionGaps& gaps_;
  SequenceMeter& meter_;
  RetentionReplay replay_;
  Retention now_;
  RetentionSearchOptions options_;
  std::mt19937_64 random_;
  double cost_of_all_;
  std::vector<int> choices_;  // gaps
  std::vector<int> at_peak_;
  std::vector<int> again_;
  std::vector<std::pair<Bits, int>> undo_;
  SequenceMeasure measure_;
  double energy_ = 0;
  bool is_over_ = false;
  std::int64_t looked_at_ = 0;
  std::optional<GraphPlan> best_;
  Retention best_retention_;
};

}  // namespace

RetentionFound search_retention(const DeviceGraph& graph, const RetentionGaps& gaps,
                                SequenceMeter& meter, Retention start,
                                const RetentionSearchOptions& options) {
  return Annealing(graph, gaps, meter, std::move(start), options).search();
}

}  // namespace stint

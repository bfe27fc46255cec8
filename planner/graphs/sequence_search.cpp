#include "planner/graphs/sequence_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "planner/graphs/sequence_items.hpp"

namespace stint {
namespace {

constexpr double overload_weight = 2;  // of the share by which the peak is too high
constexpr double arena_weight = 4;     // the same where addresses count
constexpr double tightening_share =
    0.3;  // of the steps, in which a start that is too large is mended
constexpr double last_temperature = 1e-6;
constexpr std::int64_t parts_of_look = 4;  // one of them for what a sequence costs
constexpr int most_added = 60;             // runs, in one move
constexpr int most_repairs = 6;
constexpr std::size_t most_plans = 12;
constexpr std::int64_t work_of_item = 8;  // in steps, for looking for its address

// A sequence and what moves need to know about it.
struct View {
  TaskSequence sequence;
  SequenceMeasure measure;
  double energy = 0;
  int peak = 0;  // step
  std::vector<ItemInstance> instances;
  std::vector<int> latest;    // by item: its last instance
  std::vector<int> previous;  // by instance: the one before it of the same item
  std::vector<int> at_peak;   // instances that are there only for later
  std::vector<int> again;     // steps that run a task again
};

class SequenceAnnealing {
 public:
  SequenceAnnealing(const DeviceGraph& graph, SequenceMeter& meter,
                    const SequenceSearchOptions& options)
      : graph_(graph),
        meter_(meter),
        options_(options),
        random_(options.seed),
        cost_of_all_(std::max(meter.cost_of_all(), std::numeric_limits<double>::min())),
        temperature_(options.heat / static_cast<double>(graph.tasks.size())) {}

  // The cheapest first.
  std::vector<GraphPlan> search(const TaskSequence& start) {
    now_.sequence = start;
    meter_.leave_out_needless_runs(now_.sequence);
    look(now_);
    study(now_);
    first_peak_bytes_ = allowed_bytes_ = std::max(now_.measure.peak_bytes, options_.capacity_bytes);
    if (options_.with_addresses) place(now_);
    while (looked_at_ < options_.steps && !is_done()) {
      if (allowed_bytes_ > options_.capacity_bytes) tighten();
      draw_limit();
      next_.sequence = now_.sequence;
      move();
      if (is_better()) std::swap(now_, next_);
    }
    std::reverse(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // What the start takes is allowed at first, and less and less.
  void tighten() {
    const double progress = static_cast<double>(looked_at_) / static_cast<double>(options_.steps);
    const double left = std::max(1 - progress / tightening_share, 0.0);
    const auto excess = static_cast<double>(first_peak_bytes_ - options_.capacity_bytes);
    allowed_bytes_ = options_.capacity_bytes + static_cast<std::int64_t>(left * excess);
    now_.energy = energy_of(now_);
  }
  double energy_of(const View& view) const {
    return view.measure.cost / cost_of_all_ + overload_weight_ * overload(view);
  }
  double overload(const View& view) const {
    const auto allowed = static_cast<double>(std::max<std::int64_t>(allowed_bytes_, 1));
    return std::max(static_cast<double>(view.measure.peak_bytes) / allowed - 1, 0.0);
  }

  bool fits(const View& view) const { return view.measure.peak_bytes <= options_.capacity_bytes; }
  bool is_allowed(const View& view) const { return view.measure.peak_bytes <= allowed_bytes_; }

  // Whether the next sequence, mended where it takes too much memory, is accepted. What is too dear
  // is not looked at any closer.
  bool is_better() {
    if (!look_if_cheap(next_)) return false;
    repair();
    if (next_.energy > limit_) return false;
    study(next_);
    if (!options_.with_addresses) return true;
    place(next_);
    return next_.energy <= limit_;
  }

  // Any plan that fits, however dear.
  bool is_sought() const { return found_.empty() && allowed_bytes_ <= options_.capacity_bytes; }

  bool look_if_cheap(View& view) {
    meter_.leave_out_needless_runs(view.sequence);
    looked_at_ += static_cast<std::int64_t>(view.sequence.size()) / parts_of_look;
    if (!is_sought() && meter_.cost(view.sequence) / cost_of_all_ > limit_) return false;
    look(view);
    return true;
  }

  void look(View& view) {
    view.measure = meter_.measure(view.sequence);
    looked_at_ += static_cast<std::int64_t>(view.sequence.size()) + 1;
    view.energy = energy_of(view);
    if (!options_.with_addresses && fits(view)) remember(view);
  }

  // What moves need to know: of the sequence that was looked at last.
  void study(View& view) {
    find_instances(view);
    view.again.clear();
    ran_.assign(graph_.tasks.size(), 0);
    for (int step = 0; step < static_cast<int>(view.sequence.size()); ++step) {
      if (std::exchange(ran_[view.sequence[step]], 1)) view.again.push_back(step);
    }
  }

  void remember(const View& view) {
    if (!found_.empty() && view.measure.cost >= found_.back().measure.cost) return;
    if (found_.size() == most_plans) found_.erase(found_.begin());
    found_.push_back({view.sequence, view.measure});
  }

  // What was measured last: what sticks out of the arena is a peak like any other.
  void place(View& view) {
    const std::vector<Item> items = items_of(graph_, meter_, view.sequence);
    looked_at_ += static_cast<std::int64_t>(items.size()) * work_of_item;
    const Placement placement = place_quickly(items, options_.capacity_bytes);
    if (placement.arena_bytes <= options_.capacity_bytes) return remember(view);
    const auto capacity = static_cast<double>(std::max<std::int64_t>(options_.capacity_bytes, 1));
    const double over = static_cast<double>(placement.arena_bytes) / capacity - 1;
    view.energy = view.measure.cost / cost_of_all_ + overload_weight_ * over;
    view.measure.peak_step = crowded_step(items, placement);
    find_instances(view);
  }

  // While the item lives that sticks out most: where most is live.
  int crowded_step(const std::vector<Item>& items, const Placement& placement) const {
    std::size_t top = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (placement.offsets[i] + items[i].bytes == placement.arena_bytes) top = i;
    }
    const auto& live = meter_.live_bytes();
    const auto most =
        std::max_element(live.begin() + items[top].begin, live.begin() + items[top].end);
    return static_cast<int>(most - live.begin());
  }

  void find_instances(View& view) {
    view.peak = std::min(view.measure.peak_step, static_cast<int>(view.sequence.size()) - 1);
    view.instances = meter_.instances();
    view.at_peak.clear();
    view.previous.clear();
    view.latest.assign(graph_.items.size(), -1);
    for (int i = 0; i < static_cast<int>(view.instances.size()); ++i) {
      const ItemInstance& instance = view.instances[i];
      view.previous.push_back(std::exchange(view.latest[instance.item], i));
      if (instance.begin < view.peak && instance.last > view.peak && comes_again(instance.item))
        view.at_peak.push_back(i);
    }
  }

  bool is_done() const {
    const bool interrupted = options_.interrupted != nullptr && options_.interrupted->load();
    return interrupted || (!found_.empty() && found_.back().measure.cost <= options_.good_enough);
  }

  bool comes_again(GraphItemId item) const {
    return !graph_.items[item].is_fixed && !graph_.tasks[graph_.writer(item)].runs_once;
  }

  int any(const std::vector<int>& list) {
    return list[static_cast<std::size_t>(random_() % list.size())];
  }
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }

  // Changes the next sequence, which is the one at hand still.
  void move() {
    if (options_.before != nullptr && below(4) == 0) return reorder();
    const int kind = below(20);
    if (now_.again.empty() || kind < 5) return drop(now_, peak_or_any(now_), next_.sequence);
    if (kind < 9) return shift(any(now_.again));
    leave_out(any(now_.again));
    if (kind >= 15) leave_out(below(static_cast<int>(next_.sequence.size())));
  }

  // While it does not fit: something at the peak is computed again instead of kept.
  void repair() {
    for (int tried = 0; tried < most_repairs && !is_allowed(next_); ++tried) {
      find_instances(next_);
      if (next_.at_peak.empty()) return;
      TaskSequence better = next_.sequence;
      drop(next_, worthy(next_), better);
      std::swap(next_.sequence, better);
      if (!look_if_cheap(next_)) {
        next_.energy = std::numeric_limits<double>::infinity();
        return;
      }
    }
  }

  int peak_or_any(const View& view) {
    if (!view.at_peak.empty() && below(2) == 0) return any(view.at_peak);
    return below(static_cast<int>(view.instances.size()));
  }
  // Of two the one that frees more for what it costs.
  int worthy(const View& view) {
    const auto worth = [&](int i) {
      const ItemInstance& instance = view.instances[i];
      const double cost = meter_.cost_of(graph_.writer(instance.item));
      return static_cast<double>(instance.bytes) / std::max(cost, 1e-9 * cost_of_all_);
    };
    const int a = any(view.at_peak);
    const int b = any(view.at_peak);
    return worth(a) > worth(b) ? a : b;
  }

  void leave_out(int step) {
    TaskSequence& sequence = next_.sequence;
    const auto first = std::find(sequence.begin(), sequence.end(), sequence[step]);
    if (first != sequence.begin() + step) sequence.erase(sequence.begin() + step);
  }

  void shift(int step) {
    TaskSequence& sequence = next_.sequence;
    const TaskId task = sequence[step];
    const int last = static_cast<int>(sequence.size()) - 1;
    const int reach = 1 + below(1 + last / 8);
    const int to = std::clamp(step + (below(2) ? reach : -reach), 0, last);
    const auto first = std::find(sequence.begin(), sequence.end(), task) - sequence.begin();
    // Moved back, it stands behind the step that was there.
    if (to <= first || !may_run_at(now_, task, to > step ? to + 1 : to)) return;
    sequence.erase(sequence.begin() + step);
    sequence.insert(sequence.begin() + to, task);
  }

  // The first run of a task, earlier or later.
  void reorder() {
    TaskSequence& sequence = next_.sequence;
    const int last = static_cast<int>(sequence.size()) - 1;
    const TaskId task = sequence[below(last + 1)];
    const auto begin = sequence.begin();
    const int from = static_cast<int>(std::find(begin, sequence.end(), task) - begin);
    const int reach = 1 + below(1 + last / 8);
    int to = from;
    if (below(2)) {
      while (to < last && to - from < reach && !comes_before(task, sequence[to + 1])) ++to;
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    } else {
      while (to > 0 && from - to < reach && !comes_before(sequence[to - 1], task)) --to;
      std::rotate(begin + to, begin + from, begin + from + 1);
    }
  }
  bool comes_before(TaskId first, TaskId then) const {
    const auto& before = (*options_.before)[then];
    return first == then || std::find(before.begin(), before.end(), first) != before.end();
  }

  // Once state is updated, who reads it is not computed again.
  static bool ran_before(const View& view, TaskId task, int step) {
    const auto end = view.sequence.begin() + step;
    return std::find(view.sequence.begin(), end, task) != end;
  }
  bool may_run_at(const View& view, TaskId task, int step) const {
    const auto& ends = graph_.tasks[task].ends_with;
    return std::none_of(ends.begin(), ends.end(),
                        [&](TaskId update) { return ran_before(view, update, step); });
  }

  // The item is computed again before somebody reads it, and not kept over the gap before; `out`
  // is the sequence of the view still.
  void drop(const View& view, int number, TaskSequence& out) {
    const ItemInstance& instance = view.instances[number];
    if (!comes_again(instance.item)) return;
    const bool is_at_peak = instance.begin < view.peak && instance.last > view.peak;
    const int length = std::max(instance.last - instance.begin, 1);
    const int gap = is_at_peak ? view.peak : instance.begin + below(length);
    const int reader = next_reader(view, instance.item, gap + 1, instance.last);
    added_.clear();
    if (reader < 0 || !compute_again(view, instance.item, gap, reader, 0)) return;
    out.insert(out.begin() + reader, added_.begin(), added_.end());
  }

  int next_reader(const View& view, GraphItemId item, int from, int last) const {
    const int end = std::min(last + 1, static_cast<int>(view.sequence.size()));
    for (int step = from; step < end; ++step) {
      const auto& reads = graph_.tasks[view.sequence[step]].reads;
      if (std::binary_search(reads.begin(), reads.end(), item)) return step;
    }
    return -1;
  }

  // Items that are there over the gap too are kept, mostly; others come again as well.
  bool compute_again(const View& view, GraphItemId item, int gap, int reader, int depth) {
    const TaskId task = graph_.writer(item);
    if (std::find(added_.begin(), added_.end(), task) != added_.end()) return true;
    if (!may_run_at(view, task, reader) || depth >= most_added) return false;
    for (const GraphItemId read : graph_.tasks[task].reads) {
      const int until = last_use_before(view, read, reader);
      const bool is_there = until >= reader || (until > gap && below(4) > 0);
      if (is_there || !comes_again(read)) continue;
      if (!compute_again(view, read, gap, reader, depth + 1)) return false;
    }
    added_.push_back(task);
    return std::ssize(added_) <= most_added;
  }

  // Of the instance that is or was there before a step: its last use.
  static int last_use_before(const View& view, GraphItemId item, int step) {
    int i = view.latest[item];
    while (i >= 0 && view.instances[i].begin >= step) i = view.previous[i];
    return i < 0 ? -1 : view.instances[i].last;
  }

  // The most energy that is accepted next, by chance.
  void draw_limit() {
    const double left = 1 - static_cast<double>(looked_at_) / static_cast<double>(options_.steps);
    const double temperature = temperature_ * std::max(left, 0.0) * left + last_temperature;
    const double chance = static_cast<double>((random_() >> 40) + 1) * 0x1p-24;
    limit_ = now_.energy - temperature * std::log(chance);
  }

  const DeviceGraph& graph_;
  SequenceMeter& meter_;
  SequenceSearchOptions options_;
  std::mt19937_64 random_;
  double cost_of_all_;
  double temperature_;
  std::int64_t first_peak_bytes_ = 0;
  std::int64_t allowed_bytes_ = options_.capacity_bytes;
  double limit_ = std::numeric_limits<double>::infinity();  // of the next energy
  double overload_weight_ = options_.with_addresses ? arena_weight : overload_weight;
  View now_;
  View next_;
  std::vector<char> ran_;
  TaskSequence added_;
  std::int64_t looked_at_ = 0;
  std::vector<GraphPlan> found_;  // ever cheaper
};

}  // namespace

std::vector<GraphPlan> search_sequences(const DeviceGraph& graph, SequenceMeter& meter,
                                        TaskSequence start, const SequenceSearchOptions& options) {
  if (start.empty()) return {};
  return SequenceAnnealing(graph, meter, options).search(start);
}

std::optional<GraphPlan> search_sequence(const DeviceGraph& graph, SequenceMeter& meter,
                                         TaskSequence start, const SequenceSearchOptions& options) {
  auto plans = search_sequences(graph, meter, std::move(start), options);
  if (plans.empty()) return std::nullopt;
  return std::move(plans.front());
}

}  // namespace stint

#include "planner/placement/placement_search.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "planner/strategy.hpp"

namespace stint {
namespace {

constexpr double last_temperature = 2e-4;  // of the first
constexpr double penalty_at_all = 0.002;   // for any excess

double value_of(const PlacedReplay& replay, const Request& request, const PlacementAim& aim) {
  if (aim.second_joules > 0)
    return replay.joules() + aim.second_joules * (replay.seconds() - *deadline_seconds(request));
  if (request.objective == Objective::time) return replay.seconds();
  return request.objective == Objective::edp ? replay.seconds() * replay.joules() : replay.joules();
}

// Relative to the deadline, if there is one and it is missed.
double lateness(const PlacedReplay& replay, const Request& request, const PlacementAim& aim) {
  const auto deadline = deadline_seconds(request);
  if (aim.second_joules > 0 || meets(replay.seconds(), deadline)) return 0;
  return (replay.seconds() - *deadline) / std::max(*deadline, 1e-300);
}

// Of all memories, relative to their bounds.
double excess_of_memory(PlacedReplay& replay, const std::vector<std::int64_t>& capacity_bytes) {
  replay.measure_peaks(&capacity_bytes);
  double excess = 0;
  for (std::size_t m = 0; m < capacity_bytes.size(); ++m) {
    const auto over = static_cast<double>(replay.peak_bytes()[m] - capacity_bytes[m]);
    if (over > 0)
      excess += over / static_cast<double>(std::max<std::int64_t>(1, capacity_bytes[m]));
  }
  return excess;
}

class Annealing {
 public:
  Annealing(const PlacedGraph& graph, PlacedReplay& replay, const PlacementTrial& start,
            const PlacementSearchOptions& options)
      : graph_(graph),
        replay_(replay),
        options_(options),
        random_(options.seed),
        uses_(uses_of(graph)),
        later_(graph.tasks()),
        position_(graph.tasks()),
        now_(start),
        best_(start),
        base_(std::max(start.value, 1e-300)) {
    for (std::size_t t = 0; t < graph.tasks(); ++t) {
      for (const TaskId before : graph.problem->before[t])
        later_[before].push_back(static_cast<TaskId>(t));
    }
    const Request& request = graph.problem->request();
    may_drop_ = request.recompute;
    may_send_ = request.offload && std::any_of(graph.away.begin(), graph.away.end(),
                                               [](MemoryId memory) { return memory >= 0; });
    has_choice_of_state_ = std::any_of(
        graph.problem->platform().devices.begin(), graph.problem->platform().devices.end(),
        [](const Device& device) { return choosable_states(device) > 1; });
  }

  PlacementTrial run() {
    const auto per_replay = static_cast<std::int64_t>(graph_.tasks()) + 1;
    const std::int64_t moves = std::max<std::int64_t>(1, options_.steps / per_replay);
    const double cooling = std::log(last_temperature);
    for (std::int64_t i = 0; i < moves; ++i) {
      if (best_.excess == 0 && best_.value <= options_.good_enough) break;
      if (options_.interrupted != nullptr && options_.interrupted->load()) break;
      const double done = static_cast<double>(i) / static_cast<double>(moves);
      step(options_.first_temperature * std::exp(cooling * done));
    }
    return best_;
  }

 private:
  int below(std::size_t count) { return static_cast<int>(random_() % count); }
  bool chance(int percent) { return below(100) < percent; }
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  // What is accepted is drawn first: then memory need not be looked at where value and lateness are
  // too much already, which is mostly so.
  void step(double temperature) {
    const double most = score(now_.value, now_.excess) - temperature * std::log(fraction());
    next_.choice = now_.choice;
    if (!change(next_.choice) || !replay_.make_without_peaks(next_.choice)) return;
    const Request& request = graph_.problem->request();
    next_.value = value_of(replay_, request, options_.aim);
    next_.excess = lateness(replay_, request, options_.aim);
    if (score(next_.value, next_.excess) > most) return;
    next_.excess += excess_of_memory(replay_, options_.aim.capacity_bytes);
    if (score(next_.value, next_.excess) > most) return;
    std::swap(now_, next_);
    peak_known_ = false;
    if (score(now_.value, now_.excess) < score(best_.value, best_.excess)) best_ = now_;
  }

  double score(double value, double excess) const {
    return value / base_ + options_.penalty_of_excess * excess + (excess > 0 ? penalty_at_all : 0);
  }

  bool change(PlacementChoice& choice) {
    const int kind = below(100);
    if (kind < 25) return change_device(choice);
    if (kind < 50 && has_choice_of_state_) return change_state(choice);
    if (kind < 70) return change_order(choice);
    if (kind < 95 && (may_drop_ || may_send_)) return change_fate(choice);
    if (kind < 98 && may_drop_) {
      choice.repeats[uses_.item[below(uses_.item.size())]] ^= 1;
      return true;
    }
    choice.ahead = below(6);
    return true;
  }

  // A task, or a stretch of the order, goes to another device, with all that are tied to it.
  bool change_device(PlacementChoice& choice) {
    const TaskId task = choice.order[below(choice.order.size())];
    const DeviceId device = graph_.ways[task][below(graph_.ways[task].size())].device;
    if (device == choice.device[task]) return false;
    const bool has_clusters = options_.clusters != nullptr && !options_.clusters->empty();
    if (has_clusters && chance(30)) return change_cluster(device, choice);
    if (chance(50)) return place(task, device, choice);
    const int from = below(choice.order.size());
    const int length = 1 + below(chance(50) ? 4 : 16);
    const int end = std::min<int>(from + length, static_cast<int>(choice.order.size()));
    bool any = false;
    for (int i = from; i < end; ++i) any = place(choice.order[i], device, choice) || any;
    return any;
  }

  bool change_cluster(DeviceId device, PlacementChoice& choice) {
    bool any = false;
    for (const TaskId task : (*options_.clusters)[below(options_.clusters->size())])
      any = place(task, device, choice) || any;
    return any;
  }

  bool runs_on(TaskId task, DeviceId device) const {
    const auto& ways = graph_.ways[task];
    return std::any_of(ways.begin(), ways.end(),
                       [&](const PlacedWay& way) { return way.device == device; });
  }

  bool place(TaskId task, DeviceId device, PlacementChoice& choice) {
    if (!runs_on(task, device) || choice.device[task] == device) return false;
    const MemoryId memory = graph_.memory_of(device);
    for (const TaskId tied : graph_.tied[task]) {
      if (graph_.first_way(tied, memory) == nullptr) return false;
    }
    for (const TaskId tied : graph_.tied[task]) {
      const bool stays = tied != task && graph_.memory_of(choice.device[tied]) == memory;
      if (stays) continue;
      const DeviceId other =
          runs_on(tied, device) ? device : graph_.first_way(tied, memory)->device;
      choice.device[tied] = other;
      choice.state[tied] = below(choosable_states(graph_.problem->platform().devices[other]));
    }
    return true;
  }

  bool change_state(PlacementChoice& choice) {
    const int from = below(choice.order.size());
    const DeviceId device = choice.device[choice.order[from]];
    const Device& on = graph_.problem->platform().devices[device];
    const int states = choosable_states(on);
    if (states < 2) return false;
    const int state = below(states);
    if (!has_own_states(on)) {
      choice.device_state[device] = state;
      return true;
    }
    const int length = chance(60) ? 1 : 1 + below(12);
    const int end = std::min<int>(from + length, static_cast<int>(choice.order.size()));
    for (int i = from; i < end; ++i) {
      if (choice.device[choice.order[i]] == device) choice.state[choice.order[i]] = state;
    }
    return true;
  }

  // A task moves to any place between what it depends on and what depends on it.
  bool change_order(PlacementChoice& choice) {
    TaskOrder& order = choice.order;
    for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = static_cast<int>(i);
    const TaskId task = order[below(order.size())];
    int first = 0;
    int last = static_cast<int>(order.size()) - 1;
    for (const TaskId other : graph_.problem->before[task])
      first = std::max(first, position_[other] + 1);
    for (const TaskId other : later_[task]) last = std::min(last, position_[other] - 1);
    if (first >= last) return false;
    const int to = first + below(static_cast<std::size_t>(last - first + 1));
    const auto begin = order.begin();
    const int from = position_[task];
    if (from < to) std::rotate(begin + from, begin + from + 1, begin + to + 1);
    if (to < from) std::rotate(begin + to, begin + from, begin + from + 1);
    return from != to;
  }

  AfterUse other_fate() {
    if (!may_send_) return AfterUse::drop;
    return may_drop_ && chance(50) ? AfterUse::drop : AfterUse::send;
  }

  bool change_fate(PlacementChoice& choice) {
    if (now_.excess > 0 && chance(60)) return relieve_peak(choice);
    const int use = below(uses_.item.size());
    if (choice.after[use] != AfterUse::keep && chance(70)) {
      choice.after[use] = AfterUse::keep;
      return true;
    }
    if (chance(50)) return keep_one(choice);
    if (chance(20)) {
      choice.holds[uses_.item[use]] ^= 1;
      return true;
    }
    choice.after[use] = other_fate();
    return true;
  }

  bool keep_one(PlacementChoice& choice) {
    std::vector<int>& given_up = scratch_;
    given_up.clear();
    for (std::size_t use = 0; use < choice.after.size(); ++use) {
      if (choice.after[use] != AfterUse::keep) given_up.push_back(static_cast<int>(use));
    }
    if (given_up.empty()) return false;
    AfterUse& fate = choice.after[given_up[below(given_up.size())]];
    fate = chance(70) ? AfterUse::keep : other_fate();
    return true;
  }

  // Something that fills a peak above its bound is given up after its last use before it.
  bool relieve_peak(PlacementChoice& choice) {
    if (!peak_known_) find_peak();
    if (at_peak_.empty()) return false;
    const GraphItemId item = at_peak_[below(at_peak_.size())];
    int best = -1;
    for (std::size_t i = 0; i < choice.order.size() && static_cast<int>(i) <= peak_place_; ++i) {
      const TaskId task = choice.order[i];
      for (int use = uses_.first[task]; use < uses_.first[task + 1]; ++use) {
        if (uses_.item[use] == item) best = use;
      }
    }
    if (best < 0) return false;
    choice.after[best] = other_fate();
    return true;
  }

  // What is live at the peak of the memory that exceeds its bound most, and the place in the order
  // of the task that began last before it.
  void find_peak() {
    peak_known_ = true;
    at_peak_.clear();
    if (!replay_.make(now_.choice)) return;
    int worst = -1;
    double most = 0;
    for (std::size_t m = 0; m < options_.aim.capacity_bytes.size(); ++m) {
      const auto excess =
          static_cast<double>(replay_.peak_bytes()[m] - options_.aim.capacity_bytes[m]) /
          static_cast<double>(options_.aim.capacity_bytes[m] + 1);
      if (excess > most) most = excess, worst = static_cast<int>(m);
    }
    if (worst < 0) return;
    const auto memory = static_cast<MemoryId>(worst);
    replay_.live_at_peak(memory, scratch_);
    for (const int instance : scratch_) {
      const PlacedInstance& live = replay_.instances()[instance];
      if (live.item != no_graph_item) at_peak_.push_back(live.item);
    }
    peak_place_ = replay_.place_at(replay_.peak_seconds(memory));
  }

  const PlacedGraph& graph_;
  PlacedReplay& replay_;
  const PlacementSearchOptions& options_;
  std::mt19937_64 random_;
  PlacedUses uses_;
  std::vector<std::vector<TaskId>> later_;
  std::vector<int> position_;
  PlacementTrial now_;
  PlacementTrial best_;
  PlacementTrial next_;  // what is tried
  double base_;
  bool may_drop_ = false;
  bool may_send_ = false;
  bool has_choice_of_state_ = false;
  bool peak_known_ = false;
  std::vector<GraphItemId> at_peak_;
  int peak_place_ = 0;
  std::vector<int> scratch_;
};

}  // namespace

std::optional<PlacementTrial> tried(const PlacedGraph& graph, PlacedReplay& replay,
                                    PlacementChoice choice, const PlacementAim& aim) {
  PlacementTrial trial{std::move(choice)};
  if (!replay.make_without_peaks(trial.choice)) return std::nullopt;
  const Request& request = graph.problem->request();
  trial.value = value_of(replay, request, aim);
  trial.excess = excess_of_memory(replay, aim.capacity_bytes) + lateness(replay, request, aim);
  return trial;
}

PlacementTrial search_placement(const PlacedGraph& graph, PlacedReplay& replay,
                                const PlacementTrial& start,
                                const PlacementSearchOptions& options) {
  return Annealing(graph, replay, start, options).run();
}

}  // namespace stint

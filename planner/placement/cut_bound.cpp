#include "planner/placement/cut_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "planner/chains/chain_costs.hpp"
#include "planner/placement/length_mean.hpp"
#include "planner/placement/relaxed_work.hpp"
#include "planner/placement/transfer_prices.hpp"
#include "planner/placement/two_sides.hpp"

namespace stint {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int choices_per_price = 3;

using Side = std::vector<MemoryId>;

std::vector<MemoryId> memories_with_devices(const Platform& platform) {
  std::vector<MemoryId> all;
  for (const Device& device : platform.devices) {
    if (std::find(all.begin(), all.end(), device.memory) == all.end()) all.push_back(device.memory);
  }
  return all;
}

// Each memory against all others; two of them only once, and one alone against nothing.
std::vector<std::array<Side, 2>> divisions(const Platform& platform) {
  const std::vector<MemoryId> all = memories_with_devices(platform);
  std::vector<std::array<Side, 2>> found;
  for (const MemoryId memory : all) {
    Side others;
    std::copy_if(all.begin(), all.end(), std::back_inserter(others),
                 [&](MemoryId other) { return other != memory; });
    found.push_back({Side{memory}, others});
    if (all.size() < 3) break;
  }
  return found;
}

// What a crossing takes at least; another execution on the other side may take its place.
struct CrossingPrice {
  double joules = 0;
  double seconds = 0;
  double again_joules = never;
};

class CutBounding {
 public:
  CutBounding(const PlacedGraph& graph, const std::array<Side, 2>& sides, CutBound& found)
      : graph_(graph),
        sides_(sides),
        found_(found),
        side_of_(graph.problem->platform().memories.size(), -1),
        mean_(graph) {
    for (const int side : {0, 1}) {
      for (const MemoryId memory : sides[side]) side_of_[memory] = side;
    }
    find_prices();
    find_states();
  }

  // At a price of a second beyond what is billed; how long the last division is.
  double solve_at(double watts, int rounds, const SearchOptions& options) {
    const Problem& problem = *graph_.problem;
    const bool pays_time = problem.request().bill == Bill::makespan;
    watts_ = is_for_seconds() ? 1 : watts + (pays_time ? always_on_watts(problem.platform()) : 0);
    mean_ = LengthMean(graph_);
    double length = mean_.mix(graph_, timed(SideChoice{0, cheapest_alone()}), 1);
    for (int k = 0; k < rounds && !options.is_interrupted(); ++k) {
      const SideChoice choice = cheapest_sides(two_sides());
      note(choice.least, watts);
      const TimedDivision division = timed(choice);
      if (k % std::max(1, rounds / choices_per_price) == 0 || k == rounds - 1) add_choice(division);
      length = mean_.mix(graph_, division, 1.0 / (k + 2));
      if (watts_ == 0) break;
    }
    return length;
  }

 private:
  bool is_for_seconds() const { return graph_.problem->request().objective == Objective::time; }
  std::int64_t bytes_of(TensorId tensor) const {
    return graph_.problem->graph().tensors[tensor].bytes;
  }
  bool may_repeat(TaskId task) const {
    return graph_.problem->request().recompute && !graph_.flat.tasks[task].runs_once;
  }

  CrossingPrice price(std::int64_t bytes, int from) const {
    const TransferPrices transfers(graph_.problem->platform());
    const TransferPrice least = transfers.across(sides_[from], sides_[1 - from], bytes);
    return {is_for_seconds() && std::isfinite(least.joules) ? 0 : least.joules, least.seconds};
  }

  double joules(const PlacedWay& way) const { return is_for_seconds() ? 0 : way.joules; }

  double least_joules(TaskId task, int side) const {
    double least = never;
    for (const PlacedWay& way : graph_.ways[task]) {
      if (side_of_[graph_.memory_of(way.device)] == side) least = std::min(least, joules(way));
    }
    return least;
  }

  void find_prices() {
    for (std::size_t i = 0; i < graph_.flat.items.size(); ++i) {
      const GraphItem& item = graph_.flat.items[i];
      for (const int from : {0, 1}) {
        CrossingPrice there = price(bytes_of(item.tensor), from);
        if (item.writers.size() == 1 && may_repeat(item.writers.front()))
          there.again_joules = least_joules(item.writers.front(), 1 - from);
        prices_[from].push_back(there);
      }
    }
  }

  // State that is updated on one side and read, or updated, on the other crosses at least once.
  void find_states() {
    const auto& tasks = graph_.problem->graph().tasks;
    std::vector<std::vector<int>> users(graph_.problem->graph().tensors.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      for (const TensorId tensor : tasks[t].reads) users[tensor].push_back(static_cast<int>(t));
      for (const TensorId tensor : tasks[t].updates) users[tensor].push_back(static_cast<int>(t));
    }
    for (const PlacedState& state : graph_.states) {
      if (state.updaters.empty()) continue;
      const TaskId last = state.updaters.back();
      const auto& updated = tasks[last].updates;
      if (std::find(updated.begin(), updated.end(), state.tensor) == updated.end()) continue;
      SideCrossing crossing{last, users[state.tensor], {}, {}};
      std::erase(crossing.to, static_cast<int>(last));
      for (const int from : {0, 1})
        crossing.once[from] = price(bytes_of(state.tensor), from).joules;
      if (!crossing.to.empty()) states_.push_back(std::move(crossing));
    }
  }

  double cost(TaskId task, const PlacedWay& way) const {
    const int workers = graph_.problem->platform().devices[way.device].workers;
    const double counts = mean_.task[task] + mean_.device[way.device] / workers;
    return joules(way) + watts_ * counts * way.seconds;
  }

  // The cheapest way of a task on a side; null if there is none.
  const PlacedWay* best_way(TaskId task, int side) const {
    const PlacedWay* best = nullptr;
    for (const PlacedWay& way : graph_.ways[task]) {
      if (side_of_[graph_.memory_of(way.device)] != side) continue;
      if (best == nullptr || cost(task, way) < cost(task, *best)) best = &way;
    }
    return best;
  }

  std::vector<char> cheapest_alone() const {
    std::vector<char> side;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      double least = never;
      side.push_back(0);
      for (const PlacedWay& way : graph_.ways[t]) {
        const double mine = joules(way) + watts_ * way.seconds;
        if (mine < least)
          least = mine, side.back() = static_cast<char>(side_of_[graph_.memory_of(way.device)]);
      }
    }
    return side;
  }

  // Inputs are nodes of their own, which may be on either side for nothing.
  TwoSides two_sides() const {
    TwoSides problem;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      auto& costs = problem.cost.emplace_back();
      for (const int side : {0, 1}) {
        const PlacedWay* way = best_way(static_cast<TaskId>(t), side);
        costs[side] = way == nullptr ? never : cost(static_cast<TaskId>(t), *way);
      }
    }
    problem.crossings = states_;
    for (std::size_t i = 0; i < graph_.flat.items.size(); ++i) {
      if (!graph_.is_whole[i] || graph_.readers[i].empty() || sides_[1].empty()) continue;
      problem.crossings.push_back(crossing(static_cast<GraphItemId>(i), problem.cost));
    }
    return problem;
  }

  SideCrossing crossing(GraphItemId item, std::vector<std::array<double, 2>>& cost) const {
    SideCrossing crossing;
    const auto& writers = graph_.flat.items[item].writers;
    crossing.from = writers.empty() ? static_cast<int>(cost.size()) : static_cast<int>(writers[0]);
    if (writers.empty()) cost.push_back({0, 0});
    crossing.to.assign(graph_.readers[item].begin(), graph_.readers[item].end());
    for (const int from : {0, 1}) {
      const CrossingPrice& price = prices_[from][item];
      crossing.once[from] = std::min(price.joules, price.again_joules);
      if (!writers.empty()) crossing.each[from] = waits(item, price);
    }
    return crossing;
  }

  // What the seconds of the copy cost every reader; together not more than what another execution
  // costs beyond the copy.
  std::vector<double> waits(GraphItemId item, const CrossingPrice& price) const {
    std::vector<double> costs;
    double sum = 0;
    for (const TaskId reader : graph_.readers[item]) {
      const double seconds = std::isfinite(price.seconds) ? price.seconds : 0;
      costs.push_back(watts_ * weight(reader, item) * seconds);
      sum += costs.back();
    }
    const double most = std::max(0.0, price.again_joules - price.joules);
    if (sum > most || std::isinf(price.joules)) {
      const double share = std::isinf(price.joules) ? 0 : most / sum;
      for (double& one : costs) one *= share;
    }
    return costs;
  }

  std::size_t place_of(TaskId reader, GraphItemId item) const {
    const auto& reads = graph_.flat.tasks[reader].reads;
    return std::lower_bound(reads.begin(), reads.end(), item) - reads.begin();
  }
  double weight(TaskId reader, GraphItemId item) const {
    return mean_.read[reader][place_of(reader, item)];
  }

  TimedDivision timed(const SideChoice& choice) const {
    TimedDivision division;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      const auto task = static_cast<TaskId>(t);
      const PlacedWay* way = best_way(task, choice.side[t]);
      division.way.push_back(way != nullptr ? way : best_way(task, 1 - choice.side[t]));
      auto& copies = division.copies.emplace_back();
      for (const GraphItemId item : graph_.flat.tasks[t].reads)
        copies.push_back(copy_seconds_for(item, choice.side, choice.side[t]));
    }
    return division;
  }

  double copy_seconds_for(GraphItemId item, const std::vector<char>& side, int to) const {
    const auto& writers = graph_.flat.items[item].writers;
    if (writers.size() != 1 || !graph_.is_whole[item] || side[writers.front()] == to) return 0;
    const CrossingPrice& price = prices_[1 - to][item];
    return price.again_joules > price.joules ? price.seconds : 0;
  }

  void note(double least, double watts) {
    const Problem& problem = *graph_.problem;
    if (problem.request().objective == Objective::edp) return;
    double value = least;
    if (!is_for_seconds()) {
      const double until = deadline_seconds(problem.request()).value_or(0);
      value += fixed_joules(problem) - watts * until * (1 + 1e-9);
    }
    if (!found_.bound || found_.bound->value < value) found_.bound = Bound{value, "cuts"};
  }

  void add_choice(const TimedDivision& division) {
    std::vector<DeviceId> devices;
    std::vector<double> seconds;
    std::vector<int> states;
    for (const PlacedWay* way : division.way) {
      devices.push_back(way->device);
      seconds.push_back(way->seconds);
      states.push_back(way->state);
    }
    PlacementChoice choice =
        plain_choice(graph_, critical_path_order(*graph_.problem, seconds), std::move(devices));
    choice.state = std::move(states);
    for (std::size_t t = 0; t < graph_.tasks(); ++t)
      choice.device_state[choice.device[t]] = choice.state[t];
    found_.choices.push_back(std::move(choice));
  }

  const PlacedGraph& graph_;
  const std::array<Side, 2>& sides_;
  CutBound& found_;
  std::vector<int> side_of_;                          // by memory; -1: nobody works there
  std::array<std::vector<CrossingPrice>, 2> prices_;  // by the side where it is, and item
  std::vector<SideCrossing> states_;
  LengthMean mean_;
  double watts_ = 0;  // the price of a second
};

}  // namespace

// A deadline is met by a price on seconds: every price gives a bound.
CutBound cut_bound(const PlacedGraph& graph, int rounds, const SearchOptions& options) {
  CutBound found;
  const Platform& platform = graph.problem->platform();
  const auto deadline = deadline_seconds(graph.problem->request());
  const bool may_price = deadline && graph.problem->request().objective == Objective::energy;
  const auto all = divisions(platform);
  const int share = std::max(1, rounds / static_cast<int>(all.size()));
  for (const auto& sides : all) {
    CutBounding bounding(graph, sides, found);
    const double length = bounding.solve_at(0, share, options);
    if (!may_price || length <= *deadline) continue;
    for (const double part : {0.125, 0.25, 0.5, 1.0, 2.0})
      bounding.solve_at(part * dearest_second(platform), share / 4 + 1, options);
  }
  return found;
}

}  // namespace stint

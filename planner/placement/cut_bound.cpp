#include "planner/placement/cut_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "planner/chains/chain_costs.hpp"
#include "planner/infinity.hpp"
#include "planner/placement/cut_crossings.hpp"
#include "planner/placement/relaxed_work.hpp"

namespace stint {
namespace {

constexpr int choices_per_price = 3;
constexpr int tried_prices = 7;        // of a second, under a deadline
constexpr int least_first_rounds = 3;  // of every row

class CutBounding {
 public:
  CutBounding(const PlacedGraph& graph, MemoryRow row, CutBound& found)
      : graph_(graph),
        row_(std::move(row)),
        crossings_(graph, row_),
        found_(found),
        mean_(graph, crossings_.links()) {}

  // At a price of a second beyond what is billed.
  void begin_at(double watts) {
    const Problem& problem = *graph_.problem;
    const bool pays_time = problem.request().bill == Bill::makespan;
    beyond_ = watts;
    watts_ = is_for_seconds() ? 1 : watts + (pays_time ? always_on_watts(problem.platform()) : 0);
    mean_ = LengthMean(graph_, crossings_.links());
    rounds_ = 0;
    mean_.mix(timed(cheapest_alone()), 1);
  }

  void go_on(int rounds, const SearchOptions& options) {
    for (int k = 0; k < rounds && !options.is_interrupted(); ++k) {
      const SideChoice choice = cheapest_sides(side_row());
      note(choice.least);
      const TimedDivision division = timed(choice.side);
      if (k % std::max(1, rounds / choices_per_price) == 0 || k == rounds - 1) add_choice(division);
      length_ = mean_.of(division);
      mean_.mix(division, 1.0 / (rounds_++ + 2));
      if (watts_ == 0) break;
    }
  }

  double best() const { return best_; }
  // Of the last division, by the mean.
  double length() const { return length_; }

 private:
  bool is_for_seconds() const { return graph_.problem->request().objective == Objective::time; }
  double joules(const PlacedWay& way) const { return is_for_seconds() ? 0 : way.joules; }
  int side_of(const PlacedWay& way) const { return row_.side_of(graph_.memory_of(way.device)); }

  double cost(TaskId task, const PlacedWay& way) const {
    return joules(way) + watts_ * mean_.of_task(task, way.device) * way.seconds;
  }

  // The cheapest way of a task on a side; null if there is none.
  const PlacedWay* best_way(TaskId task, int side) const {
    const PlacedWay* best = nullptr;
    for (const PlacedWay& way : graph_.ways[task]) {
      if (side_of(way) != side) continue;
      if (best == nullptr || cost(task, way) < cost(task, *best)) best = &way;
    }
    return best;
  }

  std::vector<char> cheapest_alone() const {
    std::vector<char> side;
    for (const auto& ways : graph_.ways) {
      double least = infinity;
      side.push_back(0);
      for (const PlacedWay& way : ways) {
        const double mine = joules(way) + watts_ * way.seconds;
        if (mine < least) least = mine, side.back() = static_cast<char>(side_of(way));
      }
    }
    return side;
  }

  SideRow side_row() const {
    SideRow problem;
    problem.sides = row_.sides();
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      auto& costs = problem.cost.emplace_back();
      for (int side = 0; side < row_.sides(); ++side) {
        const PlacedWay* way = best_way(static_cast<TaskId>(t), side);
        costs.push_back(way == nullptr ? infinity : cost(static_cast<TaskId>(t), *way));
      }
    }
    crossings_.add_to(problem, mean_, watts_);
    return problem;
  }

  // Where a task has no way on its side, it is somewhere.
  TimedDivision timed(const std::vector<char>& side) const {
    TimedDivision division;
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      const auto task = static_cast<TaskId>(t);
      const PlacedWay* way = best_way(task, side[t]);
      division.way.push_back(way != nullptr ? way : &graph_.ways[t].front());
      auto& copies = division.copies.emplace_back();
      for (const GraphItemId item : graph_.flat.tasks[t].reads)
        copies.push_back(crossings_.copy_seconds(item, side, side[t]));
    }
    division.links = crossings_.link_seconds(side);
    return division;
  }

  void note(double least) {
    const Problem& problem = *graph_.problem;
    if (problem.request().objective == Objective::edp) return;
    double value = least;
    if (!is_for_seconds()) {
      const double until = deadline_seconds(problem.request()).value_or(0);
      value += fixed_joules(problem) - beyond_ * until * (1 + 1e-9);
    }
    best_ = std::max(best_, value);
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
  MemoryRow row_;
  CutCrossings crossings_;
  CutBound& found_;
  LengthMean mean_;
  int rounds_ = 0;
  double beyond_ = 0;  // the price of a second beyond what is billed
  double watts_ = 0;   // the price of a second
  double best_ = -infinity;
  double length_ = 0;
};

// A deadline is met by a price on seconds (Lagrange): every price gives a bound, and the bound is
// concave in it.
void price_seconds(const PlacedGraph& graph, CutBounding& bounding, int rounds,
                   const SearchOptions& options) {
  const double deadline = *deadline_seconds(graph.problem->request());
  double low = 0;
  double high = 2 * dearest_second(graph.problem->platform());
  for (int k = 0; k < tried_prices && !options.is_interrupted(); ++k) {
    const double price = k == 0 ? high / 4 : (low + high) / 2;
    bounding.begin_at(price);
    bounding.go_on(rounds, options);
    (bounding.length() > deadline ? low : high) = price;
  }
}

}  // namespace

CutBound cut_bound(const PlacedGraph& graph, int rounds, const SearchOptions& options) {
  CutBound found;
  std::vector<std::unique_ptr<CutBounding>> all;
  for (MemoryRow& row : memory_rows(graph.problem->platform()))
    all.push_back(std::make_unique<CutBounding>(graph, std::move(row), found));
  const int first =
      std::min(rounds, std::max(least_first_rounds, rounds / (2 * static_cast<int>(all.size()))));
  for (const auto& bounding : all) bounding->begin_at(0), bounding->go_on(first, options);
  CutBounding& best = **std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a->best() < b->best(); });
  best.go_on(rounds - first, options);
  const Request& request = graph.problem->request();
  const auto deadline = deadline_seconds(request);
  if (deadline && request.objective == Objective::energy && best.length() > *deadline)
    price_seconds(graph, best, rounds / 6 + 1, options);
  return found;
}

}  // namespace stint

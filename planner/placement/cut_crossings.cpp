#include "planner/placement/cut_crossings.hpp"

#include <algorithm>
#include <cmath>

#include "planner/infinity.hpp"

namespace stint {
namespace {

double once_joules(const CrossingPrice& price, double link_weight, double watts) {
  return price.joules + watts * link_weight * price.link_seconds;
}

}  // namespace

CutCrossings::CutCrossings(const PlacedGraph& graph, const MemoryRow& row)
    : graph_(graph), row_(row) {
  find_items();
  find_states();
}

bool CutCrossings::counts_joules() const {
  return graph_.problem->request().objective != Objective::time;
}

CrossingPrices CutCrossings::prices_of(TensorId tensor) const {
  CrossingPrices prices;
  const std::int64_t bytes = graph_.problem->graph().tensors[tensor].bytes;
  for (const BorderPrice& border : row_.prices(bytes)) {
    auto& both = prices.emplace_back();
    const int index = static_cast<int>(prices.size()) - 1;
    for (const int back : {0, 1}) {
      const bool is_free = !counts_joules() && std::isfinite(border[back].joules);
      both[back] = {is_free ? 0 : border[back].joules, border[back].seconds,
                    row_.link_seconds(index, back, bytes)};
    }
  }
  return prices;
}

double CutCrossings::least_joules(TaskId task, int from_side, int end_side) const {
  double least = infinity;
  for (const PlacedWay& way : graph_.ways[task]) {
    const int side = row_.side_of(graph_.memory_of(way.device));
    if (side >= from_side && side < end_side)
      least = std::min(least, counts_joules() ? way.joules : 0);
  }
  return least;
}

void CutCrossings::find_items() {
  for (const GraphItem& item : graph_.flat.items) {
    CrossingPrices prices = prices_of(item.tensor);
    const bool may_repeat = item.writers.size() == 1 && graph_.problem->request().recompute &&
                            !graph_.flat.tasks[item.writers.front()].runs_once;
    for (int b = 0; may_repeat && b < row_.borders(); ++b) {
      const TaskId writer = item.writers.front();
      const double share = 1.0 / row_.borders();
      prices[b][0].again_joules = least_joules(writer, b + 1, row_.sides()) * share;
      prices[b][1].again_joules = least_joules(writer, 0, b + 1) * share;
    }
    items_.push_back(std::move(prices));
  }
}

// State that is updated on one side and read, or updated, on another crosses at least once.
void CutCrossings::find_states() {
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
    StateCrossing crossing{last, users[state.tensor], prices_of(state.tensor)};
    std::erase(crossing.to, static_cast<int>(last));
    if (!crossing.to.empty()) states_.push_back(std::move(crossing));
  }
}

void CutCrossings::add_to(SideRow& problem, const LengthMean& mean, double watts) const {
  for (const StateCrossing& state : states_) add_state(state, problem, mean, watts);
  for (std::size_t i = 0; i < graph_.flat.items.size(); ++i) {
    if (!graph_.is_whole[i] || graph_.readers[i].empty() || row_.borders() == 0) continue;
    const auto item = static_cast<GraphItemId>(i);
    const auto& writers = graph_.flat.items[i].writers;
    SideCrossing crossing;
    crossing.from = writers.empty() ? static_cast<int>(problem.cost.size()) : writers[0];
    if (writers.empty()) problem.cost.emplace_back(row_.sides(), 0.0);
    crossing.to.assign(graph_.readers[i].begin(), graph_.readers[i].end());
    for (int b = 0; b < row_.borders(); ++b) {
      BorderCost& border = crossing.borders.emplace_back();
      for (const int back : {0, 1}) {
        const CrossingPrice& price = items_[i][b][back];
        const double once = once_joules(price, mean.of_link(2 * b + back), watts);
        border.once[back] = std::min(once, price.again_joules);
        if (!writers.empty()) border.each[back] = waits(item, price, once, mean, watts);
      }
    }
    problem.crossings.push_back(std::move(crossing));
  }
}

void CutCrossings::add_state(const StateCrossing& state, SideRow& problem, const LengthMean& mean,
                             double watts) const {
  SideCrossing crossing{state.from, state.to, {}};
  for (int b = 0; b < row_.borders(); ++b) {
    const auto once = [&](int back) {
      return once_joules(state.prices[b][back], mean.of_link(2 * b + back), watts);
    };
    crossing.borders.push_back({{once(0), once(1)}, {}});
  }
  problem.crossings.push_back(std::move(crossing));
}

// What the seconds of the copy cost every reader; together not more than what another execution
// costs beyond the copy.
std::vector<double> CutCrossings::waits(GraphItemId item, const CrossingPrice& price, double once,
                                        const LengthMean& mean, double watts) const {
  std::vector<double> costs;
  double sum = 0;
  for (const TaskId reader : graph_.readers[item]) {
    const auto& reads = graph_.flat.tasks[reader].reads;
    const auto place = std::lower_bound(reads.begin(), reads.end(), item) - reads.begin();
    const double seconds = std::isfinite(price.seconds) ? price.seconds : 0;
    costs.push_back(watts * mean.of_read(reader, place) * seconds);
    sum += costs.back();
  }
  const double most = std::max(0.0, price.again_joules - once);
  if (sum > most || std::isinf(price.joules)) {
    const double share = std::isinf(price.joules) ? 0 : most / sum;
    for (double& one : costs) one *= share;
  }
  return costs;
}

std::vector<double> CutCrossings::link_seconds(const std::vector<char>& side) const {
  std::vector<double> seconds(links(), 0);
  const auto add = [&](int from, const auto& to, const CrossingPrices& prices) {
    for (int b = 0; b < row_.borders(); ++b) {
      const bool is_behind = side[from] > b;
      const bool crosses =
          std::any_of(to.begin(), to.end(), [&](int one) { return (side[one] > b) != is_behind; });
      const CrossingPrice& price = prices[b][is_behind ? 1 : 0];
      if (crosses && price.again_joules > price.joules)
        seconds[2 * b + (is_behind ? 1 : 0)] += price.link_seconds;
    }
  };
  for (const StateCrossing& state : states_) add(state.from, state.to, state.prices);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto& writers = graph_.flat.items[i].writers;
    if (graph_.is_whole[i] && !writers.empty()) add(writers.front(), graph_.readers[i], items_[i]);
  }
  return seconds;
}

double CutCrossings::copy_seconds(GraphItemId item, const std::vector<char>& side, int to) const {
  const auto& writers = graph_.flat.items[item].writers;
  if (writers.size() != 1 || !graph_.is_whole[item]) return 0;
  const int from = side[writers.front()];
  double seconds = 0;
  for (int border = std::min(from, to); border < std::max(from, to); ++border) {
    const CrossingPrice& price = items_[item][border][from < to ? 0 : 1];
    if (price.again_joules > price.joules) seconds += price.seconds;
  }
  return seconds;
}

}  // namespace stint

#include "planner/grains/layer_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double least_share_of_step = 0.01;
constexpr double work_per_overhead = 20;

class FastestTimes {
 public:
  explicit FastestTimes(const Platform& platform) : platform_(platform), times_(platform) {}

  double seconds(const Task& task) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < platform_.devices.size(); ++d) {
      const auto price = times_.seconds_at_speed_1(task, static_cast<DeviceId>(d));
      least = std::min(least, price.value_or(least));
    }
    return least;
  }

  double seconds(const Graph& graph) const {
    double sum = 0;
    for (const Task& task : graph.tasks) sum += seconds(task);
    return sum;
  }

  // What a task costs in which there is nothing to do.
  double overhead_seconds(const Task& task) const {
    Task empty;
    empty.op = task.op;
    return std::min(seconds(empty), seconds(task));
  }

 private:
  const Platform& platform_;
  TaskTimes times_;
};

std::vector<std::string> names_of_layers(const Network& network) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  names.emplace_back("loss");
  return names;
}

// What the graph has that the whole one has not: the tasks of the layer that is cut.
double seconds_of_new_tasks(const Graph& cut, const std::set<std::string>& known,
                            const FastestTimes& times) {
  double seconds = 0;
  for (const Task& task : cut.tasks) {
    if (!known.contains(task.name)) seconds += times.seconds(task);
  }
  return seconds;
}

std::set<std::string> names_of_tasks(const Graph& graph) {
  std::set<std::string> names;
  for (const Task& task : graph.tasks) names.insert(task.name);
  return names;
}

}  // namespace

std::vector<LayerCost> layer_costs(const Problem& whole, std::int64_t grain) {
  const auto& network = std::get<Network>(whole.blank.model);
  const FastestTimes times(whole.platform());
  Lowering lowering = whole.blank.lowering;
  const double leaves = static_cast<double>(lowering.leaves);
  const double pieces = std::ceil(leaves / static_cast<double>(grain));
  const double whole_seconds = times.seconds(whole.graph());
  const std::set<std::string> known = names_of_tasks(whole.graph());
  std::vector<LayerCost> costs;
  for (const std::string& layer : names_of_layers(network)) {
    lowering.cuts = {{.layer = layer, .leaves = grain}};
    const Graph cut = lower(network, lowering);
    if (cut.tasks.size() == whole.graph().tasks.size()) continue;
    // In one piece it takes p + w, in n pieces n·p + w.
    const double more = times.seconds(cut) - whole_seconds;
    LayerCost cost{layer, std::max(0.0, more / (pieces - 1)), 0};
    const double work = seconds_of_new_tasks(cut, known, times) - pieces * cost.piece_seconds;
    cost.leaf_seconds = std::max(0.0, work / leaves);
    costs.push_back(cost);
  }
  std::stable_sort(costs.begin(), costs.end(), [](const LayerCost& a, const LayerCost& b) {
    return a.leaf_seconds > b.leaf_seconds;
  });
  return costs;
}

std::vector<ParameterSplit> worthwhile_splits(const Problem& whole, int workers) {
  const FastestTimes times(whole.platform());
  const double ideal_seconds = times.seconds(whole.graph()) / workers;
  std::vector<ParameterSplit> splits;
  std::set<TensorId> seen;
  for (const Task& task : whole.graph().tasks) {
    if (task.phase != Phase::update || !seen.insert(task.updates[0]).second) continue;
    const double seconds = times.seconds(task);
    const double overhead = times.overhead_seconds(task);
    const double most = (seconds - overhead) / (work_per_overhead * overhead);
    const auto ranges = static_cast<std::int64_t>(std::min<double>(workers, most));
    if (ranges < 2 || seconds < least_share_of_step * ideal_seconds) continue;
    splits.push_back({whole.graph().tensors[task.updates[0]].name, ranges});
  }
  return splits;
}

}  // namespace stint

#include "executor/calibrate/observe.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "schedules/cache_traffic.hpp"

namespace stint {
namespace {

constexpr std::size_t families = 3;
constexpr std::size_t one_held_out_in = 4;

bool is_held_out(std::size_t network) {
  return network / families % one_held_out_in == one_held_out_in - 1;
}

// What a time model sees of a task.
Task costs_of(const Task& task, const std::map<std::string, double>& of_caches) {
  Task costs;
  costs.op = task.op;
  costs.shape = task.shape;
  costs.flops = task.flops;
  costs.bytes_moved = task.bytes_moved;
  costs.features = task.features;
  costs.features.insert(of_caches.begin(), of_caches.end());
  return costs;
}

// Tasks of a step that cost the same, by number.
struct AlikeTasks {
  Task costs;
  std::vector<std::size_t> tasks;
};

std::vector<AlikeTasks> alike(const Graph& graph, const Device& device) {
  const auto of_caches = cache_features(graph, device);
  std::map<std::tuple<std::string, std::string, std::map<std::string, double>>, AlikeTasks> found;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    Task costs = costs_of(graph.tasks[t], of_caches[t]);
    AlikeTasks& same = found[{costs.op, costs.shape, costs.features}];
    same.tasks.push_back(t);
    same.costs = std::move(costs);
  }
  std::vector<AlikeTasks> all;
  for (auto& [key, same] : found) all.push_back(std::move(same));
  return all;
}

class Observing {
 public:
  Observing(const std::vector<NetworkStep>& networks, const Device& device,
            const StepClocks& clocks, const MeasureProgress& progress)
      : networks_(networks),
        device_(device),
        clocks_(clocks),
        progress_(progress),
        all_(networks.size()) {
    for (std::size_t i = 0; i < networks.size(); ++i) all_ += is_held_out(i) ? 2 : 0;
  }

  std::vector<Observation> all(const std::atomic<bool>& interrupted) {
    for (std::size_t i = 0; i < networks_.size() && !interrupted; ++i) first_time(i);
    for (std::size_t i = 0; i < networks_.size() && !interrupted; ++i) {
      if (is_held_out(i)) second_time(i);
    }
    return std::move(seen_);
  }

 private:
  void first_time(std::size_t network) {
    const NetworkStep& step = networks_[network];
    const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
    begin_.push_back(seen_.size());
    for (auto& [costs, tasks] : alike(lowered.graph, device_))
      seen_.push_back({.task = std::move(costs),
                       .held_out = is_held_out(network),
                       .step = network,
                       .tasks = tasks.size()});
    measure(clocks_.seconds, network, lowered, &Observation::seconds);
  }

  void second_time(std::size_t network) {
    const NetworkStep& step = networks_[network];
    const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
    measure(clocks_.seconds, network, lowered, &Observation::again_seconds);
    measure(clocks_.alone, network, lowered, &Observation::alone_seconds);
  }

  void measure(const StepClock& clock, std::size_t network, const LoweredNetwork& lowered,
               double Observation::*result) {
    progress_(done_++, all_);
    const std::vector<double> seconds = clock(networks_[network], lowered);
    auto observation = seen_.begin() + static_cast<std::ptrdiff_t>(begin_[network]);
    for (const auto& [costs, tasks] : alike(lowered.graph, device_)) {
      double sum = 0;
      for (const std::size_t task : tasks) sum += seconds[task];
      (*observation++).*result = sum / static_cast<double>(tasks.size());
    }
  }

  const std::vector<NetworkStep>& networks_;
  const Device& device_;
  const StepClocks& clocks_;
  const MeasureProgress& progress_;
  std::size_t all_ = 0;
  std::size_t done_ = 0;
  std::vector<std::size_t> begin_;  // by network: its first observation
  std::vector<Observation> seen_;
};

}  // namespace

std::vector<Observation> observe(const std::vector<NetworkStep>& networks, const Device& device,
                                 const StepClocks& clocks, const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress) {
  return Observing(networks, device, clocks, progress).all(interrupted);
}

}  // namespace stint

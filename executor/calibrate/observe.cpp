#include "executor/calibrate/observe.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "schedules/cache_traffic.hpp"

namespace stint {
namespace {

struct ObservedNetwork {
  const NetworkStep* step = nullptr;
  bool is_held_out = false;
};

// Those that are held out stand evenly among the others, so that a machine that changes while it is
// measured changes for both.
std::vector<ObservedNetwork> in_turn(const NetworkDesign& design) {
  std::vector<ObservedNetwork> all;
  std::size_t held_out = 0;
  for (std::size_t i = 0; i < design.fitted.size(); ++i) {
    all.push_back({&design.fitted[i], false});
    while (held_out * design.fitted.size() < design.held_out.size() * (i + 1))
      all.push_back({&design.held_out[held_out++], true});
  }
  return all;
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
  Observing(const NetworkDesign& design, const Device& device, const StepClocks& clocks,
            const MeasureProgress& progress)
      : networks_(in_turn(design)),
        device_(device),
        clocks_(clocks),
        progress_(progress),
        all_(networks_.size() + 2 * design.held_out.size()) {}

  std::vector<Observation> all(const std::atomic<bool>& interrupted) {
    for (std::size_t i = 0; i < networks_.size() && !interrupted; ++i) first_time(i);
    for (std::size_t i = 0; i < networks_.size() && !interrupted; ++i) {
      if (networks_[i].is_held_out) second_time(i);
    }
    return std::move(seen_);
  }

 private:
  LoweredNetwork lowered(std::size_t network) const {
    const NetworkStep& step = *networks_[network].step;
    return lower_with_kernels(step.network, step.lowering);
  }

  void first_time(std::size_t network) {
    const LoweredNetwork lowered = this->lowered(network);
    begin_.push_back(seen_.size());
    for (auto& [costs, tasks] : alike(lowered.graph, device_))
      seen_.push_back({.task = std::move(costs),
                       .held_out = networks_[network].is_held_out,
                       .step = network,
                       .tasks = tasks.size()});
    measure(clocks_.seconds, network, lowered, &Observation::seconds);
  }

  void second_time(std::size_t network) {
    const LoweredNetwork lowered = this->lowered(network);
    measure(clocks_.seconds, network, lowered, &Observation::again_seconds);
    measure(clocks_.alone, network, lowered, &Observation::alone_seconds);
  }

  void measure(const StepClock& clock, std::size_t network, const LoweredNetwork& lowered,
               double Observation::*result) {
    progress_(done_++, all_);
    const std::vector<double> seconds = clock(*networks_[network].step, lowered);
    auto observation = seen_.begin() + static_cast<std::ptrdiff_t>(begin_[network]);
    for (const auto& [costs, tasks] : alike(lowered.graph, device_)) {
      double sum = 0;
      for (const std::size_t task : tasks) sum += seconds[task];
      (*observation++).*result = sum / static_cast<double>(tasks.size());
    }
  }

  std::vector<ObservedNetwork> networks_;
  const Device& device_;
  const StepClocks& clocks_;
  const MeasureProgress& progress_;
  std::size_t all_ = 0;
  std::size_t done_ = 0;
  std::vector<std::size_t> begin_;  // by network: its first observation
  std::vector<Observation> seen_;
};

}  // namespace

std::vector<Observation> observe(const NetworkDesign& design, const Device& device,
                                 const StepClocks& clocks, const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress) {
  return Observing(design, device, clocks, progress).all(interrupted);
}

}  // namespace stint

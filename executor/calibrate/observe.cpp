#include "executor/calibrate/observe.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace stint {
namespace {

constexpr std::size_t families = 3;
constexpr std::size_t one_held_out_in = 4;

bool is_held_out(std::size_t network) {
  return network / families % one_held_out_in == one_held_out_in - 1;
}

// What a time model sees of a task.
Task costs_of(const Task& task) {
  Task costs;
  costs.op = task.op;
  costs.shape = task.shape;
  costs.flops = task.flops;
  costs.bytes_moved = task.bytes_moved;
  costs.features = task.features;
  return costs;
}

using Costs = std::tuple<std::string, std::string, std::map<std::string, double>>;

// Tasks of a step that cost the same, by number.
std::map<Costs, std::vector<std::size_t>> alike(const Graph& graph) {
  std::map<Costs, std::vector<std::size_t>> found;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    found[{task.op, task.shape, task.features}].push_back(t);
  }
  return found;
}

class Observing {
 public:
  Observing(const std::vector<NetworkStep>& networks, const StepClocks& clocks,
            const MeasureProgress& progress)
      : networks_(networks), clocks_(clocks), progress_(progress), all_(networks.size()) {
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
    for (const auto& [costs, tasks] : alike(lowered.graph))
      seen_.push_back({.task = costs_of(lowered.graph.tasks[tasks.front()]),
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
    for (const auto& [costs, tasks] : alike(lowered.graph)) {
      double sum = 0;
      for (const std::size_t task : tasks) sum += seconds[task];
      (*observation++).*result = sum / static_cast<double>(tasks.size());
    }
  }

  const std::vector<NetworkStep>& networks_;
  const StepClocks& clocks_;
  const MeasureProgress& progress_;
  std::size_t all_ = 0;
  std::size_t done_ = 0;
  std::vector<std::size_t> begin_;  // by network: its first observation
  std::vector<Observation> seen_;
};

}  // namespace

std::vector<Observation> observe(const std::vector<NetworkStep>& networks, const StepClocks& clocks,
                                 const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress) {
  return Observing(networks, clocks, progress).all(interrupted);
}

}  // namespace stint

#include "executor/calibrate/observe.hpp"

#include <map>
#include <string>
#include <utility>

#include "models/training/lower_network.hpp"

namespace stint {
namespace {

constexpr std::size_t families = 3;
constexpr std::size_t one_held_out_in = 4;

bool is_held_out(std::size_t network) {
  return network / families % one_held_out_in == one_held_out_in - 1;
}

struct Distinct {
  const Task* task = nullptr;
  const TaskKernel* kernel = nullptr;
  bool held_out = false;
};
using DistinctTasks = std::map<std::pair<std::string, std::string>, Distinct>;

void add_tasks(const LoweredNetwork& lowered, bool held_out, DistinctTasks& found) {
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    const auto [at, is_new] =
        found.try_emplace({task.op, task.shape}, Distinct{&task, &lowered.kernels[t], held_out});
    if (!is_new && !held_out) at->second.held_out = false;
  }
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

}  // namespace

std::vector<Observation> observe(const std::vector<DesignedNetwork>& networks,
                                 const KernelClocks& clocks, const std::atomic<bool>& interrupted,
                                 const MeasureProgress& progress) {
  std::vector<LoweredNetwork> lowered;
  for (const auto& [network, lowering] : networks)
    lowered.push_back(lower_with_kernels(network, lowering));
  DistinctTasks tasks;
  for (std::size_t i = 0; i < lowered.size(); ++i) add_tasks(lowered[i], is_held_out(i), tasks);
  std::size_t all = tasks.size();
  for (const auto& [key, one] : tasks) all += one.held_out ? 1 : 0;
  std::size_t done = 0;
  std::vector<Observation> seen;
  for (const auto& [key, one] : tasks) {
    if (interrupted) return seen;
    progress(done++, all);
    seen.push_back({costs_of(*one.task), clocks.seconds(*one.task, *one.kernel), one.held_out});
  }
  auto place = seen.begin();
  for (const auto& [key, one] : tasks) {
    Observation& again = *place++;
    if (!one.held_out) continue;
    if (interrupted) return seen;
    progress(done++, all);
    again.again_seconds = clocks.seconds(*one.task, *one.kernel);
    again.alone_seconds = clocks.alone(*one.task, *one.kernel);
  }
  return seen;
}

}  // namespace stint

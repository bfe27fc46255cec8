#include "executor/calibrate/gpu_step.hpp"

#include "executor/calibrate/step_places.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

WorkerId first_worker_of(const Platform& platform, DeviceId device) {
  const std::vector<Worker> all = workers(platform);
  for (std::size_t w = 0; w < all.size(); ++w) {
    if (!all[w].is_link() && all[w].device == device) return static_cast<WorkerId>(w);
  }
  return no_worker;
}

// Buffers have the numbers of tensors; workspaces follow.
class GpuStep {
 public:
  GpuStep(const NetworkStep& step, const Graph& graph, const Platform& platform, DeviceId gpu)
      : worker_(first_worker_of(platform, gpu)), memory_(platform.devices[gpu].memory) {
    schedule_.model = step.network;
    schedule_.platform = platform;
    schedule_.lowering = step.lowering;
    schedule_.request.batch = step.lowering.batch;
    schedule_.graph = graph;
  }

  Schedule made() {
    const Graph& graph = schedule_.graph;
    std::vector<std::int64_t> workspaces;
    for (const Task& task : graph.tasks) workspaces.push_back(task.workspace_bytes);
    const StepPlaces places = step_places(graph, workspaces);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      add_buffer(TensorId{static_cast<int>(t)}, places.tensors[t], graph.tensors[t].bytes);
    for (std::size_t t = 0; t < graph.tasks.size(); ++t)
      add_action(TaskId{static_cast<int>(t)}, places.workspaces[t]);
    schedule_.arenas[memory_name(schedule_.platform, memory_)] = places.bytes;
    return std::move(schedule_);
  }

 private:
  void add_buffer(TensorId tensor, std::int64_t offset, std::int64_t bytes) {
    Buffer buffer{.id = static_cast<std::int64_t>(schedule_.buffers.size()),
                  .tensor = tensor,
                  .memory = memory_,
                  .offset = offset,
                  .bytes = bytes};
    if (tensor != no_tensor) {
      const Tensor& of = schedule_.graph.tensors[tensor];
      buffer.initial = of.kind != Kind::activation;
      if (of.part_of) buffer.within = BufferId{static_cast<int>(of.part_of->tensor)};
    }
    schedule_.buffers.push_back(buffer);
  }

  void add_action(TaskId id, std::int64_t workspace) {
    const Task& task = schedule_.graph.tasks[id];
    const auto list = [](const std::vector<TensorId>& tensors) {
      std::vector<BufferId> buffers;
      for (const TensorId tensor : tensors) buffers.push_back(BufferId{static_cast<int>(tensor)});
      return buffers;
    };
    Action action{.id = static_cast<std::int64_t>(schedule_.actions.size()),
                  .worker = worker_,
                  .task = id,
                  .reads = list(task.reads),
                  .writes = list(task.writes),
                  .updates = list(task.updates)};
    if (task.workspace_bytes > 0) {
      action.workspace = BufferId{static_cast<int>(schedule_.buffers.size())};
      add_buffer(no_tensor, workspace, task.workspace_bytes);
    }
    schedule_.actions.push_back(std::move(action));
  }

  Schedule schedule_;
  WorkerId worker_;
  MemoryId memory_;
};

}  // namespace

Schedule gpu_step(const NetworkStep& step, const Graph& graph, const Platform& platform,
                  DeviceId gpu) {
  return GpuStep(step, graph, platform, gpu).made();
}

}  // namespace stint

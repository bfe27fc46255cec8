#include "benchmarks/overhead/shape_schedule.hpp"

#include "benchmarks/seal.hpp"

namespace stint {
namespace {

Platform one_device(int workers) {
  Memory memory;
  memory.name = "ram";
  memory.bytes = 1 << 20;
  Device device;
  device.name = device.kind = "cpu";
  device.memory = MemoryId{0};
  device.workers = workers;
  device.states = {{.name = "as it is", .busy_watts = 1.0}};
  Platform platform;
  platform.name = "one-device";
  platform.nodes = {{.name = "n0"}};
  platform.memories = {memory};
  platform.devices = {device};
  return platform;
}

Task graph_task(const TaskShape& shape, int index) {
  Task task;
  task.name = "T" + std::to_string(index);
  for (const int before : shape.tasks[index].predecessors) task.reads.push_back(TensorId{before});
  task.writes = {TensorId{index}};
  task.seconds = {{"cpu", 0.0}};
  return task;
}

Buffer result_buffer(int index) {
  Buffer buffer;
  buffer.id = index;
  buffer.tensor = TensorId{index};
  buffer.memory = MemoryId{0};
  return buffer;
}

Action action_of(const TaskShape& shape, int index) {
  const ShapeTask& task = shape.tasks[index];
  Action action;
  action.id = index;
  action.worker = WorkerId{task.worker};
  action.task = TaskId{index};
  action.writes = {BufferId{index}};
  for (const int before : task.predecessors) {
    action.reads.push_back(BufferId{before});
    if (shape.tasks[before].worker != task.worker) action.after.push_back(ActionId{before});
  }
  return action;
}

}  // namespace

Schedule shape_schedule(const TaskShape& shape) {
  Schedule schedule;
  schedule.platform = one_device(shape.workers);
  schedule.arenas = {{"n0/ram", 0}};
  for (int index = 0; index < static_cast<int>(shape.tasks.size()); ++index) {
    schedule.graph.tensors.push_back({.name = "x" + std::to_string(index)});
    schedule.graph.tasks.push_back(graph_task(shape, index));
    schedule.buffers.push_back(result_buffer(index));
    schedule.actions.push_back(action_of(shape, index));
  }
  seal(schedule, "overhead");
  return schedule;
}

}  // namespace stint

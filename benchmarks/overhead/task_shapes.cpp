#include "benchmarks/overhead/task_shapes.hpp"

#include <cstdint>
#include <random>

namespace stint {
namespace {

constexpr int layer_width = 8;

TaskShape dealt_to(int workers, int tasks, std::string name) {
  TaskShape shape{std::move(name), workers, std::vector<ShapeTask>(tasks)};
  for (int task = 0; task < tasks; ++task) shape.tasks[task].worker = task % workers;
  return shape;
}

void make_chain(TaskShape& shape) {
  for (int task = 1; task < static_cast<int>(shape.tasks.size()); ++task)
    shape.tasks[task].predecessors = {task - 1};
}

}  // namespace

TaskShape independent_tasks(int tasks) { return dealt_to(2, tasks, "independent"); }

TaskShape chain_on_one_worker(int tasks) {
  TaskShape shape = dealt_to(1, tasks, "chain on one worker");
  make_chain(shape);
  return shape;
}

TaskShape alternating_chain(int tasks) {
  TaskShape shape = dealt_to(2, tasks, "chain alternating between workers");
  make_chain(shape);
  return shape;
}

TaskShape layered_tasks(int tasks) {
  TaskShape shape = dealt_to(2, tasks, "layers of width 8");
  std::mt19937_64 random(8);
  for (int task = layer_width; task < tasks; ++task) {
    const int layer_before = (task / layer_width - 1) * layer_width;
    const auto pick = [&] { return layer_before + static_cast<int>(random() % layer_width); };
    const int first = pick();
    const int second = pick();
    shape.tasks[task].predecessors = {first};
    if (second != first) shape.tasks[task].predecessors.push_back(second);
  }
  return shape;
}

std::vector<TaskShape> all_shapes(int tasks) {
  return {independent_tasks(tasks), chain_on_one_worker(tasks), alternating_chain(tasks),
          layered_tasks(tasks)};
}

}  // namespace stint

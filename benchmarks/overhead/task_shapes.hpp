// The task graphs whose overhead is measured, as plain data that any run-time system can be given.
//
// A shape says what must precede what, and which worker the static plan gives each task. The rivals
// ignore the workers, but for their number: deciding is their business. Predecessors have smaller
// numbers, so the order of the list is an order that respects the dependencies.
#pragma once

#include <string>
#include <vector>

namespace stint {

struct ShapeTask {
  int worker = 0;  // in the static plan
  std::vector<int> predecessors;
};

struct TaskShape {
  std::string name;
  int workers = 1;
  std::vector<ShapeTask> tasks;
};

TaskShape independent_tasks(int tasks);  // dealt to two workers in turn
TaskShape chain_on_one_worker(int tasks);
TaskShape alternating_chain(int tasks);  // between two workers: every task is a hand-over
TaskShape layered_tasks(int tasks);      // width 8, one or two predecessors in the layer before

std::vector<TaskShape> all_shapes(int tasks);

}  // namespace stint

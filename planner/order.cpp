#include "planner/order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "models/dependencies.hpp"
#include "models/graph_algorithms.hpp"

namespace stint {

namespace {

constexpr std::size_t all_orders_up_to_tasks = 2000;
constexpr std::size_t several_orders_up_to_tasks = 20'000;

std::int64_t bytes_written(const Graph& graph, const Task& task) {
  std::int64_t bytes = 0;
  for (const TensorId tensor : task.writes) bytes = capped_sum(bytes, graph.tensors[tensor].bytes);
  return bytes;
}

// How many tasks have still to read each segment, and so what a task would free.
class Residence {
 public:
  explicit Residence(const Problem& problem)
      : problem_(problem), readers_(problem.segments.count(), 0) {
    for (const Task& task : problem.graph().tasks) change(task, +1);
    for (const TensorId tensor : problem.graph().results) change(tensor, +1);
  }

  std::int64_t freed_by(const Task& task) const {
    std::int64_t bytes = 0;
    for (const TensorId tensor : task.reads) {
      if (problem_.graph().tensors[tensor].kind == Kind::state) continue;
      for_each_segment(tensor, [&](int s) {
        const auto& segments = problem_.segments;
        if (readers_[s] == 1) bytes += segments.end_bytes[s] - segments.begin_bytes[s];
      });
    }
    return bytes;
  }

  void run(const Task& task) { change(task, -1); }

 private:
  template <typename Visit>
  void for_each_segment(TensorId tensor, Visit visit) const {
    const SegmentRange range = problem_.segments.of_tensor[tensor];
    for (int s = range.begin; s < range.end; ++s) visit(s);
  }
  void change(TensorId tensor, int by) {
    for_each_segment(tensor, [&](int s) { readers_[s] += by; });
  }
  void change(const Task& task, int by) {
    for (const TensorId tensor : task.reads) change(tensor, by);
  }

  const Problem& problem_;
  std::vector<int> readers_;
};

// Visits a task after what it depends on, without recursion: chains may be long.
class DepthFirst {
 public:
  DepthFirst(const Problem& problem, std::vector<std::vector<TaskId>> before)
      : before_(std::move(before)), done_(problem.graph().tasks.size(), false) {}

  void visit(TaskId root) {
    std::vector<std::pair<TaskId, std::size_t>> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [task, next] = stack.back();
      if (done_[task] || next == before_[task].size()) {
        if (!done_[task]) order_.push_back(task);
        done_[task] = true;
        stack.pop_back();
        continue;
      }
      const TaskId input = before_[task][next++];
      if (!done_[input]) stack.emplace_back(input, 0);
    }
  }

  TaskOrder finish() { return std::move(order_); }

 private:
  std::vector<std::vector<TaskId>> before_;
  std::vector<bool> done_;
  TaskOrder order_;
};

// Sorts what each task depends on so that what needs most beyond what it leaves comes first, and
// finds the need of the task itself as if the graph were a tree.
std::vector<std::vector<TaskId>> most_demanding_first(const Problem& problem) {
  const Graph& graph = problem.graph();
  auto before = problem.before;
  std::vector<std::int64_t> leaves(graph.tasks.size());
  std::vector<std::int64_t> needs(graph.tasks.size());
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    leaves[t] = bytes_written(graph, graph.tasks[t]);
    std::stable_sort(before[t].begin(), before[t].end(), [&](TaskId a, TaskId b) {
      return needs[a] - leaves[a] > needs[b] - leaves[b];
    });
    std::int64_t held = 0;
    for (const TaskId input : before[t]) {
      needs[t] = std::max(needs[t], capped_sum(held, needs[input]));
      held = capped_sum(held, leaves[input]);
    }
    needs[t] = std::max(needs[t], capped_sum(held, leaves[t]));
  }
  return before;
}

}  // namespace

TaskOrder listed_order(const Problem& problem) {
  TaskOrder order;
  for (std::size_t t = 0; t < problem.graph().tasks.size(); ++t)
    order.push_back(static_cast<TaskId>(t));
  return order;
}

TaskOrder least_memory_order(const Problem& problem) {
  const Graph& graph = problem.graph();
  const auto after = dependents(problem.before);
  Residence residence(problem);
  std::vector<std::size_t> missing;
  TaskOrder ready;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    missing.push_back(problem.before[t].size());
    if (missing[t] == 0) ready.push_back(static_cast<TaskId>(t));
  }
  const auto growth = [&](TaskId task) {
    return std::pair(
        bytes_written(graph, graph.tasks[task]) - residence.freed_by(graph.tasks[task]), int{task});
  };
  TaskOrder order;
  while (!ready.empty()) {
    const auto next = std::min_element(ready.begin(), ready.end(),
                                       [&](TaskId a, TaskId b) { return growth(a) < growth(b); });
    const TaskId task = *next;
    ready.erase(next);
    order.push_back(task);
    residence.run(graph.tasks[task]);
    for (const TaskId follower : after[task]) {
      if (--missing[follower] == 0) ready.push_back(follower);
    }
  }
  return order;
}

TaskOrder depth_first_order(const Problem& problem) {
  const auto after = dependents(problem.before);
  DepthFirst search(problem, most_demanding_first(problem));
  for (std::size_t t = 0; t < after.size(); ++t) {
    if (after[t].empty()) search.visit(static_cast<TaskId>(t));
  }
  return search.finish();
}

TaskOrder newest_first_order(const Problem& problem) {
  auto after = dependents(problem.before);
  std::vector<std::size_t> missing;
  TaskOrder ready;  // the last is next
  for (const auto& before : problem.before) missing.push_back(before.size());
  for (std::size_t t = missing.size(); t-- > 0;) {
    if (missing[t] == 0) ready.push_back(static_cast<TaskId>(t));
  }
  TaskOrder order;
  while (!ready.empty()) {
    const TaskId task = ready.back();
    ready.pop_back();
    order.push_back(task);
    std::sort(after[task].begin(), after[task].end(), std::greater<>());
    for (const TaskId follower : after[task]) {
      if (--missing[follower] == 0) ready.push_back(follower);
    }
  }
  return order;
}

TaskOrder critical_path_order(const Problem& problem, const std::vector<double>& seconds) {
  const std::vector<double> rest = longest_paths_from(problem.before, seconds);
  TaskOrder order = listed_order(problem);
  std::stable_sort(order.begin(), order.end(),
                   [&](TaskId a, TaskId b) { return rest[a] > rest[b]; });
  return order;
}

std::vector<TaskOrder> memory_orders(const Problem& problem) {
  const std::size_t tasks = problem.graph().tasks.size();
  std::vector<TaskOrder> orders{listed_order(problem)};
  if (tasks <= several_orders_up_to_tasks) orders.push_back(depth_first_order(problem));
  if (tasks <= all_orders_up_to_tasks) orders.push_back(least_memory_order(problem));
  std::vector<TaskOrder> distinct;
  for (TaskOrder& order : orders) {
    if (std::find(distinct.begin(), distinct.end(), order) == distinct.end())
      distinct.push_back(std::move(order));
  }
  return distinct;
}

}  // namespace stint

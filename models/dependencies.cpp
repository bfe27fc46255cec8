#include "models/dependencies.hpp"

#include <algorithm>

#include "models/segments.hpp"

namespace stint {
namespace {

// Walks the tasks in their listed order and remembers, for every segment, who made what it holds.
class Links {
 public:
  explicit Links(const Graph& graph)
      : graph_(graph),
        segments_(segments(graph)),
        maker_(segments_.count(), no_task),
        readers_(segments_.count()),
        rewritten_(segments_.count()),
        before_(graph.tasks.size()) {}

  std::vector<std::vector<TaskId>> find() {
    for_each_access(&Task::writes, [&](TaskId task, int segment) { maker_[segment] = task; });
    for_each_access(&Task::updates, [&](TaskId, int segment) { rewritten_[segment] = true; });
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) link(static_cast<TaskId>(i));
    return std::move(before_);
  }

  std::vector<TaskId> last_readers() {
    std::vector<TaskId> last(segments_.count(), no_task);
    const auto note = [&](TaskId task, int segment) {
      last[segment] = std::max(last[segment], task);
    };
    for_each_access(&Task::reads, note);
    for_each_access(&Task::updates, note);
    std::vector<TaskId> of_tensor;
    for (const SegmentRange range : segments_.of_tensor) {
      of_tensor.push_back(*std::max_element(last.begin() + range.begin, last.begin() + range.end));
    }
    return of_tensor;
  }

 private:
  template <typename Visit>
  void for_each_segment(const std::vector<TensorId>& tensors, Visit visit) const {
    for (const TensorId tensor : tensors) {
      const SegmentRange range = segments_.of_tensor[tensor];
      for (int segment = range.begin; segment < range.end; ++segment) visit(segment);
    }
  }

  template <typename Visit>
  void for_each_access(std::vector<TensorId> Task::*list, Visit visit) const {
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      for_each_segment(graph_.tasks[i].*list,
                       [&](int segment) { visit(static_cast<TaskId>(i), segment); });
    }
  }

  void link(TaskId id) {
    const Task& task = graph_.tasks[id];
    for_each_segment(task.reads, [&](int segment) {
      follow(id, maker_[segment]);
      if (rewritten_[segment]) readers_[segment].push_back(id);
    });
    // A version of state is overwritten once all have read it. Those who read an older one come
    // before the update that made this one, so each reader is named by a single update.
    for_each_segment(task.updates, [&](int segment) {
      follow(id, maker_[segment]);
      for (const TaskId reader : readers_[segment]) follow(id, reader);
      readers_[segment].clear();
      maker_[segment] = id;
    });
    auto& before = before_[id];
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }

  void follow(TaskId task, TaskId earlier) {
    if (earlier != no_task && earlier != task) before_[task].push_back(earlier);
  }

  const Graph& graph_;
  Segments segments_;
  std::vector<TaskId> maker_;                 // by segment: its writer, or its last update so far
  std::vector<std::vector<TaskId>> readers_;  // by segment: of the version it holds
  std::vector<bool> rewritten_;               // by segment: someone updates it
  std::vector<std::vector<TaskId>> before_;
};

}  // namespace

std::vector<std::vector<TaskId>> dependencies(const Graph& graph) { return Links(graph).find(); }

std::vector<std::vector<TaskId>> dependents(const std::vector<std::vector<TaskId>>& dependencies) {
  std::vector<std::vector<TaskId>> after(dependencies.size());
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    for (const TaskId earlier : dependencies[i]) after[earlier].push_back(static_cast<TaskId>(i));
  }
  return after;
}

std::vector<TaskId> last_readers(const Graph& graph) { return Links(graph).last_readers(); }

}  // namespace stint

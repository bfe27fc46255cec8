#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"
#include "models/check_graph.hpp"
#include "models/dependencies.hpp"
#include "models/graph_algorithms.hpp"
#include "models/segments.hpp"

namespace stint {
namespace {

// Beyond this many segments in all lists together a graph is refused: what looks at every segment
// of every read would not end. Only wholes of very many parts, read very often, come near it.
constexpr std::int64_t most_segments_listed = 100'000'000;

constexpr std::size_t longest_cycle_told = 8;

class FlowCheck {
 public:
  explicit FlowCheck(const Graph& graph)
      : graph_(graph), segments_(segments(graph)), writer_(segments_.count(), no_task) {}

  void check() {
    check_amount();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) note_writes(static_cast<TaskId>(i));
    find_last_writers();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      const auto& reads = graph_.tasks[i].reads;
      for (std::size_t k = 0; k < reads.size(); ++k) check_read(static_cast<TaskId>(i), k);
    }
    for (std::size_t k = 0; k < graph_.results.size(); ++k) {
      check_computed(graph_.results[k], [&] { return fmt::format("/results/{}", k); });
    }
  }

 private:
  std::string tensor_name(TensorId id) const { return in_quotes(graph_.tensors[id].name); }
  std::string task_name(TaskId id) const { return in_quotes(graph_.tasks[id].name); }

  void check_amount() const {
    std::int64_t listed = 0;
    for (const SegmentRange& range : segments_.of_tensor) listed += range.size();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      const Task& task = graph_.tasks[i];
      for (const auto* list : {&task.reads, &task.writes, &task.updates}) {
        for (const TensorId tensor : *list) listed += segments_.of_tensor[tensor].size();
      }
      if (listed <= most_segments_listed) continue;
      throw InputError(fmt::format("/tasks/{}", i),
                       fmt::format("tasks use wholes of too many parts too often; expected at most "
                                   "{} parts in all lists together",
                                   most_segments_listed));
    }
  }

  void note_writes(TaskId id) {
    const Task& task = graph_.tasks[id];
    for (std::size_t k = 0; k < task.writes.size(); ++k) {
      claim(task.writes[k], id, [&](TaskId other) {
        throw InputError(
            fmt::format("/tasks/{}/writes/{}", int{id}, k),
            fmt::format("{} writes bytes of {} too; expected one writer for every byte",
                        task_name(other), tensor_name(task.writes[k])));
      });
    }
    for (std::size_t k = 0; k < task.updates.size(); ++k) {
      claim(task.updates[k], id, [&](TaskId other) {
        if (other != id) return;
        throw InputError(fmt::format("/tasks/{}/updates/{}", int{id}, k),
                         tensor_name(task.updates[k]) +
                             " shares bytes with another update; expected each byte once");
      });
    }
  }

  template <typename Taken>
  void claim(TensorId tensor, TaskId task, Taken taken) {
    const SegmentRange range = segments_.of_tensor[tensor];
    for (int segment = range.begin; segment < range.end; ++segment) {
      if (writer_[segment] != no_task) taken(writer_[segment]);
      writer_[segment] = task;
    }
  }

  void find_last_writers() {
    for (const SegmentRange range : segments_.of_tensor) {
      last_writer_.push_back(
          *std::max_element(writer_.begin() + range.begin, writer_.begin() + range.end));
    }
  }

  void check_read(TaskId id, std::size_t k) const {
    const TensorId tensor = graph_.tasks[id].reads[k];
    const auto where = [&] { return fmt::format("/tasks/{}/reads/{}", int{id}, k); };
    check_computed(tensor, where);
    if (graph_.tensors[tensor].kind != Kind::activation || last_writer_[tensor] < id) return;
    if (last_writer_[tensor] == id) {
      throw InputError(where(), tensor_name(tensor) +
                                    " is written by the same task; expected what others write");
    }
    fail_if_cyclic();
    throw InputError(where(), fmt::format("{} is written later, by {}; expected tasks in an order "
                                          "that respects dependencies",
                                          tensor_name(tensor), task_name(last_writer_[tensor])));
  }

  template <typename Where>
  void check_computed(TensorId tensor, Where where) const {
    if (graph_.tensors[tensor].kind != Kind::activation) return;
    const SegmentRange range = segments_.of_tensor[tensor];
    if (last_writer_[tensor] == no_task) {
      throw InputError(where(), "nobody computes " + tensor_name(tensor) +
                                    "; expected a task that writes it, or an input or state");
    }
    const auto hole =
        std::find(writer_.begin() + range.begin, writer_.begin() + range.end, no_task);
    if (hole == writer_.begin() + range.end) return;
    const std::int64_t byte =
        segments_.begin_bytes[hole - writer_.begin()] - segments_.root_offset[tensor];
    throw InputError(where(), fmt::format("nobody computes byte {} of {}; expected parts that tile "
                                          "it",
                                          byte, tensor_name(tensor)));
  }

  void fail_if_cyclic() const {
    std::vector<TaskId> cycle = find_cycle(dependencies(graph_));
    if (cycle.empty()) return;
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    std::string names;
    for (std::size_t i = 0; i < std::min(cycle.size(), longest_cycle_told); ++i) {
      names += task_name(cycle[i]) + " -> ";
    }
    if (cycle.size() > longest_cycle_told) names += "... -> ";
    throw InputError(fmt::format("/tasks/{}", int{cycle[0]}),
                     "a cycle, " + names + task_name(cycle[0]) +
                         "; expected tasks that do not wait for themselves");
  }

  const Graph& graph_;
  const Segments segments_;
  std::vector<TaskId> writer_;       // by segment
  std::vector<TaskId> last_writer_;  // by tensor: the last to write some of its bytes
};

}  // namespace

void check_flow(const Graph& graph) { FlowCheck(graph).check(); }

}  // namespace stint

#include "schedules/graph_facts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "models/dependencies.hpp"
#include "models/graph_algorithms.hpp"
#include "models/segments.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

// Bytes of everything a task touches, shared bytes once, and its workspace.
std::int64_t working_set(const Task& task, const Segments& segments) {
  std::set<int> touched;
  for (const auto* list : {&task.reads, &task.writes, &task.updates}) {
    for (const TensorId tensor : *list) {
      const SegmentRange range = segments.of_tensor[tensor];
      for (int segment = range.begin; segment < range.end; ++segment) touched.insert(segment);
    }
  }
  std::int64_t bytes = task.workspace_bytes;
  for (const int segment : touched) {
    bytes = add_bytes(bytes, segments.end_bytes[segment] - segments.begin_bytes[segment]);
  }
  return bytes;
}

void find_working_set(const Graph& graph, GraphFacts& facts) {
  const Segments all = segments(graph);
  for (int i = 0; i < static_cast<int>(graph.tasks.size()); ++i) {
    const std::int64_t bytes = working_set(graph.tasks[i], all);
    if (facts.working_set_task >= 0 && bytes <= facts.working_set_bytes) continue;
    facts.working_set_bytes = bytes;
    facts.working_set_task = i;
  }
}

void find_work(const Graph& graph, GraphFacts& facts) {
  const Predecessors predecessors = dependencies(graph);
  std::map<std::string, std::vector<double>> seconds;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    for (const auto& [device, quantity] : graph.tasks[i].seconds) {
      seconds.try_emplace(device, graph.tasks.size()).first->second[i] = quantity;
      ++facts.work_by_device[device].tasks;
    }
  }
  for (const auto& [device, weights] : seconds) {
    WorkFacts& work = facts.work_by_device[device];
    work.seconds = std::accumulate(weights.begin(), weights.end(), 0.0);
    work.critical_path_seconds = critical_path(predecessors, weights).length;
  }
}

std::vector<TensorId> largest_tensors(const Graph& graph) {
  std::vector<TensorId> ids;
  for (int i = 0; i < static_cast<int>(graph.tensors.size()); ++i) ids.push_back(TensorId{i});
  const auto end = ids.begin() + std::min<std::ptrdiff_t>(5, std::ssize(ids));
  std::partial_sort(ids.begin(), end, ids.end(), [&](TensorId a, TensorId b) {
    const auto key = [&](TensorId id) { return std::pair(-graph.tensors[id].bytes, id); };
    return key(a) < key(b);
  });
  ids.erase(end, ids.end());
  return ids;
}

}  // namespace

GraphFacts graph_facts(const Graph& graph) {
  GraphFacts facts;
  for (const Task& task : graph.tasks) ++facts.tasks_by_phase[task.phase];
  for (const Tensor& tensor : graph.tensors) {
    KindFacts& kind = facts.tensors_by_kind[tensor.kind];
    ++kind.tensors;
    if (!tensor.part_of) kind.bytes = add_bytes(kind.bytes, tensor.bytes);
  }
  find_work(graph, facts);
  find_working_set(graph, facts);
  facts.largest = largest_tensors(graph);
  return facts;
}

}  // namespace stint

#include "planner/chains/forward_cuts.hpp"

#include <algorithm>
#include <cstdint>

namespace stint {
namespace {

bool reads_again(const Graph& graph, const Task& task, const std::vector<bool>& was_read) {
  return std::any_of(task.reads.begin(), task.reads.end(), [&](TensorId tensor) {
    return graph.tensors[tensor].kind != Kind::state && graph.tensors[tensor].bytes > 0 &&
           was_read[tensor];
  });
}

// Without phases: a plain chain turns where something is read for the second time.
std::size_t turning_point(const Graph& graph) {
  std::vector<bool> was_read(graph.tensors.size(), false);
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (reads_again(graph, graph.tasks[t], was_read)) return t;
    for (const TensorId tensor : graph.tasks[t].reads) was_read[tensor] = true;
  }
  return graph.tasks.size();
}

// The tasks at which the step turns: what they read counts as read after the last forward.
std::vector<TaskId> turning_tasks(const Graph& graph, const Halves& halves) {
  std::vector<TaskId> losses;
  for (const TaskId task : halves.backward) {
    if (graph.tasks[task].phase == Phase::loss) losses.push_back(task);
  }
  if (losses.empty() && !halves.backward.empty()) losses.push_back(halves.backward.front());
  return losses;
}

constexpr int no_cut = -1;

// By tensor: the place at which it is written, and that of its last reader.
struct LiveRanges {
  std::vector<int> written, read;
};

LiveRanges live_ranges(const Graph& graph, const Halves& halves) {
  LiveRanges ranges{std::vector<int>(graph.tensors.size(), no_cut),
                    std::vector<int>(graph.tensors.size(), no_cut)};
  const int places = static_cast<int>(halves.forward.size());
  for (int p = 0; p < places; ++p) {
    for (const TensorId tensor : graph.tasks[halves.forward[p]].writes) ranges.written[tensor] = p;
    for (const TensorId tensor : graph.tasks[halves.forward[p]].reads) ranges.read[tensor] = p;
  }
  for (const TaskId task : turning_tasks(graph, halves)) {
    for (const TensorId tensor : graph.tasks[task].reads) ranges.read[tensor] = places;
  }
  return ranges;
}

// The tensors that are written before a place and read behind it: how many, and which if only one.
class Passing {
 public:
  explicit Passing(int places) : count_(places + 2, 0), sum_(places + 2, 0) {}

  void add(TensorId tensor, int first, int last) {
    ++count_[first], --count_[last + 1];
    sum_[first] += tensor, sum_[last + 1] -= tensor;
  }
  void advance() {
    ++place_;
    now_ += count_[place_], sum_now_ += sum_[place_];
  }
  int count() const { return now_; }
  // A sum of one id is that id.
  TensorId alone() const { return now_ == 1 ? static_cast<TensorId>(sum_now_) : no_tensor; }

 private:
  std::vector<int> count_;  // changes, by place
  std::vector<std::int64_t> sum_;
  int place_ = 0;
  int now_ = 0;
  std::int64_t sum_now_ = 0;
};

}  // namespace

Halves halves_of(const Graph& graph) {
  const bool phased = std::any_of(graph.tasks.begin(), graph.tasks.end(),
                                  [](const Task& task) { return task.phase == Phase::forward; });
  const std::size_t turn = phased ? 0 : turning_point(graph);
  Halves halves;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const bool forward = phased ? graph.tasks[t].phase == Phase::forward : t < turn;
    (forward ? halves.forward : halves.backward).push_back(static_cast<TaskId>(t));
  }
  return halves;
}

std::vector<ForwardCut> forward_cuts(const Graph& graph, const Halves& halves) {
  const LiveRanges ranges = live_ranges(graph, halves);
  const int places = static_cast<int>(halves.forward.size());
  Passing with_bytes(places);
  Passing without(places);
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (ranges.written[t] == no_cut || ranges.read[t] <= ranges.written[t]) continue;
    auto& passing = graph.tensors[t].bytes > 0 ? with_bytes : without;
    passing.add(static_cast<TensorId>(t), ranges.written[t] + 1, ranges.read[t]);
  }
  std::vector<ForwardCut> cuts;
  for (int p = 1; p <= places; ++p) {
    with_bytes.advance(), without.advance();
    if (with_bytes.count() + without.count() == 0 || with_bytes.count() > 1) continue;
    const TensorId tensor = with_bytes.count() == 1 ? with_bytes.alone() : without.alone();
    const bool is_cut_already =
        tensor != no_tensor && !cuts.empty() && cuts.back().tensor == tensor;
    if (!is_cut_already) cuts.push_back({p, tensor});
  }
  return cuts;
}

}  // namespace stint

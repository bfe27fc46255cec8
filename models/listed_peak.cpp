#include "models/listed_peak.hpp"

#include <algorithm>

#include "models/segments.hpp"

namespace stint {
namespace {

constexpr int before_all = -1;

// By root tensor: the first and the last task at which it is live; last < first if it never is.
struct Lifetime {
  int first = 0;
  int last = before_all;
};

class Lifetimes {
 public:
  explicit Lifetimes(const Graph& graph)
      : graph_(graph), root_(segments(graph).root), of_root_(graph.tensors.size()) {
    const int tasks = static_cast<int>(graph.tasks.size());
    for (Lifetime& lifetime : of_root_) lifetime = {tasks, before_all};
    for (int t = 0; t < tasks; ++t) use_lists(graph.tasks[t], t);
    for (const TensorId result : graph.results) of(result).last = tasks;
    for (std::size_t i = 0; i < of_root_.size(); ++i) stretch(static_cast<TensorId>(i), tasks);
    for (int t = 0; t < tasks; ++t) overwrite(graph.tasks[t], t);
  }

  bool is_root(TensorId tensor) const { return root_[tensor] == tensor; }
  const Lifetime& operator[](TensorId root) const { return of_root_[root]; }

 private:
  Lifetime& of(TensorId tensor) { return of_root_[root_[tensor]]; }

  void use_lists(const Task& task, int t) {
    for (const auto* list : {&task.reads, &task.writes, &task.updates}) {
      for (const TensorId tensor : *list) {
        Lifetime& lifetime = of(tensor);
        lifetime = {std::min(lifetime.first, t), std::max(lifetime.last, t)};
      }
    }
  }

  void stretch(TensorId tensor, int tasks) {
    if (!is_root(tensor)) return;
    Lifetime& lifetime = of_root_[tensor];
    const Kind kind = graph_.tensors[tensor].kind;
    if (kind == Kind::state) lifetime.last = tasks;
    if (kind != Kind::activation) lifetime.first = 0;
  }

  // An input that is given up ends before the task, so that the output counts in its place.
  void overwrite(const Task& task, int t) {
    for (const auto& [y, x] : task.may_overwrite) {
      const bool fits = graph_.tensors[y].bytes <= graph_.tensors[x].bytes;
      const bool are_wholes = is_root(x) && is_root(y);
      if (fits && are_wholes && of(x).last == t && of(y).first == t) of(x).last = t - 1;
    }
  }

  const Graph& graph_;
  std::vector<TensorId> root_;
  std::vector<Lifetime> of_root_;
};

}  // namespace

std::int64_t listed_peak_bytes(const Graph& graph) {
  const Lifetimes lifetimes(graph);
  std::vector<std::int64_t> change(graph.tasks.size() + 2);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const TensorId tensor{static_cast<int>(i)};
    const auto [first, last] = lifetimes[tensor];
    if (!lifetimes.is_root(tensor) || last < first) continue;
    change[first] += graph.tensors[i].bytes;
    change[last + 1] -= graph.tensors[i].bytes;
  }
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    live += change[t];
    peak = std::max(peak, live + graph.tasks[t].workspace_bytes);
  }
  return peak;
}

}  // namespace stint

#include "executor/calibrate/step_places.hpp"

#include <algorithm>
#include <map>

#include "models/parts.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

constexpr int not_yet = -1;

// Addresses in use, lowest first.
class Room {
 public:
  std::int64_t take(std::int64_t bytes) {
    constexpr std::int64_t step = workspace_alignment_bytes;
    const std::int64_t size = (std::max<std::int64_t>(bytes, 1) + step - 1) / step * step;
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken_) {
      if (begin - offset >= size) break;
      offset = end;
    }
    taken_[offset] = offset + size;
    bytes_ = std::max(bytes_, offset + size);
    return offset;
  }
  void give_back(std::int64_t offset) { taken_.erase(offset); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::map<std::int64_t, std::int64_t> taken_;  // end by begin
  std::int64_t bytes_ = 0;
};

class Placing {
 public:
  Placing(const Graph& graph, const std::vector<std::int64_t>& workspace_bytes)
      : graph_(graph), workspace_bytes_(workspace_bytes), last_use_(graph.tensors.size(), not_yet) {
    offset_.assign(graph.tensors.size(), not_yet);
    for (int t = 0; t < static_cast<int>(graph.tasks.size()); ++t) {
      for_each_root(graph.tasks[t], [&](TensorId root) { last_use_[root] = t; });
    }
    const int end = static_cast<int>(graph.tasks.size());
    for (int i = 0; i < static_cast<int>(graph.tensors.size()); ++i) {
      if (graph.tensors[i].kind != Kind::activation) last_use_[root_of(TensorId{i})] = end;
    }
    for (const TensorId result : graph.results) last_use_[root_of(result)] = end;
  }

  StepPlaces place() {
    StepPlaces places;
    for (int i = 0; i < static_cast<int>(graph_.tensors.size()); ++i) {
      if (graph_.tensors[i].kind != Kind::activation) make_room(root_of(TensorId{i}));
    }
    for (int t = 0; t < static_cast<int>(graph_.tasks.size()); ++t)
      places.workspaces.push_back(place_task(t));
    for (int i = 0; i < static_cast<int>(graph_.tensors.size()); ++i) {
      const PartOf part = place_in_root(graph_, TensorId{i});
      make_room(part.tensor);  // of what nobody uses
      places.tensors.push_back(offset_[part.tensor] + part.offset_bytes);
    }
    places.bytes = room_.bytes();
    return places;
  }

 private:
  TensorId root_of(TensorId tensor) const { return place_in_root(graph_, tensor).tensor; }

  template <typename Visit>
  void for_each_root(const Task& task, const Visit& visit) const {
    for (const auto* list : {&task.reads, &task.writes, &task.updates}) {
      for (const TensorId tensor : *list) visit(root_of(tensor));
    }
  }

  void make_room(TensorId root) {
    if (offset_[root] == not_yet) offset_[root] = room_.take(graph_.tensors[root].bytes);
  }

  std::int64_t place_task(int t) {
    const Task& task = graph_.tasks[t];
    for (const auto& [y, x] : task.may_overwrite) overwrite(y, x, t);
    for_each_root(task, [&](TensorId root) { make_room(root); });
    const std::int64_t workspace = room_.take(workspace_bytes_[t]);
    room_.give_back(workspace);
    for_each_root(task, [&](TensorId root) {
      if (last_use_[root] == t) room_.give_back(offset_[root]);
    });
    return workspace;
  }

  // y takes the place of x, whose room is then given back with y's.
  void overwrite(TensorId y, TensorId x, int t) {
    const bool whole = root_of(y) == y && root_of(x) == x && offset_[y] == not_yet;
    if (!whole || last_use_[x] != t || graph_.tensors[y].bytes > graph_.tensors[x].bytes) return;
    offset_[y] = offset_[x];
    last_use_[x] = not_yet;
  }

  const Graph& graph_;
  const std::vector<std::int64_t>& workspace_bytes_;
  Room room_;
  std::vector<int> last_use_;         // by root: the task after which its place is free
  std::vector<std::int64_t> offset_;  // by root
};

}  // namespace

StepPlaces step_places(const Graph& graph, const std::vector<std::int64_t>& workspace_bytes) {
  return Placing(graph, workspace_bytes).place();
}

}  // namespace stint

#include "planner/graphs/state_uses.hpp"

#include <map>

#include "planner/pieces.hpp"

namespace stint {
namespace {

void add_user(TaskId task, std::vector<TaskId>& list) {
  if (list.empty() || list.back() != task) list.push_back(task);
}

}  // namespace

std::vector<StateUse> state_uses(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<TensorId> used;
  for (const Task& task : graph.tasks) {
    used.insert(used.end(), task.reads.begin(), task.reads.end());
    used.insert(used.end(), task.updates.begin(), task.updates.end());
  }
  const auto cover_of = covers(problem, used);
  std::map<TensorId, StateUse> of_cover;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const auto use = [&](TensorId tensor, bool updates) {
      const TensorId cover = cover_of.at(tensor);
      if (graph.tensors[cover].kind != Kind::state) return;
      StateUse& state = of_cover[cover];
      state.tensor = cover;
      add_user(static_cast<TaskId>(t), state.users);
      if (updates) add_user(static_cast<TaskId>(t), state.updaters);
      state.in_parts = state.in_parts || tensor != cover;
    };
    for (const TensorId tensor : graph.tasks[t].reads) use(tensor, false);
    for (const TensorId tensor : graph.tasks[t].updates) use(tensor, true);
  }
  std::vector<StateUse> all;
  for (auto& [cover, state] : of_cover) all.push_back(std::move(state));
  return all;
}

}  // namespace stint

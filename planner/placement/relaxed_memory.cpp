#include "planner/placement/relaxed_memory.hpp"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

constexpr std::int64_t capacity_units = 1'000'000;

// What depends on the task, and what it depends on, itself excluded.
struct Relatives {
  std::vector<char> before;
  std::vector<char> after;
};

Relatives relatives_of(const Problem& problem, TaskId task) {
  const std::size_t tasks = problem.needs.size();
  Relatives related{std::vector<char>(tasks, 0), std::vector<char>(tasks, 0)};
  related.before[task] = related.after[task] = 1;
  for (std::size_t t = task; t < tasks; ++t) {
    for (const TaskId other : problem.needs[t])
      related.after[t] = related.after[t] || related.after[other];
  }
  for (std::size_t t = task + std::size_t{1}; t-- > 0;) {
    if (!related.before[t]) continue;
    for (const TaskId other : problem.needs[t]) related.before[other] = 1;
  }
  related.before[task] = related.after[task] = 0;
  return related;
}

// Parts are left out: they may be there without the rest.
bool is_before(const PlacedGraph& graph, std::size_t item, const Relatives& related) {
  const auto& writers = graph.flat.items[item].writers;
  return graph.is_whole[item] && !writers.empty() && related.before[writers.front()] != 0;
}

// What the task itself needs beside what it reads. Outputs that may take the place of an input do
// not count.
std::int64_t own_bytes(const PlacedGraph& graph, TaskId task, MemoryId memory) {
  std::int64_t own = graph.workspace[task][memory];
  for (const GraphOutput& output : graph.flat.tasks[task].writes) {
    const bool counts =
        !output.is_optional && output.at_most_in == no_graph_item && graph.is_whole[output.item];
    if (counts) own = capped_sum(own, graph.bytes[output.item][memory]);
  }
  return own;
}

// Bytes of what was written before the task and is read by it or after it, and its own.
double crossing_bytes(const PlacedGraph& graph, TaskId moment, MemoryId memory) {
  const Relatives related = relatives_of(*graph.problem, moment);
  auto bytes = static_cast<double>(own_bytes(graph, moment, memory));
  for (std::size_t i = 0; i < graph.flat.items.size(); ++i) {
    if (!is_before(graph, i, related)) continue;
    const bool later =
        std::any_of(graph.readers[i].begin(), graph.readers[i].end(),
                    [&](TaskId reader) { return related.after[reader] != 0 || reader == moment; });
    if (later) bytes += static_cast<double>(graph.bytes[i][memory]);
  }
  return bytes;
}

class Adding {
 public:
  Adding(RelaxedPlacement& relaxed, MemoryId memory)
      : relaxed_(relaxed),
        graph_(relaxed.graph()),
        memory_(memory),
        recomputed_(graph_.tasks(), no_variable),
        moved_(graph_.flat.items.size(), no_variable) {
    const Request& request = graph_.problem->request();
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      const auto task = static_cast<TaskId>(t);
      const bool may = request.recompute && !graph_.flat.tasks[t].runs_once &&
                       graph_.first_way(task, memory) != nullptr;
      if (!may) continue;
      recomputed_[t] = relaxed_.model().add_boolean();
      relaxed_.add_execution(recomputed_[t], task, memory);
    }
    for (std::size_t i = 0; request.offload && i < moved_.size(); ++i)
      add_move(static_cast<GraphItemId>(i));
  }

  void add(TaskId moment) {
    const Relatives related = relatives_of(*graph_.problem, moment);
    there_.assign(graph_.flat.items.size(), no_variable);
    again_.assign(graph_.tasks(), no_variable);
    away_.assign(graph_.flat.items.size(), no_variable);
    for (std::size_t i = 0; i < there_.size(); ++i) {
      if (!is_before(graph_, i, related)) continue;
      there_[i] = relaxed_.model().add_boolean();
      away_[i] = at_most(moved_[i]);
    }
    for (std::size_t t = 0; t < again_.size(); ++t) {
      if (related.before[t]) again_[t] = at_most(recomputed_[t]);
    }
    for (std::size_t i = 0; i < there_.size(); ++i)
      need(static_cast<GraphItemId>(i), moment, related);
    for (std::size_t t = 0; t < again_.size(); ++t) {
      if (again_[t] != no_variable) close(static_cast<TaskId>(t));
    }
    limit(moment);
  }

 private:
  // A variable of one moment that is paid for by the one of all.
  VariableId at_most(VariableId paid) {
    if (paid == no_variable) return no_variable;
    const VariableId mine = relaxed_.model().add_boolean();
    relaxed_.model().add_clause({no(mine), paid});
    return mine;
  }

  // Out, unless a copy elsewhere or an execution elsewhere is paid for already, and back.
  void add_move(GraphItemId item) {
    const GraphItem& it = graph_.flat.items[item];
    const std::int64_t bytes = graph_.problem->graph().tensors[it.tensor].bytes;
    const double out = relaxed_.prices().joules_out(memory_, bytes);
    const double back = relaxed_.prices().joules_back(memory_, bytes);
    if (!std::isfinite(out) || !std::isfinite(back) || it.writers.empty()) return;
    moved_[item] = relaxed_.model().add_boolean();
    relaxed_.add_cost(moved_[item], back);
    relaxed_.add_arrival(moved_[item], memory_, bytes);
    const VariableId leaves = relaxed_.model().add_boolean();
    relaxed_.add_cost(leaves, out);
    relaxed_.add_departure(leaves, memory_, bytes);
    std::vector<std::pair<VariableId, int>> terms{{leaves, 1}, {moved_[item], -1}};
    for (const MemoryId other : relaxed_.memories()) {
      if (other == memory_) continue;
      terms.emplace_back(relaxed_.copied(item, other), 1);
      terms.emplace_back(relaxed_.repeated(it.writers.front(), other), 1);
    }
    relaxed_.add_at_least(terms, 0);
  }

  // Written here before, and read here by the moment's task or after it.
  void need(GraphItemId item, TaskId moment, const Relatives& related) {
    if (there_[item] == no_variable) return;
    const TaskId writer = graph_.flat.items[item].writers.front();
    const VariableId written = relaxed_.in(writer, memory_);
    for (const TaskId reader : graph_.readers[item]) {
      const VariableId read = relaxed_.in(reader, memory_);
      if (read == no_variable) continue;
      if (reader == moment) relaxed_.add_at_least({{there_[item], 1}, {read, -1}}, 0);
      if (!related.after[reader] || written == no_variable) continue;
      const VariableId again = graph_.flat.items[item].is_fixed ? no_variable : again_[writer];
      relaxed_.add_at_least(
          {{there_[item], 1}, {again, 1}, {away_[item], 1}, {written, -1}, {read, -1}}, -1);
    }
  }

  // Who is computed again finds what it reads.
  void close(TaskId task) {
    for (const GraphItemId item : graph_.flat.tasks[task].reads) {
      const auto& writers = graph_.flat.items[item].writers;
      if (there_[item] == no_variable) continue;
      const VariableId written = relaxed_.in(writers.front(), memory_);
      if (written == no_variable) continue;
      const VariableId again =
          graph_.flat.items[item].is_fixed ? no_variable : again_[writers.front()];
      relaxed_.add_at_least(
          {{there_[item], 1}, {again, 1}, {away_[item], 1}, {again_[task], -1}, {written, -1}}, -1);
    }
  }

  // What is there, and what the task itself needs if it runs here, fits.
  void limit(TaskId moment) {
    const std::int64_t capacity =
        std::max<std::int64_t>(1, graph_.problem->capacity_bytes[memory_]);
    const double unit = static_cast<double>(capacity) / static_cast<double>(capacity_units);
    const auto down = [&](std::int64_t bytes) {
      return static_cast<std::int64_t>(static_cast<double>(bytes) / unit * (1 - 1e-12));
    };
    LinearSum sum;
    for (std::size_t i = 0; i < there_.size(); ++i) {
      if (there_[i] != no_variable) sum.add(there_[i], down(graph_.bytes[i][memory_]));
    }
    const VariableId here = relaxed_.in(moment, memory_);
    if (here != no_variable) sum.add(here, down(own_bytes(graph_, moment, memory_)));
    relaxed_.model().add_linear(sum, 0, capacity_units);
  }

  RelaxedPlacement& relaxed_;
  const PlacedGraph& graph_;
  MemoryId memory_;
  std::vector<VariableId> recomputed_;  // by task: an execution beside the first, for any moment
  std::vector<VariableId> moved_;       // by item: away and back, likewise
  std::vector<VariableId> there_;       // by item, at the moment at hand
  std::vector<VariableId> again_;       // by task, after it
  std::vector<VariableId> away_;        // by item
};

}  // namespace

std::vector<TaskId> crowded_moments(const PlacedGraph& graph, MemoryId memory, int most) {
  const auto capacity = static_cast<double>(graph.problem->capacity_bytes[memory]);
  std::vector<std::pair<double, TaskId>> crowded;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const double bytes = crossing_bytes(graph, static_cast<TaskId>(t), memory);
    if (bytes > capacity) crowded.emplace_back(bytes, static_cast<TaskId>(t));
  }
  if (crowded.empty()) return {};
  const auto worst = std::max_element(crowded.begin(), crowded.end());
  std::vector<TaskId> chosen{worst->second};
  for (int k = 1; k < most; ++k) {
    const TaskId other = crowded[crowded.size() * k / most].second;
    if (std::find(chosen.begin(), chosen.end(), other) == chosen.end()) chosen.push_back(other);
  }
  return chosen;
}

void add_moments(RelaxedPlacement& relaxed, MemoryId memory, const std::vector<TaskId>& moments) {
  if (moments.empty()) return;
  Adding adding(relaxed, memory);
  for (const TaskId moment : moments) adding.add(moment);
}

}  // namespace stint

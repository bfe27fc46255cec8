#include "planner/placement/relaxed_memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/graphs/first_runs.hpp"
#include "planner/graphs/lineage.hpp"

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

// Bytes of what was written before the task and is read by it or after it, of state, and its own.
double crossing_bytes(const PlacedGraph& graph, TaskId moment, MemoryId memory) {
  const Relatives related = relatives_of(*graph.problem, moment);
  auto bytes = static_cast<double>(own_bytes(graph, moment, memory));
  for (const PlacedState& state : graph.states) bytes += static_cast<double>(state.bytes[memory]);
  for (std::size_t i = 0; i < graph.flat.items.size(); ++i) {
    if (!is_before(graph, i, related)) continue;
    const bool later =
        std::any_of(graph.readers[i].begin(), graph.readers[i].end(),
                    [&](TaskId reader) { return related.after[reader] != 0 || reader == moment; });
    if (later) bytes += static_cast<double>(graph.bytes[i][memory]);
  }
  return bytes;
}

// Counts the memory at moments that each depend on the one before it. Interval k is between moment
// k and the next, 0 before the first; what is written or fetched in an interval is complete in it.
class Counting {
 public:
  Counting(RelaxedPlacement& relaxed, MemoryId memory, std::vector<TaskId> moments)
      : relaxed_(relaxed),
        graph_(relaxed.graph()),
        memory_(memory),
        moments_(std::move(moments)),
        last_(static_cast<int>(moments_.size())),
        first_(first_runs_in_any_order(*graph_.problem, moments_)),
        moment_of_(graph_.tasks(), 0),
        there_(graph_.flat.items.size(), Row(last_ + 1, no_variable)),
        fetched_(there_),
        again_(graph_.tasks(), Row(last_ + 1, no_variable)) {
    for (int k = 1; k <= last_; ++k) moment_of_[moments_[k - 1]] = k;
    bytes_.resize(last_ + 1);
  }

  CountedMemory count() {
    for (std::size_t t = 0; t < graph_.tasks(); ++t) add_runs(static_cast<TaskId>(t));
    for (std::size_t i = 0; i < there_.size(); ++i) {
      const auto item = static_cast<GraphItemId>(i);
      if (since(item) > last_) continue;
      for (int k = since(item); k <= last_; ++k) {
        there_[i][k] = relaxed_.model().add_boolean();
        bytes_[k].emplace_back(there_[i][k], graph_.bytes[i][memory_]);
      }
      add_fetches(item);
      carry(item);
      for (const TaskId reader : graph_.readers[i]) need(item, reader);
    }
    for (std::size_t t = 0; t < graph_.tasks(); ++t) close(static_cast<TaskId>(t));
    for (std::size_t s = 0; s < graph_.states.size(); ++s) {
      if (is_used_whole(static_cast<int>(s))) count_state(static_cast<int>(s));
    }
    for (int k = 1; k <= last_; ++k) limit(k);
    return {memory_, std::move(moments_), std::move(there_), std::move(fetched_)};
  }

 private:
  using Row = std::vector<VariableId>;  // by interval, or by moment from 1 on
  using Terms = std::vector<std::pair<VariableId, int>>;

  // The first moment that the writer has certainly ended before. Parts are left out: they may be
  // there without the rest.
  int since(GraphItemId item) const {
    const auto& writers = graph_.flat.items[item].writers;
    if (!graph_.is_whole[item] || writers.empty()) return last_ + 1;
    return first_.latest[writers.front()] + (moment_of_[writers.front()] > 0 ? 2 : 1);
  }
  TaskId writer(GraphItemId item) const { return graph_.flat.items[item].writers.front(); }

  // Also after the update of state that it reads: there may be a copy of how that was before.
  bool may_run_again(TaskId task, int interval) const {
    return graph_.problem->request().recompute && !graph_.flat.tasks[task].runs_once &&
           graph_.first_way(task, memory_) != nullptr && interval >= first_.earliest[task];
  }

  // Executions here beside the first; one that a reader here needs in any case is paid for already.
  void add_runs(TaskId task) {
    Terms paid{{relaxed_.repeated(task, memory_), 1}};
    for (int k = 0; k <= last_; ++k) {
      if (!may_run_again(task, k)) continue;
      again_[task][k] = relaxed_.model().add_boolean();
      paid.emplace_back(again_[task][k], -1);
    }
    if (paid.size() == 1) return;
    const VariableId more = relaxed_.model().add_variable(0, last_ + 1);
    relaxed_.add_execution(more, task, memory_);
    paid.emplace_back(more, 1);
    relaxed_.add_at_least(paid, 0);
  }

  // Copies that arrive here, likewise; what comes again has been elsewhere, and has gone there
  // unless it was written there.
  void add_fetches(GraphItemId item) {
    const std::int64_t bytes =
        graph_.problem->graph().tensors[graph_.flat.items[item].tensor].bytes;
    const double out = relaxed_.prices().joules_out(memory_, bytes);
    const double back = relaxed_.prices().joules_back(memory_, bytes);
    if (!std::isfinite(back)) return;
    CpModel& model = relaxed_.model();
    const VariableId more = model.add_variable(0, last_ + 1);
    relaxed_.add_cost(more, back);
    relaxed_.add_arrival(more, memory_, bytes);
    Terms elsewhere;
    if (std::isfinite(out) && graph_.problem->request().offload) {
      elsewhere.emplace_back(model.add_boolean(), 1);
      relaxed_.add_cost(elsewhere.back().first, out);
      relaxed_.add_departure(elsewhere.back().first, memory_, bytes);
    }
    for (const MemoryId other : relaxed_.memories()) {
      if (other == memory_) continue;
      elsewhere.emplace_back(relaxed_.in(writer(item), other), 1);
      elsewhere.emplace_back(relaxed_.copied(item, other), 1);
      elsewhere.emplace_back(relaxed_.repeated(writer(item), other), 1);
    }
    Terms paid{{relaxed_.copied(item, memory_), 1}, {more, 1}};
    for (int k = since(item) - 1; k <= last_; ++k) {
      fetched_[item][k] = model.add_boolean();
      paid.emplace_back(fetched_[item][k], -1);
      elsewhere.emplace_back(fetched_[item][k], -1);
      relaxed_.add_at_least(elsewhere, 0);
      elsewhere.pop_back();
    }
    relaxed_.add_at_least(paid, 0);
  }

  // Whatever is there at a moment was there at the one before, or came between.
  void carry(GraphItemId item) {
    const int begin = since(item);
    Terms terms{{there_[item][begin], -1},
                {relaxed_.in(writer(item), memory_), 1},
                {fetched_[item][begin - 1], 1}};
    for (int k = 0; k < begin; ++k) terms.emplace_back(again_[writer(item)][k], 1);
    relaxed_.add_at_least(terms, 0);
    for (int k = begin; k < last_; ++k)
      relaxed_.add_at_least({{there_[item][k + 1], -1},
                             {there_[item][k], 1},
                             {fetched_[item][k], 1},
                             {again_[writer(item)][k], 1}},
                            0);
  }

  // A reader here finds it, or it came since the last moment before the reader.
  void need(GraphItemId item, TaskId reader) {
    const VariableId read = relaxed_.in(reader, memory_);
    if (read == no_variable) return;
    const int moment = moment_of_[reader];
    if (moment >= since(item)) relaxed_.add_at_least({{there_[item][moment], 1}, {read, -1}}, 0);
    const int begin = first_.earliest[reader];
    if (moment > 0 || begin < since(item)) return;
    Terms terms{{there_[item][begin], 1}, {read, -1}};
    for (int k = begin; k <= first_.latest[reader]; ++k) {
      terms.emplace_back(fetched_[item][k], 1);
      terms.emplace_back(again_[writer(item)][k], 1);
    }
    relaxed_.add_at_least(terms, 0);
  }

  // Who runs again finds what it reads.
  void close(TaskId task) {
    for (const GraphItemId item : graph_.flat.tasks[task].reads) {
      for (int k = since(item); k <= last_; ++k) {
        if (again_[task][k] == no_variable) continue;
        relaxed_.add_at_least({{there_[item][k], 1},
                               {fetched_[item][k], 1},
                               {again_[writer(item)][k], 1},
                               {again_[task][k], -1}},
                              0);
      }
    }
  }

  bool is_used_whole(int state) const {
    const TensorId whole = graph_.states[state].tensor;
    const auto is_part = [&](TensorId tensor) {
      return graph_.state_of[tensor] == state && tensor != whole;
    };
    const auto& tasks = graph_.problem->graph().tasks;
    return std::none_of(tasks.begin(), tasks.end(), [&](const Task& task) {
      return std::any_of(task.reads.begin(), task.reads.end(), is_part) ||
             std::any_of(task.updates.begin(), task.updates.end(), is_part);
    });
  }

  // State that lives here is there throughout. What lives elsewhere comes for those who use it
  // here, and goes out if one of these updates it.
  void count_state(int state) {
    CpModel& model = relaxed_.model();
    Row there(last_ + 1);
    Row fetched(last_ + 1);
    for (int k = 0; k <= last_; ++k) there[k] = model.add_boolean();  // first: it lives here
    for (int k = 1; k <= last_; ++k) {
      bytes_[k].emplace_back(there[k], graph_.states[state].bytes[memory_]);
      model.add_clause({no(there[0]), there[k]});
    }
    pay_for(state, there[0], fetched);
    for (int k = 0; k < last_; ++k)
      relaxed_.add_at_least({{there[k + 1], -1}, {there[k], 1}, {fetched[k], 1}}, 0);
    for (std::size_t t = 0; t < graph_.tasks(); ++t) {
      const auto& reads = graph_.reads_state[t];
      const auto& updates = graph_.updates_state[t];
      const bool uses = std::binary_search(reads.begin(), reads.end(), state) ||
                        std::binary_search(updates.begin(), updates.end(), state);
      if (uses) need_state(static_cast<TaskId>(t), there, fetched);
    }
  }

  void pay_for(int state, VariableId lives_here, Row& fetched) {
    CpModel& model = relaxed_.model();
    const PlacedState& placed = graph_.states[state];
    const std::int64_t bytes = graph_.problem->graph().tensors[placed.tensor].bytes;
    const double out = relaxed_.prices().joules_out(memory_, bytes);
    const double back = relaxed_.prices().joules_back(memory_, bytes);
    const bool may_come = std::isfinite(back);
    const VariableId more = model.add_variable(0, may_come ? last_ + 1 : 0);
    if (may_come) relaxed_.add_cost(more, back), relaxed_.add_arrival(more, memory_, bytes);
    Terms paid{{relaxed_.crosses(state, memory_), 1}, {more, 1}};
    for (VariableId& each : fetched) {
      each = model.add_boolean();
      paid.emplace_back(each, -1);
    }
    relaxed_.add_at_least(paid, 0);
    if (placed.updaters.empty()) return;
    const VariableId leaves = model.add_variable(0, std::isfinite(out) ? 1 : 0);
    if (std::isfinite(out))
      relaxed_.add_cost(leaves, out), relaxed_.add_departure(leaves, memory_, bytes);
    Terms gone{{leaves, 1}, {lives_here, 1}, {relaxed_.in(placed.updaters.back(), memory_), -1}};
    for (const MemoryId other : relaxed_.memories()) {
      if (other != memory_) gone.emplace_back(relaxed_.crosses(state, other), 1);
    }
    relaxed_.add_at_least(gone, 0);
  }

  void need_state(TaskId user, const Row& there, const Row& fetched) {
    for (int k = 0; k <= last_; ++k) {
      if (again_[user][k] != no_variable)
        relaxed_.add_at_least({{there[k], 1}, {fetched[k], 1}, {again_[user][k], -1}}, 0);
    }
    const VariableId used = relaxed_.in(user, memory_);
    if (used == no_variable) return;
    const int moment = moment_of_[user];
    if (moment > 0) return relaxed_.add_at_least({{there[moment], 1}, {used, -1}}, 0);
    Terms terms{{there[first_.earliest[user]], 1}, {used, -1}};
    for (int k = first_.earliest[user]; k <= first_.latest[user]; ++k)
      terms.emplace_back(fetched[k], 1);
    relaxed_.add_at_least(terms, 0);
  }

  // What is there, and what the moment's task itself needs if it runs here, fits.
  void limit(int k) {
    const std::int64_t capacity =
        std::max<std::int64_t>(1, graph_.problem->capacity_bytes[memory_]);
    const double unit = static_cast<double>(capacity) / static_cast<double>(capacity_units);
    const TaskId moment = moments_[k - 1];
    const VariableId here = relaxed_.in(moment, memory_);
    if (here != no_variable) bytes_[k].emplace_back(here, own_bytes(graph_, moment, memory_));
    LinearSum sum;
    for (const auto& [variable, bytes] : bytes_[k])
      sum.add(variable, static_cast<std::int64_t>(static_cast<double>(bytes) / unit * (1 - 1e-12)));
    relaxed_.model().add_linear(sum, 0, capacity_units);
  }

  RelaxedPlacement& relaxed_;
  const PlacedGraph& graph_;
  MemoryId memory_;
  std::vector<TaskId> moments_;
  int last_;
  FirstRuns first_;
  std::vector<int> moment_of_;  // by task: from 1 on; 0: none
  std::vector<Row> there_;      // by item: complete, at the moment
  std::vector<Row> fetched_;    // by item: in the interval, or before it is counted
  std::vector<Row> again_;      // by task
  std::vector<std::vector<std::pair<VariableId, std::int64_t>>>
      bytes_;  // by moment: what takes any
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
  Lineage lineage(*graph.problem);
  lineage.add(std::max_element(crowded.begin(), crowded.end())->second);
  for (int k = 1; k < most; ++k) {
    std::erase_if(crowded, [&](const auto& each) { return !lineage.could_add(each.second); });
    if (!crowded.empty()) lineage.add(crowded[crowded.size() * k / most].second);
  }
  return lineage.tasks();
}

CountedMemory add_moments(RelaxedPlacement& relaxed, MemoryId memory,
                          const std::vector<TaskId>& moments) {
  return Counting(relaxed, memory, moments).count();
}

void take_fates(const PlacedGraph& graph, const CountedMemory& counted, const CpAnswer& answer,
                PlacementChoice& choice) {
  const PlacedUses uses = uses_of(graph);
  std::vector<int> last_use(graph.flat.items.size(), -1);
  std::vector<int> moment_of(graph.tasks(), 0);
  for (std::size_t m = 0; m < counted.moments.size(); ++m)
    moment_of[counted.moments[m]] = static_cast<int>(m) + 1;
  const auto is_true = [&](VariableId variable) {
    return variable != no_variable && answer.is_true(variable);
  };
  const auto give_up = [&](std::size_t item, int k) {
    const auto& fetched = counted.fetched[item];
    const bool comes = std::any_of(fetched.begin() + k, fetched.end(), is_true);
    if (last_use[item] >= 0) choice.after[last_use[item]] = comes ? AfterUse::send : AfterUse::drop;
  };
  for (const TaskId task : choice.order) {
    const int k = moment_of[task];
    for (std::size_t i = 0; k > 0 && i < last_use.size(); ++i) {
      const VariableId there = counted.there[i][k];
      if (there != no_variable && !answer.is_true(there)) give_up(i, k);
    }
    if (graph.memory_of(choice.device[task]) != counted.memory) continue;
    for (int use = uses.first[task]; use < uses.first[task + 1]; ++use)
      last_use[uses.item[use]] = use;
  }
}

}  // namespace stint

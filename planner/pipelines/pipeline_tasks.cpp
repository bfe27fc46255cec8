#include "planner/pipelines/pipeline_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "files/input_error.hpp"
#include "models/training/lower_network.hpp"
#include "planner/chains/forward_cuts.hpp"

namespace stint {
namespace {

constexpr int no_layer = -1;

class Finding {
 public:
  explicit Finding(const PlacedGraph& graph)
      : problem_(*graph.problem), flat_(graph.flat), tasks_(problem_.graph().tasks) {
    found_.microbatch.assign(tasks_.size(), no_microbatch);
    found_.layer.assign(tasks_.size(), no_layer);
    found_.work.assign(tasks_.size(), StageWork::backward);
    is_forward_.assign(tasks_.size(), 0);
  }

  PipelineTasks find() {
    find_forward();
    find_microbatches();
    expect_alike();
    note_touches();
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (!is_forward_[t]) place(static_cast<TaskId>(t));
    }
    place_shared();
    find_weights();
    return std::move(found_);
  }

 private:
  bool has_writer(GraphItemId item) const { return !flat_.items[item].writers.empty(); }

  // Those that depend on samples: what is made of state alone serves all micro-batches.
  void find_forward() {
    for (const TaskId task : halves_of(problem_.graph()).forward) {
      const bool of_samples = std::any_of(
          flat_.tasks[task].reads.begin(), flat_.tasks[task].reads.end(),
          [&](GraphItemId item) { return !has_writer(item) || of_samples_.contains(item); });
      if (!of_samples || !tasks_[task].updates.empty()) continue;
      is_forward_[task] = 1;
      forward_.push_back(task);
      for (const GraphOutput& output : flat_.tasks[task].writes) of_samples_.insert(output.item);
    }
  }

  int group(int task) {
    while (parent_[task] != task) task = parent_[task] = parent_[parent_[task]];
    return task;
  }

  // A network's are known; in a graph of tasks activations tell.
  void find_microbatches() {
    if (const auto* const network = std::get_if<Network>(&problem_.blank.model)) {
      const auto origins = lower_with_kernels(*network, problem_.blank.lowering).origins;
      number_forward([&](TaskId task) { return static_cast<int>(origins[task].microbatch); });
    } else {
      connect_forward();
      number_forward([&](TaskId task) { return group(task); });
    }
  }

  void connect_forward() {
    parent_.resize(tasks_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    std::map<GraphItemId, TaskId> user;
    for (const TaskId task : forward_) {
      const auto join = [&](GraphItemId item) {
        const auto [first, is_new] = user.try_emplace(item, task);
        if (!is_new) parent_[group(task)] = group(first->second);
      };
      for (const GraphItemId item : flat_.tasks[task].reads) {
        if (of_samples_.contains(item)) join(item);
      }
      for (const GraphOutput& output : flat_.tasks[task].writes) join(output.item);
    }
  }

  // Groups in the order in which they begin.
  template <typename GroupOf>
  void number_forward(GroupOf group_of) {
    std::map<int, int> number;
    std::vector<int> count;
    for (const TaskId task : forward_) {
      const auto [known, is_new] =
          number.try_emplace(group_of(task), static_cast<int>(number.size()));
      if (is_new) count.push_back(0);
      found_.microbatch[task] = known->second;
      found_.layer[task] = count[known->second]++;
      found_.work[task] = StageWork::forward;
    }
    found_.microbatches = static_cast<int>(count.size());
    lengths_ = std::move(count);
  }

  void expect_alike() {
    if (lengths_.empty())
      throw InputError("--pipeline", "the step has no forward tasks; expected some");
    found_.layers = lengths_.front();
    const bool alike = std::all_of(lengths_.begin(), lengths_.end(),
                                   [&](int length) { return length == found_.layers; });
    const bool is_network = std::holds_alternative<Network>(problem_.blank.model);
    const auto asked = problem_.request().microbatches;
    if (alike && (!is_network || asked == found_.microbatches)) return;
    throw InputError("--pipeline",
                     fmt::format("the step falls into {} parts that are not micro-batches alike; "
                                 "expected forward tasks of a micro-batch to hang together",
                                 found_.microbatches));
  }

  // By item and by state, the forward tasks that read or write it.
  void note_touches() {
    for (const TaskId task : forward_) {
      for (const GraphItemId item : flat_.tasks[task].reads) touched_[item].push_back(task);
      for (const GraphOutput& output : flat_.tasks[task].writes)
        touched_[output.item].push_back(task);
      for (const TensorId tensor : tasks_[task].reads) {
        if (is_state(tensor)) state_read_[tensor].push_back(task);
      }
    }
  }
  bool is_state(TensorId tensor) const {
    return problem_.graph().tensors[tensor].kind == Kind::state;
  }

  // Of one that is not a forward task, after all that it reads from.
  void place(TaskId task) {
    const Task& own = tasks_[task];
    std::set<int> microbatches;
    int last = found_.layers;  // no task goes behind those whose gradients it reads
    int from_forward = no_layer;
    for (const TaskId before : problem_.needs[task]) {
      microbatches.insert(found_.microbatch[before]);
      if (found_.layer[before] == no_layer) continue;
      if (is_forward_[before])
        from_forward = std::max(from_forward, found_.layer[before]);
      else
        last = std::min(last, found_.layer[before]);
    }
    microbatches.erase(no_microbatch);
    if (microbatches.size() == 1 && own.updates.empty())
      found_.microbatch[task] = *microbatches.begin();
    const int partner = partner_layer(task);
    const int layer = partner != no_layer        ? std::min(partner, last)
                      : last < found_.layers     ? last
                      : from_forward != no_layer ? from_forward
                                                 : no_layer;
    found_.layer[task] = layer;
  }

  static std::string_view family(const std::string& op) {
    return std::string_view(op).substr(0, op.find('.'));
  }

  // The layer of the forward task that this one undoes.
  int partner_layer(TaskId task) const {
    std::map<TaskId, int> shared;
    for (const GraphItemId item : flat_.tasks[task].reads) {
      const auto users = touched_.find(item);
      if (users == touched_.end()) continue;
      for (const TaskId other : users->second) ++shared[other];
    }
    for (const TensorId tensor : tasks_[task].reads) {
      const auto users = state_read_.find(tensor);
      if (users == state_read_.end()) continue;
      for (const TaskId other : users->second) {
        if (found_.microbatch[other] == found_.microbatch[task]) ++shared[other];
      }
    }
    std::tuple<bool, int, int> best{false, 0, no_layer};
    for (const auto& [other, count] : shared) {
      const bool alike =
          !tasks_[task].op.empty() && family(tasks_[task].op) == family(tasks_[other].op);
      best = std::max(best, std::tuple(alike, count, found_.layer[other]));
    }
    return std::get<2>(best);
  }

  // What waits for no layer goes with the first that waits for it.
  void place_shared() {
    for (std::size_t t = tasks_.size(); t-- > 0;) {
      for (const TaskId before : problem_.needs[t]) {
        if (found_.microbatch[before] != no_microbatch || has_place(before)) continue;
        int& layer = wanted_.try_emplace(before, found_.layers - 1).first->second;
        layer = std::min(layer, found_.layer[t] == no_layer ? layer : found_.layer[t]);
      }
      if (!has_place(static_cast<TaskId>(t))) {
        const auto wanted = wanted_.find(static_cast<TaskId>(t));
        found_.layer[t] = wanted == wanted_.end() ? 0 : wanted->second;
      }
    }
  }
  bool has_place(TaskId task) const { return found_.layer[task] != no_layer; }

  void find_weights() {
    std::vector<char> is_awaited(tasks_.size(), 0);
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (found_.microbatch[t] == no_microbatch) continue;
      for (const TaskId before : problem_.needs[t]) is_awaited[before] = 1;
    }
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const bool may = found_.microbatch[t] != no_microbatch && !is_forward_[t] &&
                       tasks_[t].phase != Phase::loss;
      if (may && !is_awaited[t]) found_.work[t] = StageWork::weights;
    }
  }

  const Problem& problem_;
  const DeviceGraph& flat_;
  const std::vector<Task>& tasks_;
  PipelineTasks found_;
  std::vector<TaskId> forward_;
  std::vector<char> is_forward_;
  std::set<GraphItemId> of_samples_;  // activations
  std::vector<int> parent_;           // of a forward task in its micro-batch
  std::vector<int> lengths_;          // by micro-batch
  std::map<GraphItemId, std::vector<TaskId>> touched_;
  std::map<TensorId, std::vector<TaskId>> state_read_;
  std::map<TaskId, int> wanted_;
};

}  // namespace

PipelineTasks pipeline_tasks(const PlacedGraph& graph) { return Finding(graph).find(); }

}  // namespace stint

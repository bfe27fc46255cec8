#include "planner/pipelines/pipeline_design.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "planner/infinity.hpp"

namespace stint {
namespace {

// A list of operations, and who runs it.
struct Lane {
  int stage = 0;
  std::vector<WorkerId> workers;
  std::vector<StageOperation> list;
  std::size_t next = 0;
};

// Runs operations as soon as they can, in simulated time; so the order of all tasks respects data
// and is close to the order in which they will start.
class Merging {
 public:
  Merging(const PlacedGraph& graph, const PipelineTasks& tasks, const PipelineDesign& design)
      : problem_(*graph.problem),
        tasks_(tasks),
        design_(design),
        order_(pipeline_order(design.kind, design.stages(), tasks.microbatches, design.chunks)),
        free_(problem_.workers.size(), 0),
        finished_(problem_.graph().tasks.size(), infinity),
        worker_(problem_.graph().tasks.size(), no_worker) {
    for (std::size_t c = 0; c < design.ends.size(); ++c)
      virtual_stage_.resize(design.ends[c], static_cast<int>(c));
    sort_tasks();
    make_lanes();
  }

  bool merge() {
    run_loose();
    while (Lane* const lane = earliest()) {
      run(*lane);
      run_loose();
    }
    return merged_.size() == worker_.size();
  }

  TaskOrder& merged() { return merged_; }
  std::vector<WorkerId>& workers() { return worker_; }

 private:
  using Key = std::tuple<int, int, StageWork>;  // micro-batch, virtual stage, work

  StageWork work_of(TaskId task) const {
    const StageWork work = tasks_.work[task];
    const bool joins = work == StageWork::weights && !has_weight_operations(design_.kind);
    return joins ? StageWork::backward : work;
  }

  void sort_tasks() {
    for (std::size_t t = 0; t < worker_.size(); ++t) {
      const auto task = static_cast<TaskId>(t);
      if (tasks_.microbatch[t] == no_microbatch)
        loose_.push_back(task);
      else
        operation_[{tasks_.microbatch[t], virtual_stage_[tasks_.layer[t]], work_of(task)}]
            .push_back(task);
    }
  }

  void make_lanes() {
    for (int stage = 0; stage < design_.stages(); ++stage) {
      const auto& crew = design_.workers[stage];
      if (!design_.deals) {
        lanes_.push_back({stage, crew, order_.lists[stage], 0});
        continue;
      }
      for (std::size_t q = 0; q < crew.size(); ++q) {
        Lane lane{stage, {crew[q]}, {}, 0};
        for (const StageOperation& operation : order_.lists[stage]) {
          if (operation.microbatch % crew.size() == q) lane.list.push_back(operation);
        }
        lanes_.push_back(std::move(lane));
      }
    }
  }

  const std::vector<TaskId>& tasks_of(const Lane& lane) const {
    static const std::vector<TaskId> none;
    const StageOperation& operation = lane.list[lane.next];
    const auto found = operation_.find(
        {operation.microbatch, order_.virtual_stage(lane.stage, operation.chunk), operation.work});
    return found == operation_.end() ? none : found->second;
  }

  // When everything is there that the task waits for, but for what its operation does itself.
  double ready(TaskId task, const std::vector<TaskId>& operation) const {
    double seconds = 0;
    for (const TaskId before : problem_.before[task]) {
      const bool own = std::binary_search(operation.begin(), operation.end(), before);
      if (!own || finished_[before] < infinity) seconds = std::max(seconds, finished_[before]);
    }
    return seconds;
  }

  // Infinite if it has to wait for what has not run yet.
  double start_of(const Lane& lane) const {
    double seconds = infinity;
    for (const WorkerId worker : lane.workers) seconds = std::min(seconds, free_[worker]);
    const auto& operation = tasks_of(lane);
    for (const TaskId task : operation) seconds = std::max(seconds, ready(task, operation));
    return seconds;
  }

  Lane* earliest() {
    Lane* best = nullptr;
    double least = infinity;
    for (Lane& lane : lanes_) {
      if (lane.next == lane.list.size()) continue;
      const double start = start_of(lane);
      if (start < least) best = &lane, least = start;
    }
    return best;
  }

  void run(Lane& lane) {
    for (const TaskId task : tasks_of(lane)) run(task, lane.workers);
    ++lane.next;
  }

  void run(TaskId task, const std::vector<WorkerId>& crew) {
    const double begin = ready(task, {});
    WorkerId best = crew.front();
    for (const WorkerId worker : crew) {
      if (std::max(begin, free_[worker]) < std::max(begin, free_[best])) best = worker;
    }
    const double seconds = problem_.seconds[problem_.workers[best].device][task];
    finished_[task] = free_[best] = std::max(begin, free_[best]) + seconds;
    worker_[task] = best;
    merged_.push_back(task);
  }

  // Tasks of no micro-batch that wait for nothing more, and then those that waited for these.
  void run_loose() {
    const auto runs = [&](TaskId task) {
      if (ready(task, {}) == infinity) return false;
      const int stage = virtual_stage_[tasks_.layer[task]] % design_.stages();
      run(task, {design_.workers[stage].front()});
      return true;
    };
    std::erase_if(loose_, runs);
  }

  const Problem& problem_;
  const PipelineTasks& tasks_;
  const PipelineDesign& design_;
  PipelineOrder order_;
  std::vector<int> virtual_stage_;  // by layer
  std::map<Key, std::vector<TaskId>> operation_;
  std::vector<TaskId> loose_;  // in listed order, so that one pass is enough
  std::vector<Lane> lanes_;
  std::vector<double> free_;      // by worker
  std::vector<double> finished_;  // by task
  std::vector<WorkerId> worker_;  // by task
  TaskOrder merged_;
};

// Chooses what is computed again.
class Dropping {
 public:
  Dropping(const PlacedGraph& graph, const PipelineTasks& tasks, const PipelineDesign& design,
           StageChains& chains, PlacementChoice& choice)
      : graph_(graph),
        tasks_(tasks),
        design_(design),
        chains_(chains),
        choice_(choice),
        uses_(uses_of(graph)) {
    place_.resize(tasks.layer.size());
    for (std::size_t i = 0; i < choice.order.size(); ++i)
      place_[choice.order[i]] = static_cast<int>(i);
  }

  void drop() {
    for (std::size_t i = 0; i < graph_.flat.items.size(); ++i)
      consider(static_cast<GraphItemId>(i));
    for (auto& [where, candidates] : candidates_) {
      if (const StageOutputs* const gone = chosen_by_chain(where.first))
        drop_chosen(*gone, candidates);
      else
        drop_share(where.first, candidates);
    }
  }

 private:
  struct Candidate {
    GraphItemId item = no_graph_item;
    double seconds_per_byte = 0;
    double bytes = 0;
    TaskId last_forward = no_task;
  };

  int virtual_stage(TaskId task) const {
    const auto end = std::upper_bound(design_.ends.begin(), design_.ends.end(), tasks_.layer[task]);
    return static_cast<int>(end - design_.ends.begin());
  }

  // Made forward by one task, read by the backward of the same stage, and by no other stage.
  void consider(GraphItemId item) {
    const GraphItem& whole = graph_.flat.items[item];
    if (whole.is_fixed || whole.is_result || whole.writers.size() != 1) return;
    const TaskId writer = whole.writers.front();
    const int stage = virtual_stage(writer);
    if (design_.recomputing[stage] == 0 || tasks_.work[writer] != StageWork::forward) return;
    if (tasks_.microbatch[writer] == no_microbatch) return;
    TaskId last = writer;
    bool is_held = false;
    for (const TaskId reader : graph_.readers[item]) {
      if (virtual_stage(reader) != stage) return;
      const bool forward = tasks_.work[reader] == StageWork::forward;
      if (forward && place_[reader] > place_[last]) last = reader;
      is_held = is_held || !forward;
      if (!forward && !can_repeat(writer, reader)) return;
    }
    if (!is_held) return;
    const double bytes = std::max<double>(1, static_cast<double>(whole.bytes));
    const int device = choice_.device[writer];
    const double seconds = graph_.problem->seconds[device][writer];
    candidates_[{stage, tasks_.microbatch[writer]}].push_back({item, seconds / bytes, bytes, last});
  }

  // Before the reader: not if the weights it reads are newer by then.
  bool can_repeat(TaskId writer, TaskId reader) const {
    const auto& ends_with = graph_.flat.tasks[writer].ends_with;
    return std::none_of(ends_with.begin(), ends_with.end(),
                        [&](TaskId update) { return place_[update] < place_[reader]; });
  }

  const StageOutputs* chosen_by_chain(int stage) {
    if (design_.recomputes != Recomputing::chains) return nullptr;
    const auto& crew = design_.workers[stage % design_.stages()];
    const auto device = static_cast<DeviceId>(graph_.problem->workers[crew.front()].device);
    return chains_.dropped(stage == 0 ? 0 : design_.ends[stage - 1], design_.ends[stage], device,
                           design_.recomputing[stage], most_recomputing);
  }

  void drop_chosen(const StageOutputs& gone, const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      const TaskId writer = graph_.flat.writer(candidate.item);
      const auto& writes = graph_.problem->graph().tasks[writer].writes;
      const TensorId tensor = graph_.flat.items[candidate.item].tensor;
      const auto place = std::find(writes.begin(), writes.end(), tensor) - writes.begin();
      if (!gone.contains({tasks_.layer[writer], static_cast<int>(place)})) continue;
      drop_after(candidate.last_forward, candidate.item);
    }
  }

  void drop_share(int stage, std::vector<Candidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.seconds_per_byte < b.seconds_per_byte;
    });
    double left = 0;
    for (const Candidate& candidate : candidates) left += candidate.bytes;
    left *= static_cast<double>(design_.recomputing[stage]) / most_recomputing;
    for (const Candidate& candidate : candidates) {
      if (left <= 0) break;
      left -= candidate.bytes;
      drop_after(candidate.last_forward, candidate.item);
    }
  }

  void drop_after(TaskId task, GraphItemId item) {
    for (int use = uses_.first[task]; use < uses_.first[task + 1]; ++use) {
      if (uses_.item[use] == item) choice_.after[use] = AfterUse::drop;
    }
  }

  const PlacedGraph& graph_;
  const PipelineTasks& tasks_;
  const PipelineDesign& design_;
  StageChains& chains_;
  PlacementChoice& choice_;
  PlacedUses uses_;
  std::vector<int> place_;                                            // by task, in the order
  std::map<std::pair<int, int>, std::vector<Candidate>> candidates_;  // by stage and micro-batch
};

}  // namespace

std::optional<PlacementChoice> pipeline_choice(const PlacedGraph& graph, const PipelineTasks& tasks,
                                               const PipelineDesign& design, StageChains& chains) {
  Merging merging(graph, tasks, design);
  if (!merging.merge()) return std::nullopt;
  std::vector<DeviceId> device;
  for (const WorkerId worker : merging.workers())
    device.push_back(static_cast<DeviceId>(graph.problem->workers[worker].device));
  PlacementChoice choice = plain_choice(graph, std::move(merging.merged()), std::move(device));
  choice.worker = std::move(merging.workers());
  Dropping(graph, tasks, design, chains, choice).drop();
  return choice;
}

}  // namespace stint

#include "planner/pipelines/stage_chains.hpp"

#include <algorithm>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/chains/chain_sizes.hpp"
#include "planner/chains/persistent.hpp"

namespace stint {
namespace {

constexpr int most_stages_of_chain = 150;
constexpr int units = 200;  // in which memory is counted

// The tasks of the first micro-batch in some layers, as a graph: seconds on one device are known,
// state is there anyway, and what no task of it writes is an input.
class Extraction {
 public:
  Extraction(const PlacedGraph& graph, const PipelineTasks& tasks, DeviceId device)
      : whole_(graph.problem->graph()), problem_(*graph.problem), tasks_(tasks), device_(device) {
    graph_.name = "stage";
    id_.assign(whole_.tensors.size(), no_tensor);
  }

  Graph extract(int begin, int end) {
    std::vector<TaskId> chosen;
    for (std::size_t t = 0; t < whole_.tasks.size(); ++t) {
      const bool is_in = tasks_.layer[t] >= begin && tasks_.layer[t] < end;
      if (is_in && tasks_.microbatch[t] == 0 && whole_.tasks[t].updates.empty())
        chosen.push_back(static_cast<TaskId>(t));
    }
    for (const TaskId task : chosen) {
      for (const TensorId tensor : whole_.tasks[task].writes) add(tensor, Kind::activation);
    }
    for (const TaskId task : chosen) add(task);
    return std::move(graph_);
  }

 private:
  TensorId add(TensorId tensor, Kind kind) {
    if (id_[tensor] != no_tensor) return id_[tensor];
    Tensor copy = whole_.tensors[tensor];
    copy.kind = kind;
    if (copy.part_of) copy.part_of->tensor = add(copy.part_of->tensor, kind);
    graph_.tensors.push_back(std::move(copy));
    return id_[tensor] = static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  void add(TaskId task) {
    Task copy = whole_.tasks[task];
    std::erase_if(copy.reads, [&](TensorId t) { return whole_.tensors[t].kind == Kind::state; });
    for (TensorId& tensor : copy.reads) tensor = add(tensor, Kind::input);
    for (auto* list : {&copy.writes, &copy.optional}) {
      for (TensorId& tensor : *list) tensor = id_[tensor];
    }
    for (auto& [y, x] : copy.may_overwrite) y = id_[y], x = id_[x];
    std::erase_if(copy.may_overwrite, [&](const auto& pair) {
      return graph_.tensors[pair.second].kind != Kind::activation;
    });
    std::sort(copy.may_overwrite.begin(), copy.may_overwrite.end());
    copy.op.clear();
    copy.seconds = {
        {device_name(problem_.platform(), device_), Quantity{problem_.seconds[device_][task]}}};
    graph_.tasks.push_back(std::move(copy));
  }

  const Graph& whole_;
  const Problem& problem_;
  const PipelineTasks& tasks_;
  DeviceId device_;
  Graph graph_;
  std::vector<TensorId> id_;  // by tensor of the whole
};

// What is there when the first backward begins.
struct Kept {
  std::set<int> x;  // i of x_i
  std::set<int> tape;
};
Kept kept_by(const ChainOperations& operations) {
  Kept kept;
  for (const ChainOperation& operation : operations) {
    if (operation.action == ChainAction::backward) break;
    if (operation.action == ChainAction::drop)
      (operation.of_tape ? kept.tape : kept.x).erase(operation.index);
    if (operation.action == ChainAction::forward_saving) kept.tape.insert(operation.index);
    if (operation.action == ChainAction::forward || operation.action == ChainAction::forward_saving)
      kept.x.insert(operation.index + 1);
  }
  return kept;
}

}  // namespace

struct StageChains::Stage {
  TaskChain chain;
  ChainProblem problem;
  std::map<TensorId, std::pair<int, int>> outputs;  // of forward tasks
  std::int64_t least_bytes = 0;
  std::int64_t full_bytes = 0;
  std::map<int, std::optional<StageOutputs>> dropped;  // by level

  std::optional<StageOutputs> solve(std::int64_t bytes) const {
    const PersistentPlan plan = solve_persistent(problem, bytes, {.units = units});
    if (!plan.feasible) return std::nullopt;
    const Kept kept = kept_by(plan.operations);
    StageOutputs gone;
    for (int i = 0; i < static_cast<int>(chain.stages.size()); ++i) {
      const TaskStage& stage = chain.stages[i];
      if (!kept.x.contains(i + 1)) note(stage.output, gone);
      if (!kept.tape.contains(i)) note(stage.tape, gone);
    }
    return gone;
  }
  void note(const std::vector<TensorId>& tensors, StageOutputs& gone) const {
    for (const TensorId tensor : tensors) {
      if (const auto found = outputs.find(tensor); found != outputs.end())
        gone.insert(found->second);
    }
  }
};

StageChains::StageChains(const PlacedGraph& graph, const PipelineTasks& tasks)
    : graph_(graph), tasks_(tasks) {}
StageChains::~StageChains() = default;

std::unique_ptr<StageChains::Stage> StageChains::make_stage(int begin, int end,
                                                            DeviceId device) const {
  const Graph graph = Extraction(graph_, tasks_, device).extract(begin, end);
  if (graph.tasks.empty()) return nullptr;
  const Problem problem =
      make_problem(Model{graph}, graph_.problem->platform(), Request{}, graph.name);
  Recognised recognised = recognise_chain(graph, problem.before);
  if (!recognised.chain || recognised.chain->stages.size() > most_stages_of_chain) return nullptr;
  auto sizes = chain_sizes(problem, *recognised.chain, graph_.memory_of(device));
  if (!sizes) return nullptr;
  auto stage = std::make_unique<Stage>();
  stage->chain = std::move(*recognised.chain);
  stage->problem = std::move(sizes->problem);
  set_costs(problem, device, stage->chain, std::vector<int>(graph.tasks.size(), 0), {0, 1},
            stage->problem);
  int layer = begin;
  for (const Task& task : graph.tasks) {
    if (task.phase != Phase::forward) continue;
    for (std::size_t w = 0; w < task.writes.size(); ++w)
      stage->outputs[task.writes[w]] = {layer, static_cast<int>(w)};
    ++layer;
  }
  const PersistentPlan all = solve_persistent(stage->problem, huge_bytes, {.units = units});
  stage->least_bytes = all.least_bytes;
  stage->full_bytes = all.full_bytes;
  return stage;
}

const StageOutputs* StageChains::dropped(int begin, int end, DeviceId device, int level,
                                         int levels) {
  const auto [found, is_new] = stages_.try_emplace({begin, end, device});
  if (is_new) found->second = make_stage(begin, end, device);
  Stage* const stage = found->second.get();
  if (stage == nullptr) return nullptr;
  const auto [solved, is_unsolved] = stage->dropped.try_emplace(level);
  if (is_unsolved) {
    const std::int64_t spare = stage->full_bytes - stage->least_bytes;
    solved->second = stage->solve(stage->full_bytes - spare / levels * level);
  }
  return solved->second ? &*solved->second : nullptr;
}

}  // namespace stint

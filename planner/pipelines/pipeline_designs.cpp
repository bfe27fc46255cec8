#include <algorithm>
#include <cmath>

#include "planner/infinity.hpp"
#include "planner/pipelines/pipedream.hpp"
#include "planner/pipelines/pipeline_times.hpp"
#include "planner/pipelines/running_sums.hpp"
#include "planner/pipelines/stage_blocks.hpp"
#include "planner/pipelines/stage_crews.hpp"
#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr int most_layers_of_pipedream = 300;
constexpr int most_workers_of_pipedream = 16;

// Layers for given crews.
class LayerCutting {
 public:
  LayerCutting(const PlacedGraph& graph, const LayerCosts& costs, const StageCrews& crews,
               bool deals)
      : graph_(graph),
        problem_(*graph.problem),
        costs_(costs),
        crews_(crews),
        deals_(deals),
        layers_(static_cast<int>(costs.can_cut.size())),
        held_(running_sums(costs.held_bytes)),
        state_(running_sums(costs.state_bytes)) {
    for (const auto& row : costs.seconds) seconds_.push_back(running_sums(row));
    stages_in_.assign(problem_.platform().memories.size(), 0);
    for (const auto& crew : crews) ++stages_in_[memory_of(crew.front())];
  }

  // The least largest time of a stage or a message. `in_flight`: by stage, if everything that is
  // held for so many micro-batches must fit; empty: no matter.
  std::vector<int> ends(int chunks, const std::vector<double>& in_flight) const {
    const int stages = static_cast<int>(crews_.size());
    const auto cost = [&](int block, int begin, int end) {
      const int stage = block % stages;
      if (end < layers_ && !costs_.can_cut[end - 1]) return infinity;
      if (!in_flight.empty() && !fits(stage, chunks, begin, end, in_flight[stage])) return infinity;
      const double own = seconds_of(stage, begin, end);
      return end == layers_ ? own : std::max(own, message(stage, (block + 1) % stages, end - 1));
    };
    return min_max_blocks(layers_, stages * chunks, cost).ends;
  }

 private:
  MemoryId memory_of(WorkerId worker) const { return problem_.device_of(worker).memory; }

  double seconds_of(int stage, int begin, int end) const {
    const auto& crew = crews_[stage];
    const int device = problem_.workers[crew.front()].device;
    const double speed = problem_.platform().devices[device].states.front().speed;
    const double all = (seconds_[device][end] - seconds_[device][begin]) / speed;
    return deals_ ? all / static_cast<double>(crew.size()) : all;
  }

  double message(int from, int to, int layer) const {
    const MemoryId a = memory_of(crews_[from].front());
    const MemoryId b = memory_of(crews_[to].front());
    return copy(a, b, costs_.sent_on_bytes[layer]) + copy(b, a, costs_.sent_back_bytes[layer]);
  }
  double copy(MemoryId from, MemoryId to, double bytes) const {
    if (from == to) return 0;
    double seconds = graph_.routes[from][to].empty() ? infinity : 0;
    for (const LinkId link : graph_.routes[from][to])
      seconds += copy_seconds(problem_.platform().links[link], static_cast<std::int64_t>(bytes));
    return seconds;
  }

  // With an equal share of the memory for all stages in it.
  bool fits(int stage, int chunks, int begin, int end, double in_flight) const {
    const MemoryId memory = memory_of(crews_[stage].front());
    const double share =
        static_cast<double>(problem_.capacity_bytes[memory]) / (stages_in_[memory] * chunks);
    return state_[end] - state_[begin] + in_flight / chunks * (held_[end] - held_[begin]) <= share;
  }

  const PlacedGraph& graph_;
  const Problem& problem_;
  const LayerCosts& costs_;
  const StageCrews& crews_;
  bool deals_;
  int layers_;
  std::vector<std::vector<double>> seconds_;  // [device]: of all layers before
  std::vector<double> held_, state_;
  std::vector<int> stages_in_;  // by memory
};

class Designing {
 public:
  Designing(const PlacedGraph& graph, const PipelineTasks& tasks, const LayerCosts& costs,
            const PipelineRequest& asked)
      : graph_(graph), tasks_(tasks), costs_(costs), asked_(asked) {}

  // An asynchronous pipeline's stages are in its tasks.
  std::vector<PipelineDesign> designs_with(const std::vector<int>& ends) {
    const int stages = static_cast<int>(ends.size());
    std::vector<StageCrews> all = stage_crews(*graph_.problem, stages);
    if (all.empty()) all.push_back(shared_crews(*graph_.problem, stages));
    for (const StageCrews& crews : all) add({asked_.kinds.front(), 1, ends, crews, false, {}});
    return std::move(designs_);
  }

  std::vector<PipelineDesign> designs(int stages) {
    for (const StageCrews& crews : stage_crews(*graph_.problem, stages)) {
      const bool several =
          std::any_of(crews.begin(), crews.end(), [](const auto& crew) { return crew.size() > 1; });
      add_all(crews, false);
      if (several) add_all(crews, true);
    }
    add_pipedream(stages);
    return std::move(designs_);
  }

 private:
  bool can(PipelineKind kind, int stages, int chunks) const {
    if (stages * chunks > tasks_.layers) return false;
    return kind != PipelineKind::interleaved || tasks_.microbatches % stages == 0;
  }

  void add_all(const StageCrews& crews, bool deals) {
    const LayerCutting cutting(graph_, costs_, crews, deals);
    const int stages = static_cast<int>(crews.size());
    for (const PipelineKind kind : asked_.kinds) {
      const int chunks = kind == PipelineKind::interleaved ? asked_.chunks : 1;
      if (!can(kind, stages, chunks)) continue;
      const PipelineOrder order = pipeline_order(kind, stages, tasks_.microbatches, chunks);
      const auto in_flight =
          peak_activations(order, std::vector<double>(stages, 1), std::vector<double>(stages, 1));
      add({kind, chunks, cutting.ends(chunks, {}), crews, deals, {}});
      add({kind, chunks, cutting.ends(chunks, in_flight), crews, deals, {}});
    }
  }

  void add(PipelineDesign design) {
    if (design.ends.empty()) return;
    design.recomputing.assign(design.ends.size(), 0);
    const auto same = [&](const PipelineDesign& other) {
      return other.kind == design.kind && other.ends == design.ends &&
             other.workers == design.workers && other.deals == design.deals;
    };
    if (std::none_of(designs_.begin(), designs_.end(), same)) designs_.push_back(std::move(design));
  }

  // Replicas on devices like the first, as many as there are.
  void add_pipedream(int stages) {
    const auto crews = stage_crews(*graph_.problem, 1);
    if (crews.empty() || tasks_.layers > most_layers_of_pipedream) return;
    const auto alike = devices_like(graph_.problem->workers[crews.front().front().front()].device);
    const int devices = static_cast<int>(alike.size());
    if (devices <= stages || devices > most_workers_of_pipedream) return;
    const auto partition = pipedream_partition(problem_on(alike));
    if (!partition || static_cast<int>(partition->ends.size()) != stages) return;
    PipelineDesign design{PipelineKind::one_f_one_b, 1, {}, {}, true, {}};
    auto next = alike.begin();
    for (int stage = 0; stage < stages; ++stage) {
      design.ends.push_back(partition->ends[stage] + 1);
      if (stage + 1 < stages && !costs_.can_cut[partition->ends[stage]]) return;
      auto& crew = design.workers.emplace_back();
      for (int r = 0; r < partition->replicas[stage]; ++r)
        crew.push_back(graph_.problem->first_worker[*next++]);
    }
    for (const PipelineKind kind : asked_.kinds) {
      design.kind = kind;
      if (kind != PipelineKind::interleaved) add(design);
    }
  }

  std::vector<int> devices_like(int first) const {
    std::vector<int> alike;
    for (std::size_t d = 0; d < costs_.seconds.size(); ++d) {
      if (costs_.seconds[d] == costs_.seconds[first]) alike.push_back(static_cast<int>(d));
    }
    return alike;
  }

  PipeDreamProblem problem_on(const std::vector<int>& devices) const {
    PipeDreamProblem problem;
    problem.seconds = costs_.seconds[devices.front()];
    problem.weight_bytes = costs_.state_bytes;
    for (int l = 0; l < tasks_.layers; ++l)
      problem.output_bytes.push_back((costs_.sent_on_bytes[l] + costs_.sent_back_bytes[l]) / 2);
    problem.bytes_per_second = bandwidth(devices);
    problem.workers = static_cast<int>(devices.size());
    return problem;
  }

  // The least between neighbours.
  double bandwidth(const std::vector<int>& devices) const {
    double least = infinity;
    for (std::size_t i = 1; i < devices.size(); ++i) {
      const MemoryId from = graph_.memory_of(static_cast<DeviceId>(devices[i - 1]));
      const MemoryId to = graph_.memory_of(static_cast<DeviceId>(devices[i]));
      for (const LinkId link : graph_.routes[from][to])
        least = std::min<double>(least, graph_.problem->platform().links[link].bytes_per_second);
    }
    return std::min(least, 1e18);
  }

  const PlacedGraph& graph_;
  const PipelineTasks& tasks_;
  const LayerCosts& costs_;
  const PipelineRequest& asked_;
  std::vector<PipelineDesign> designs_;
};

}  // namespace

std::vector<PipelineDesign> pipeline_designs(const PlacedGraph& graph, const PipelineTasks& tasks,
                                             const LayerCosts& costs, const PipelineRequest& asked,
                                             int stages, const std::vector<int>& given_ends) {
  Designing designing(graph, tasks, costs, asked);
  return given_ends.empty() ? designing.designs(stages) : designing.designs_with(given_ends);
}

}  // namespace stint

#include "planner/pipelines/pipeline.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "files/input_error.hpp"
#include "planner/accept.hpp"
#include "planner/draft.hpp"
#include "planner/pipelines/pipedream_stages.hpp"
#include "planner/pipelines/stage_crews.hpp"
#include "planner/placement/placed_draft.hpp"
#include "planner/placement/placed_replay.hpp"

namespace stint {
namespace {

constexpr int most_designs_finished = 12;  // of all designs

struct Trial {
  PipelineDesign design;
  double value = 0;
  double excess_bytes = 0;  // of all memories
  bool is_late = false;

  std::tuple<bool, double, bool, double> key() const {
    return {excess_bytes > 0, excess_bytes, is_late, value};
  }
};

class Piping {
 public:
  Piping(const Problem& problem, const SearchOptions& options, const PlacedGraph& graph)
      : problem_(problem),
        options_(options),
        graph_(graph),
        tasks_(pipeline_tasks(graph)),
        ends_(problem.blank.pipelined ? keep_in_stages(problem, tasks_) : std::vector<int>{}),
        costs_(layer_costs(graph, tasks_)),
        chains_(graph, tasks_),
        replay_(graph) {}

  Answer best() {
    const PipelineRequest asked = pipeline_request(problem_.request());
    for (const int stages : stage_counts(problem_, tasks_, asked)) {
      for (PipelineDesign& design : pipeline_designs(graph_, tasks_, costs_, asked, stages, ends_))
        try_design(std::move(design));
    }
    if (trials_.empty())
      throw InputError("--pipeline",
                       "no such pipeline can be made of the step; expected fewer "
                       "stages or chunks, or micro-batches that they divide");
    std::stable_sort(trials_.begin(), trials_.end(),
                     [](const Trial& a, const Trial& b) { return a.key() < b.key(); });
    finish_best();
    return std::move(answer_);
  }

 private:
  MemoryId memory_of(const PipelineDesign& design, std::size_t virtual_stage) const {
    const auto& crew = design.workers[virtual_stage % design.workers.size()];
    return problem_.device_of(crew.front()).memory;
  }

  // More is recomputed in the stages of the memories given, by their ids; false if all is already.
  bool recompute_more(const std::vector<char>& exceeded, PipelineDesign& design) const {
    if (!problem_.request().recompute) return false;
    bool any = false;
    for (std::size_t c = 0; c < design.ends.size(); ++c) {
      if (!exceeded[memory_of(design, c)] || design.recomputing[c] == most_recomputing) continue;
      ++design.recomputing[c];
      any = true;
    }
    return any;
  }

  // Replays it, recomputing as much as it takes to fit, or as much as there is: both ways, if it
  // takes any.
  void try_design(PipelineDesign design) {
    try_recomputing(design);
    if (trials_.empty() || !is_short_of_memory_) return;
    design.recomputes = Recomputing::chains;
    try_recomputing(std::move(design));
  }

  void try_recomputing(PipelineDesign design) {
    is_short_of_memory_ = false;
    if (!trials_.empty() && options_.is_interrupted()) return;
    std::optional<Trial> best;
    std::vector<char> exceeded;
    do {
      if (!replays(design)) break;
      Trial trial = measured(design, exceeded);
      is_short_of_memory_ = is_short_of_memory_ || trial.excess_bytes > 0;
      if (!best || trial.key() < best->key()) best = std::move(trial);
    } while (best->excess_bytes > 0 && recompute_more(exceeded, design));
    if (best) trials_.push_back(std::move(*best));
  }

  bool replays(const PipelineDesign& design) {
    auto choice = pipeline_choice(graph_, tasks_, design, chains_);
    if (!choice) return false;
    settle_ties(graph_, *choice);
    choice_ = std::move(*choice);
    return replay_.make(choice_);
  }

  Trial measured(const PipelineDesign& design, std::vector<char>& exceeded) const {
    Trial trial{design, 0, 0, !meets(replay_.seconds(), deadline_seconds(problem_.request()))};
    double live = 0;
    exceeded.assign(replay_.peak_bytes().size(), 0);
    for (std::size_t m = 0; m < exceeded.size(); ++m) {
      const std::int64_t peak = replay_.peak_bytes()[m];
      live += static_cast<double>(peak);
      if (peak <= problem_.capacity_bytes[m]) continue;
      exceeded[m] = 1;
      trial.excess_bytes += static_cast<double>(peak - problem_.capacity_bytes[m]);
    }
    trial.value = value_of(replay_.seconds(), replay_.joules(), live);
    return trial;
  }

  double value_of(double seconds, double joules, double live_bytes) const {
    switch (problem_.request().objective) {
      case Objective::time:
        return seconds;
      case Objective::edp:
        return seconds * joules;
      case Objective::memory:
        return live_bytes;
      case Objective::energy:
        break;
    }
    return joules;
  }

  // From the most promising on; the simulator says what they cost.
  void finish_best() {
    int left = most_designs_finished;
    for (const Trial& trial : trials_) {
      if (answer_.schedule && (options_.is_interrupted() || left == 0)) break;
      if (left > 0) --left;
      finish_design(trial.design);
    }
  }

  // Where addresses take more than there is, more is recomputed; both ways, if none is yet.
  void finish_design(PipelineDesign design) {
    if (finish_recomputing(design) || design.recomputes == Recomputing::chains) return;
    if (std::any_of(design.recomputing.begin(), design.recomputing.end(),
                    [](int share) { return share > 0; }))
      return;
    design.recomputes = Recomputing::chains;
    finish_recomputing(std::move(design));
  }

  // Whether it fits as it is.
  bool finish_recomputing(PipelineDesign design) {
    for (int tries = 1;; ++tries) {
      if (!replays(design)) return false;
      Schedule schedule =
          finish(problem_, placed_draft(graph_, replay_), "pipeline:" + to_string(design.kind));
      if (accept(problem_, schedule, answer_)) {
        keep_if_better(std::move(schedule), options_, answer_);
        return tries == 1;
      }
      std::vector<char> exceeded(problem_.capacity_bytes.size(), 0);
      for (const auto& [name, bytes] : schedule.arenas) {
        const MemoryId memory = *find_memory(problem_.platform(), name);
        exceeded[memory] = bytes > problem_.capacity_bytes[memory];
      }
      if (options_.is_interrupted() || !recompute_more(exceeded, design)) return false;
    }
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const PlacedGraph& graph_;
  PipelineTasks tasks_;
  std::vector<int> ends_;  // of stages, if the tasks decide that
  LayerCosts costs_;
  StageChains chains_;
  PlacedReplay replay_;
  PlacementChoice choice_;
  std::vector<Trial> trials_;
  bool is_short_of_memory_ = false;  // of the design that was tried last
  Answer answer_;
};

}  // namespace

std::optional<Answer> pipeline(const Problem& problem, const SearchOptions& options) {
  const auto graph = placed_graph(problem);
  if (!graph) return std::nullopt;
  return Piping(problem, options, *graph).best();
}

}  // namespace stint

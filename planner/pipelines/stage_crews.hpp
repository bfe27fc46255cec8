// Who may run the stages of a pipeline, and which layers each of them gets: the designs that are
// worth a try.
#pragma once

#include <vector>

#include "planner/pipelines/layer_costs.hpp"
#include "planner/pipelines/pipeline_design.hpp"
#include "planner/pipelines/pipeline_request.hpp"

namespace stint {

// Workers by stage.
using StageCrews = std::vector<std::vector<WorkerId>>;

// Stages on devices of their own, the fastest; on the workers of one device, for every device that
// has as many; or, where nothing else is possible, on workers of several. Only devices that run
// every task. None if there are more stages than workers.
std::vector<StageCrews> stage_crews(const Problem& problem, int stages);

// Stages of which there are more than workers: runs of them on each worker.
StageCrews shared_crews(const Problem& problem, int stages);

// How many stages are possible at most.
int most_stages(const Problem& problem);

// The numbers of stages to try: what was asked, else powers of two up to all there are, not beyond
// 16. Throws InputError if more are asked for than there are layers or workers; those of an
// asynchronous pipeline are in its tasks, and more than workers share these.
std::vector<int> stage_counts(const Problem& problem, const PipelineTasks& tasks,
                              const PipelineRequest& asked);

// The designs for a number of stages, none twice; nothing is recomputed yet. Layers by exact
// min-max partition: of seconds and messages, and the same within the memories if everything is
// kept; and PipeDream's, with replicas, on devices of their own. `given_ends`: where stages end, if
// that is decided already.
std::vector<PipelineDesign> pipeline_designs(const PlacedGraph& graph, const PipelineTasks& tasks,
                                             const LayerCosts& costs, const PipelineRequest& asked,
                                             int stages, const std::vector<int>& given_ends = {});

}  // namespace stint

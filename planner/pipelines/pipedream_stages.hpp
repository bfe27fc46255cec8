// Which layers each stage of an asynchronous pipeline has. There the stages decide the bits: who
// updates when, and which version of the weights a micro-batch sees. So they follow from the model
// and the request alone, never from the machine, its memory or its workers: the least largest work
// of a stage by exact min-max partition, where work is operations plus ten times the bytes moved,
// which is about where processors and GPUs balance. Layers that write parts of one tensor stay
// together. O(layers² · stages).
#pragma once

#include <string>
#include <vector>

#include "planner/pipelines/pipeline_tasks.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// The first layer of every stage, for the lowering; none unless an asynchronous pipeline is asked
// for. Throws InputError if there are fewer layers than stages, or if the model has no layers.
std::vector<std::string> pipedream_stages(const Model& model, const Request& request);

// Puts every task into the stage, the micro-batch and the turn that the problem's lowering lists it
// in, stashes and updates too, so that versions come and go as listed; says where stages end: by
// stage, the layer (of these tasks) behind its last.
std::vector<int> keep_in_stages(const Problem& problem, PipelineTasks& tasks);

}  // namespace stint

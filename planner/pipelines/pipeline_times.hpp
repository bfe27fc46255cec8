// What a pipeline's order takes, if all micro-batches take the same: when each operation runs, how
// far it could be put off, and how many activations are held. For choosing among orders and
// partitions; a plan is priced by the simulator of schedules, with its real tasks and copies.
//
// Every stage runs its list in order. A forward follows the same micro-batch's forward of the
// virtual stage before it, a backward the backward of the one behind it and its own forward,
// gradients of weights their backward; between stages a message takes its time and nobody's turn.
// Linear in the operations.
#pragma once

#include <vector>

#include "planner/pipelines/pipeline_order.hpp"

namespace stint {

// Seconds by stage, the same for its chunks. Where the order has no weight operations, a backward
// is all of it.
struct StageSeconds {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> weights;
  double message = 0;
};

struct PipelineTimes {
  std::vector<std::vector<double>> start;  // by stage and place in its list
  std::vector<std::vector<double>> slack;  // how much later it could start, all else in order
  std::vector<double> first_start;         // by stage
  std::vector<double> last_end;
  std::vector<double> busy;
  double seconds = 0;
};

PipelineTimes pipeline_times(const PipelineOrder& order, const StageSeconds& seconds);

// Activations held by stage at most, chunks counted alike: `act` from a forward to its backward,
// then `weights`, if it has such operations, to the gradients of weights.
std::vector<double> peak_activations(const PipelineOrder& order, const std::vector<double>& act,
                                     const std::vector<double>& weights = {});

// The same where a forward keeps only `kept` and its backward computes the rest again: all of `act`
// is there while a forward or a backward runs.
std::vector<double> peak_recomputing(const PipelineOrder& order, const std::vector<double>& act,
                                     const std::vector<double>& kept);

}  // namespace stint

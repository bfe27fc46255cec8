// Pipelines as problems of power states: stages that run micro-batches in a fixed order, forwards
// and backwards, and wait for their neighbours. With cases whose slack and least energy are known
// (pipeline_slack.json: brute force over all choices).
#pragma once

#include <functional>
#include <vector>

#include "planner/power/power_problem.hpp"

namespace stint {

struct PipelineOp {
  char kind = 'F';  // F, B, or W: the gradient of weights, where it is apart
  int microbatch = 0;
  int stage = 0;
};

struct Pipeline {
  int stages = 0;
  std::vector<std::vector<PipelineOp>> order;  // by stage
};

// Everything forwards, then backwards from the last on.
Pipeline gpipe(int stages, int microbatches);
// Backwards as soon as possible, after as many forwards as there are stages behind.
Pipeline one_forward_one_backward(int stages, int microbatches);

// What an operation may take; the same for all micro-batches.
using PipelineChoices = std::function<std::vector<PowerChoice>(const PipelineOp&)>;

// Its actions are the operations in an order that respects what waits for what, and the messages
// between stages; `place` says by stage and position which is which.
struct PipelinePower {
  PowerProblem problem;
  std::vector<std::vector<int>> place;
};
PipelinePower pipeline_power(const Pipeline& pipeline, double message_seconds,
                             const PipelineChoices& choices);

struct SlackCase {
  Pipeline pipeline;
  std::vector<double> forward_seconds, backward_seconds, weight_seconds;  // by stage
  double message_seconds = 0;
  double makespan_seconds = 0;
  std::vector<std::vector<double>> start, slack;  // by stage and position
};

struct DvfsCase {
  Pipeline pipeline;
  // By stage and state.
  std::vector<std::vector<double>> forward_seconds, backward_seconds, forward_joules,
      backward_joules;
  std::vector<double> idle_watts;  // by stage
  double deadline_seconds = 0;
  double all_fast_joules = 0;
  double least_joules = 0;
};

std::vector<SlackCase> read_slack_cases();
std::vector<DvfsCase> read_dvfs_cases();

}  // namespace stint

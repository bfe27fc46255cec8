// Pipelines and partitions whose answers are known: pipeline.json (orders, times and peaks),
// pipeline_slack.json (slack), pipedream.json and blocks.json (partitions).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/pipelines/pipedream.hpp"
#include "planner/pipelines/pipeline_order.hpp"
#include "planner/pipelines/pipeline_times.hpp"

namespace stint {

struct KnownPipeline {
  PipelineKind kind = PipelineKind::gpipe;
  int stages = 0;
  int microbatches = 0;
  int chunks = 1;
  StageSeconds seconds;
  std::vector<double> act;
  std::vector<double> act_weights;     // empty: no such operations
  std::vector<double> recompute_keep;  // empty: not asked
  std::vector<std::string> order;      // by stage, as text
  double makespan = 0;
  std::vector<double> first_start, last_end, busy, peak, peak_recompute;
};
std::vector<KnownPipeline> known_pipelines();

struct KnownSlack {
  PipelineKind kind = PipelineKind::gpipe;
  int stages = 0;
  int microbatches = 0;
  StageSeconds seconds;
  double makespan = 0;
  std::vector<std::vector<double>> start, slack;  // by stage and place
};
std::vector<KnownSlack> known_slacks();

struct KnownPartition {
  PipeDreamProblem problem;
  double seconds = 0;
  std::vector<int> ends;
  std::vector<int> replicas;
};
std::vector<KnownPartition> known_partitions();

struct KnownBlocks {
  std::vector<std::int64_t> costs;
  int blocks = 1;
  double most = 0;
  std::vector<int> ends;  // last items
  std::vector<int> torchgpipe;
};
std::vector<KnownBlocks> known_blocks();

}  // namespace stint

// What was asked of a pipeline, from the words of the request.
#pragma once

#include <vector>

#include "planner/pipelines/pipeline_order.hpp"
#include "schedules/schedule.hpp"

namespace stint {

struct PipelineRequest {
  std::vector<PipelineKind> kinds;  // to be tried
  int chunks = 2;                   // of interleaved stages
  int stages = 0;                   // 0: not said
};

// Without words all synchronous orders. Throws InputError if the name is none, or if something else
// than a pipeline is asked for beside it.
PipelineRequest pipeline_request(const Request& request);

}  // namespace stint

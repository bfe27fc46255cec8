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

// Without words all synchronous orders: what changes the bits must be asked for by its name. Throws
// InputError if the name is none, if something else than a pipeline is asked for beside it, or if
// an asynchronous pipeline has no number of stages.
PipelineRequest pipeline_request(const Request& request);

}  // namespace stint

// Short ways to replay in tests: without taking the predicted time, with delays, without the judge.
#pragma once

#include <functional>

#include "executor/run.hpp"
#include "tests/support/reference_run.hpp"

namespace stint {

// No warm-up, no waiting for predicted ends, three steps.
RunOptions quick_options();

// Judged and replayed.
RunReport replay(const Schedule& schedule, const RunOptions& options = quick_options());

// Called in the action's thread, before it does anything.
using BeforeAction = std::function<void(ActionId, std::int64_t step)>;

// Not judged.
RunReport replay_with(const Schedule& schedule, const BeforeAction& before,
                      const RunOptions& options = quick_options());

// Sleeps up to 50 µs before every action, differently every time but the same for a seed.
BeforeAction random_delays(std::uint64_t seed);

// The hashes of a report, to compare with those of reference_run.
ReferenceRun hashes(const RunReport& report);

}  // namespace stint

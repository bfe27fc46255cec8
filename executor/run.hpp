// `run` without its command line: judges a schedule, compiles it, replays it, and reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "executor/arenas.hpp"
#include "executor/synthetic.hpp"
#include "schedules/run_report.hpp"
#include "schedules/simulate.hpp"

namespace stint {

struct RunOptions {
  std::string file = "schedule";  // as messages name it
  std::int64_t steps = 10;
  std::int64_t warmup_steps = 1;  // the run then begins anew, so they decide no bits
  std::int64_t seed = 0;          // of the inputs
  StorageFolders storage;
  Pace pace = Pace::predicted;
};

// Ctrl-C: ended after the actions in hand.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws InputError if the judge rejects the schedule or this machine cannot run it,
// std::runtime_error, naming the action, if a worker fails, and Interrupted.
RunReport run(const Schedule& schedule, const RunOptions& options,
              const std::atomic<bool>& interrupted);

// Replays without asking the judge first: for tests of what replay itself notices. Names must
// resolve, and the order must be acyclic.
RunReport run_unjudged(const Schedule& schedule, const Simulation& simulation, Arenas& arenas,
                       Backend& backend, const RunOptions& options,
                       const std::atomic<bool>& interrupted);

}  // namespace stint

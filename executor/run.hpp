// `run` without its command line: judges a schedule, compiles it, replays it, and reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "executor/arenas.hpp"
#include "executor/run_meter.hpp"
#include "executor/run_power.hpp"
#include "executor/step_data.hpp"
#include "executor/synthetic.hpp"
#include "schedules/run_report.hpp"
#include "schedules/simulate.hpp"

namespace stint {

struct RunOptions {
  std::string file = "schedule";  // as messages name it
  std::int64_t steps = 10;
  std::int64_t warmup_steps = 1;  // the run then begins anew, so they decide no bits
  std::int64_t seed = 0;          // of generated inputs, first parameters and masks
  StorageFolders storage;
  Pace pace = Pace::predicted;
  MeterOptions meter;
  RunPowerOptions power;
  // Of networks:
  bool synthetic = false;  // replays them by costs alone, as graphs of tasks
  std::string data;        // where samples come from (cpu/open_samples.hpp); "": generated
  std::string load_file;   // state to begin with; "": the first
  std::string save_file;   // where the state goes when the run has ended; "": nowhere
  std::int64_t held_out_batches =
      0;  // by which the trained network is judged, if there are so many
};

// For held_out_batches: all there are.
inline constexpr std::int64_t all_batches = std::numeric_limits<std::int64_t>::max();

// Samples by which a network is judged when it is trained.
struct HeldOut {
  std::int64_t samples = 0;
  std::int64_t left_out = 0;  // of those that there are
  std::int64_t batch = 1;     // so many in a step
};

// Ctrl-C: ended after the actions in hand.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws InputError if the judge rejects the schedule or this machine cannot run it,
// std::runtime_error, naming the action, if a worker fails, NotMeasured and Interrupted.
RunReport run(const Schedule& schedule, const RunOptions& options,
              const std::atomic<bool>& interrupted);

// What a replay leaves behind.
struct Replayed {
  RunReport report;
  StateBytes state;  // after the last step
};

// Replays without asking the judge first: for tests of what replay itself notices. Names must
// resolve, and the order must be acyclic. `first_step` is the number of the first.
Replayed run_unjudged(const Schedule& schedule, Arenas& arenas, Backend& backend,
                      const TensorValues& values, const RunOptions& options,
                      const std::atomic<bool>& interrupted, std::int64_t first_step = 0,
                      const HeldOut& held_out = {});

}  // namespace stint

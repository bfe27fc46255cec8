// A schedule, compiled: for every worker and link the list of what it runs, and for every entry
// what it waits for.
//
// A worker performs its list in order, so "that action has finished" is "its worker has come that
// far": one counter a worker is all the synchronisation there is. Waits that follow from others are
// left out, and a worker tells its progress only where someone waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "executor/backend.hpp"
#include "schedules/lanes.hpp"

namespace stint {

struct WaitFor {
  int lane = 0;             // index into Program::lanes
  std::uint32_t count = 0;  // entries of that lane that must be done
};

struct Entry {
  ActionId action{0};
  Job* job = nullptr;            // null: a copy that another lane performs occupies this worker
  std::uint32_t first_wait = 0;  // half-open range of Lane::waits
  std::uint32_t last_wait = 0;
  bool sleeps = false;     // waits without spinning
  bool publishes = false;  // someone waits for this entry
};

// What one thread does in a step.
struct Lane {
  WorkerId worker = no_worker;
  std::vector<Entry> entries;
  std::vector<WaitFor> waits;
  bool sleeps_between_steps = false;
};

struct Program {
  std::vector<Lane> lanes;                 // of the workers that do something
  std::vector<std::unique_ptr<Job>> jobs;  // by action
};

// Takes any schedule whose names resolve and whose order is acyclic: judging it is not its affair.
// `seconds` by action, as the simulator predicts them. Throws InputError if the executor cannot run
// such a plan.
// Cost: O(actions × workers).
Program compile(const Schedule& schedule, const std::vector<double>& seconds, Backend& backend);

}  // namespace stint

// The simulator: virtual time and energy of one step of a schedule. Deterministic to the bit.
//
// An action starts when its worker is free and everything in its `after` list has finished and was
// handed over (waiting.hpp). Links are workers; those of one channel serve one copy at a time,
// first come first served, ties by the order of the file. Energy as in platforms/README.md. Steps
// repeat: a worker begins in the power state in which it ended the last, and waits for the next.
//
// Needs a schedule whose names resolve and whose order is acyclic: validate() asks it only then.
// Cost: O(n log w + e) for n actions, w workers, e entries in the lists of actions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

struct Simulation {
  std::vector<double> start_seconds;  // by action
  std::vector<double> seconds;        // by action, without waiting and switching
  std::vector<double> joules;         // by action, marginal
  double makespan_seconds = 0;
  JoulesBy joules_by;
  double cache_joules = 0;  // part of joules_by.compute: for bytes that were in no cache
  std::vector<std::int64_t> peak_bytes;  // live bytes by memory
};

Simulation simulate(const Schedule& schedule);

// The value of the request's objective: joules, seconds, joule-seconds or bytes (all arenas but
// storage).
double objective_value(const Schedule& schedule, const Simulation& simulation);

// Everything in `predicted` that follows from the simulation; keeps proof, strategy, interrupted.
Predicted predict(const Schedule& schedule, const Simulation& simulation);

// Live bytes of every memory over time: what the memory holds from `seconds` on.
struct MemoryLevel {
  double seconds = 0;
  std::int64_t bytes = 0;
};
std::vector<std::vector<MemoryLevel>> memory_curves(const Schedule& schedule,
                                                    const Simulation& simulation);

}  // namespace stint

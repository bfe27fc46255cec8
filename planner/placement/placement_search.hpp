// Local search over the choices of a plan on several devices: simulated annealing with the replay
// as its judge. Moves: another device or power state for a task, a cluster or a stretch of the
// order, another place in the order, another fate for an item; memory above its bound and lateness
// are penalties. Half of the moves on items look at what fills the peak. It proves nothing. Bounded
// by a number of steps looked at, never by time, so the same start and seed give the same plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/placed_replay.hpp"

namespace stint {

constexpr double usual_penalty_of_excess = 3;

// What is minimised, and within what.
struct PlacementAim {
  std::vector<std::int64_t> capacity_bytes;  // by memory
  // Joules for every second after the deadline, and the same saved for every one before it, instead
  // of no second after it; 0: as the request has it.
  double second_joules = 0;
};

struct PlacementSearchOptions {
  PlacementAim aim;
  std::int64_t steps = 0;  // of all replays
  std::uint64_t seed = 0;
  double first_temperature = 0.01;                             // relative to the value of the start
  double good_enough = 0;                                      // value at which to stop
  double penalty_of_excess = usual_penalty_of_excess;          // in values of the start
  const std::vector<std::vector<TaskId>>* clusters = nullptr;  // what may move together
  const std::atomic<bool>* interrupted = nullptr;
};

// A choice, and what its replay says.
struct PlacementTrial {
  PlacementChoice choice;
  double value = 0;   // of the objective
  double excess = 0;  // of bytes and seconds above their bounds, relative; 0: it fits
};

// Nothing if it cannot be replayed.
std::optional<PlacementTrial> tried(const PlacedGraph& graph, PlacedReplay& replay,
                                    PlacementChoice choice, const PlacementAim& aim);

// The best that fits, or the one with the least excess.
PlacementTrial search_placement(const PlacedGraph& graph, PlacedReplay& replay,
                                const PlacementTrial& start, const PlacementSearchOptions& options);

}  // namespace stint

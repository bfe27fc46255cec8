// When every buffer lives, and from that its address.
//
// Time is the order of events: every action starts once and ends once, and the events of all
// actions stand in one line. An action that happens before another ends before the other starts,
// also where both take no time, so that two lifetimes which do not overlap on the line are never
// forced to overlap by the data.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem.hpp"
#include "schedules/schedule.hpp"
#include "schedules/simulate.hpp"

namespace stint {

// By action: the places of its start and its end on the line.
struct Events {
  std::vector<int> start;
  std::vector<int> end;
  int count = 0;
};

// `actions` in the order of their starts, with their times.
Events events_of(const std::vector<double>& start_seconds, const std::vector<double>& seconds);

// By buffer, for those that are not within another; half-open, in events. Wholes live while one of
// their parts does. State and double buffers live throughout, initial inputs from the start,
// results to the end.
struct Lifetimes {
  Events events;
  std::vector<int> begin;
  std::vector<int> end;
  std::vector<bool> outermost;
  std::vector<bool> alone;  // no part has a buffer in it
  std::vector<bool> stays;  // to the end of the step: state, double buffers and results
};

Lifetimes lifetimes_of(const Problem& problem, const std::vector<Buffer>& buffers,
                       const std::vector<Action>& actions, const std::vector<BufferId>& kept,
                       const Simulation& simulation);

// The outermost buffers, by the event at which they begin to live.
std::vector<BufferId> by_begin(const Lifetimes& lifetimes);

// Chooses all offsets, two where a buffer has a second; returns the arena of every memory. Outputs
// take the place of inputs where the task permits it and the arena gets smaller by it. `effort`:
// times the usual work to get an arena within its memory.
std::vector<std::int64_t> set_offsets(const Problem& problem, const Lifetimes& lifetimes,
                                      const std::vector<Action>& actions,
                                      std::vector<Buffer>& buffers, double effort);

}  // namespace stint

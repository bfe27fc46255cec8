// Training graphs on one device with power states, memory and deadline, whose least energies others
// found (energy_anchors.json). Tasks have times of their own in every state: no platform file says
// that, so that what is tested are the parts: which order, at what price of a second, and which
// states on it.
#pragma once

#include <string>
#include <vector>

#include "planner/power/power_problem.hpp"

namespace stint {

struct Anchor {
  std::string graph;                            // the name of its file in tests/planner/graphs/
  std::vector<std::vector<PowerChoice>> modes;  // by task and state
  std::vector<PowerChoice> transfers;           // by task: of what it writes, either way
  double memory_bytes = 0;
  double deadline_seconds = 0;
  bool with_offload = false;
  double best_joules = 0;
};

std::vector<Anchor> read_anchors();

}  // namespace stint

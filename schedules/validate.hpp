// The judge: is this schedule a correct, exact description of a step of its model on its platform?
// The rules R1… are written out in schedules/README.md. It knows nothing of how plans are made.
//
// Returns all violations, in order of rule and place; an empty list is a good schedule. Rules that
// need what an earlier rule found missing (names, an acyclic order) are left out, and only those.
// Cost: linear in the schedule, but for logarithms in the number of live buffers and of workers.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

inline constexpr int rule_count = 22;  // R1 to R22

struct Violation {
  int rule = 0;       // R1 is 1
  std::string where;  // JSON pointer into the schedule file
  std::string what;   // what is wrong; what was expected
};

std::vector<Violation> validate(const Schedule& schedule);

// For whoever has lowered the schedule's model already, as the schedule says: `lowered` is what
// came of it.
std::vector<Violation> validate(const Schedule& schedule, const Graph& lowered);

// Whether what simulate() relies on holds: names, order, actions and buffers are sound.
bool can_be_simulated(const std::vector<Violation>& violations);

// "R7 /arenas/n0~1ram: …"
std::string to_string(const Violation& violation);

}  // namespace stint

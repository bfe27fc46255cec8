// HiGHS, the solver of mixed-integer linear programs that comes with OR-Tools: for models of linear
// constraints and clauses alone whose relaxation, with cuts, tells most. Master problems of moments
// (graphs/moments.hpp) are such: with ten moments or more HiGHS solves in seconds what CP-SAT
// leaves open for minutes; and relaxed placements (placement/placement_bound.hpp).
//
// It computes in floating point, so what it proves is told with a margin, of one part in a million,
// and that there is no solution is never its to say. One thread, one seed; the limit is in
// iterations of the simplex method times the size of the model, never in seconds, so answers are
// deterministic. Called through its own C interface, whose headers are not installed with the wheel
// of OR-Tools. In builds without that wheel there is no HiGHS, and CP-SAT has to do.
#pragma once

#include "planner/solver/cp_sat.hpp"

namespace stint {

// Whether there is one in this build.
bool has_highs();

// Of the options seed, workers and relative gap are not used. Without a bound if the model has
// constraints of other kinds.
CpAnswer solve_by_highs(const CpModel& model, const CpOptions& options);

}  // namespace stint

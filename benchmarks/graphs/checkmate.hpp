// Checkpointing as a mixed-integer linear program, in the variables of Checkmate: for every stage
// t, in which task t runs for the first time, and every task i before it whether i runs (again) and
// whether its result is kept from the stage before; bytes in use after every run.
//
// P. Jain et al., Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization, MLSys
// 2020, with our own linearisation of what is freed: a fraction that may be 1 only if the task ran,
// no later one of the stage needs the result and it is not kept; since freeing only helps, nothing
// else is needed. n² booleans, n × edges fractions.
#pragma once

#include <cstdint>

#include "benchmarks/graphs/milp.hpp"
#include "planner/problem.hpp"

namespace stint {

// For graphs in which every task writes one tensor, without workspace, updates and state, on the
// first device. Minimises seconds, in the listed order of the tasks.
Milp checkmate_milp(const Problem& problem, std::int64_t capacity_bytes);

}  // namespace stint

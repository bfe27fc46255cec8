// Why there is no plan: an irreducible set of tensors that alone make the memory too small.
//
// Where one moment proves it, the frame knows the fewest tensors of that moment already
// (memory_bound.hpp). Where the proof is a strategy's, because nothing can be kept long enough,
// tensors are taken away, the smallest first and many at a time, as long as the rest is still
// proved not to fit: then each that is left is needed for the proof. (Deletion filtering, as for
// irreducible infeasible systems: Chinneck and Dravnieks 1991.) Every try is a plan for the smaller
// problem; there is a limit on their number, and on the size of what is tried at all.
#pragma once

#include "planner/outcome.hpp"
#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

// Gives proved shortages of memory that have no reason yet one, if it is found.
void explain(const Problem& problem, const SearchOptions& options, Outcome& outcome);

}  // namespace stint

// Why there is no plan: an irreducible set of tensors that alone make the memory too small.
//
// Where one moment proves it, the frame knows the fewest tensors of that moment already
// (memory_bound.hpp). Where the proof is a strategy's, because nothing can be kept long enough,
// tensors are taken away, the smallest first and many at a time, as long as the rest is still
// proved not to fit: then each that is left is needed for the proof. (Deletion filtering, as for
// irreducible infeasible systems: Chinneck and Dravnieks 1991.) Every try is a plan for the smaller
// problem with a hundredth of the request's limit, and what is not proved within that counts as not
// proved; there are at most a hundred, and none for very large graphs.
#pragma once

#include "planner/outcome.hpp"
#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

// Gives proved shortages of memory that have no reason yet one, if it is found; and looks for
// bounds that work between what is proved and what was found on the way, until these are close.
void explain(const Problem& problem, const SearchOptions& options, Outcome& outcome);

}  // namespace stint

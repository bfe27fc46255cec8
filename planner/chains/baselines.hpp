// The textbook's ways to reverse a chain, to compare with: never better than `chain`.
//
// `recompute-all` keeps nothing but the input: every backward runs the forwards from the start.
// `segments` keeps the inputs of some stages and runs forward from the nearest one before: those
// given after a colon, as in `segments:0,3`, or else every √l-th of l. Both on the first device
// that can run everything, in the order of the solvers' operations, without a proof.
#pragma once

#include <optional>
#include <vector>

#include "planner/chains/chain_problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> recompute_all(const Problem& problem, const SearchOptions& options);
std::optional<Answer> segments_of_chain(const Problem& problem, const SearchOptions& options);

// Stages whose inputs are kept, ascending, the first of them 0; complete, with drops.
ChainOperations segment_operations(const ChainArrays& chain, const std::vector<int>& kept);

// Throws InputError unless it is a list of stages.
std::vector<int> parse_positions(const std::string& text, int stages);

}  // namespace stint

// A plan for chains that are too long for a table: Revolve (revolve.hpp) on slots that hold any of
// their tensors.
//
// Every x_i takes a slot as large as the largest; a forward that saves a tape runs again just
// before its backward. Among equal sizes this is close to the best; it proves nothing. The model of
// Revolve has two places that ours counts, so slots are given away until the plan fits. Linear in
// the plan.
#pragma once

#include <cstdint>
#include <optional>

#include "planner/chains/chain_problem.hpp"

namespace stint {

// Complete, with drops. Nothing if it does not fit.
std::optional<ChainOperations> plan_long_chain(const ChainArrays& chain, std::int64_t fast_bytes);

}  // namespace stint

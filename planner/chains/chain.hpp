// The strategy `chain`: a graph that is a chain (recognise.hpp), on one worker, with the best
// choice between keeping, recomputing and moving away; for least energy, time, their product, or
// memory. Every device that can run all tasks is tried.
//
// A solution costs the least among those that keep what they keep until its backward
// (persistent.hpp, offload.hpp), and less where the exact search (chain_search.hpp) finds it within
// the request's limit. Where one worker is all there is and nothing can leave its memory, what the
// search proves holds for every plan, and is the bound.
//
// Under a deadline seconds get a price λ: least joules + λ seconds, for a λ that is narrowed down.
// By duality that minus λ times the deadline is a bound too; what remains between it and the plan
// is the price of choosing among the convex hull only.
#pragma once

#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> chain(const Problem& problem, const SearchOptions& options);

}  // namespace stint

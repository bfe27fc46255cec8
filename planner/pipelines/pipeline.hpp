// The strategy `pipeline`: a step of several micro-batches on stages in a row, in one of the
// synchronous orders (pipeline_order.hpp). Asked for by name or by `--pipeline`; `auto` tries all
// orders, several partitions, who runs them, and recomputation where memory is short, and takes
// what costs least.
//
// The bits do not depend on it: sums over micro-batches follow the fixed tree. It proves nothing;
// the bounds of the problem hold for it too.
#pragma once

#include <optional>

#include "planner/strategy.hpp"

namespace stint {

// Throws InputError if the step is not one of micro-batches alike, or the request asks for more
// stages than there can be.
std::optional<Answer> pipeline(const Problem& problem, const SearchOptions& options);

}  // namespace stint

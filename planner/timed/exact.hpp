// The strategy `exact`: small graphs on a machine with one device, where several workers or copies
// run side by side. Everything is decided at once, in time (timed_model.hpp), below the cost of the
// best plan that is known: what comes back is a cheaper plan, a proof that there is none, or a
// bound in between.
//
// Time is coarse at first: a few thousand units for the whole step are solved in a fraction of what
// millions take, and what does not exist in rounded times does not exist at all. Each resolution is
// tried with several seeds for a little work each, since some end at once and others never.
#pragma once

#include <optional>

#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> exact(const Problem& problem, const SearchOptions& options);

}  // namespace stint

// A search over every state of the synchronous model, to prove a plan optimal or to better it.
//
// A*: the state is the buffer, the next backward, and what each level holds; the estimate counts
// the remaining backwards, a read at the least cost for each whose x is not in the buffer, and a
// forward for each x that is nowhere. It assumes nothing about the structure of plans, so it
// settles what the recurrences leave open, for short chains only: states grow exponentially with
// the slots. Not a planner of its own: it starts from a plan's cost and looks below it, within a
// number of states.
#pragma once

#include <cstdint>
#include <optional>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct SyncSearch {
  double lower_bound = 0;             // proved: no plan costs less
  std::optional<SyncPlan> plan = {};  // cheaper than the cost that was to be beaten, and optimal
};

// One bit for each x; nothing is said about longer chains.
inline constexpr std::int64_t longest_searched_chain = 62;

SyncSearch search_sync(const SyncProblem& problem, double cost_to_beat, std::int64_t max_states);

}  // namespace stint

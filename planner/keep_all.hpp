// The strategy `keep-all`: every task once, whatever it makes is kept until it is no longer needed.
// What remains to be chosen is who computes what, in which order, in which power state; this tries
// several of each and keeps the best that fits. It proves nothing.
//
// The candidates: 1, 2, 4… or all workers of every device that can run the whole graph, and all
// devices together; orders that aim at small peaks and at short steps; one power state for each
// device. Larger graphs get fewer of them, by their size alone.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

std::optional<Answer> keep_all(const Problem& problem, const SearchOptions& options);

// What its plans would be worth, without addresses: the best of crews of all workers of a device,
// or of all devices, in all power states, each in an order or two. Nothing if no crew can do it.
struct RoughValue {
  bool late = false;  // the deadline is missed
  double value = 0;   // of the objective; bytes are live bytes
  auto operator<=>(const RoughValue&) const = default;
};
std::optional<RoughValue> keep_all_value(const Problem& problem, const SearchOptions& options);

// The same of those that fit into the problem's memories, as far as that can be told without
// addresses. Nothing if none does.
std::optional<RoughValue> keep_all_value_that_fits(const Problem& problem,
                                                   const SearchOptions& options);

// The arena that keep-all needs in a memory: the smallest of its plans on devices of that memory
// (or of all its plans that use it, if none runs there alone); whatever the bounds. Nothing if
// there is no such plan.
std::optional<std::int64_t> keep_all_arena(const Problem& problem, MemoryId memory);

}  // namespace stint

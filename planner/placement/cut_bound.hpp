// A bound on plans on several devices that needs no solver and grows with the graph almost
// linearly: memories are divided into two or three sides in a row (memory_row.hpp), and the
// cheapest division of the tasks is a cut of least capacity (side_row.hpp).
//
// As in the relaxed placement (placement_bound.hpp), of every task the execution that ends first
// counts; a reader on another side pays for a copy, or another execution there. The step is at
// least as long as every path, copies included, and as the work of devices that are alike, shared
// by their workers, between tasks that all others come before or after; so it is as long as any
// mean of these (length_mean.hpp). With such a mean, and a price of a second, time is a cost of
// each task and each crossing, and the least cut a bound for every order, any recomputation and any
// bytes of memory. The mean is moved, in rounds, towards whatever is longest in the cheapest
// division (fictitious play, Brown 1951), which makes the bound grow; the divisions are also starts
// for plans. Where most tasks follow each other, as in training, path and cut are nearly the truth.
#pragma once

#include <optional>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/placement/placement_choice.hpp"
#include "planner/strategy.hpp"

namespace stint {

struct CutBound {
  std::optional<Bound> bound;            // of energy or time; of their product there is none
  std::vector<PlacementChoice> choices;  // divisions, in no order of worth
};

CutBound cut_bound(const PlacedGraph& graph, int rounds, const SearchOptions& options);

}  // namespace stint

// What no plan on several devices can cost less than: a relaxation of the placement, solved by
// CP-SAT, and where that leaves much open by HiGHS, as a linear problem with whole numbers.
//
// Of all executions of a task it knows the one that ends first, by the memory it runs in and its
// power state. Every reader begins after it; one in another memory pays for a copy and waits for
// it, or pays for another execution of the task there. The step is at least as long as every path,
// and as the work of each device shared by its workers. Devices and links may do several things at
// once, and memory is counted only at a few moments: when given tasks first run, what was written
// before by tasks that they depend on, and is read by tasks that depend on them in the same memory,
// is there, or is fetched back, or is computed again, with what that needs. So the bound holds for
// every order and any recomputation or offloading. Times and joules are rounded down. Branches that
// meet again get more constraints (relaxed_work.hpp), what a solution does at once on a device may
// get turns (relaxed_turns.hpp), and a deadline is met by a price on seconds.
//
// Cost: about a variable for each task and way to run it, and each item and memory; the solver's
// work is limited by its own units.
#pragma once

#include <optional>
#include <vector>

#include "planner/bounds.hpp"
#include "planner/placement/placement_choice.hpp"
#include "planner/placement/relaxed_turns.hpp"
#include "planner/strategy.hpp"

namespace stint {

struct PlacementBound {
  std::optional<Bound> bound;            // of the request's objective
  std::vector<PlacementChoice> choices;  // solutions of the relaxation; memory is ignored
  RelaxedTurns turns;                    // that the last of these does not respect
  double price = 0;                      // of a second, in watts: whose bound was the best
};

struct PlacementBoundOptions {
  std::optional<double> known;  // the value of some plan; nothing above it is looked at
  double work = 1;              // the solver's units
  bool is_fine = false;         // rounded to 1e-11 of the horizon: for small gaps, and slower
  bool by_highs = false;        // by HiGHS alone, whatever CP-SAT would leave open
};
// What was found before, with devices that take turns, by HiGHS: until it is proved that nothing is
// below `enough`, as far as the work goes. Nothing if there is no HiGHS.
struct TurnsOptions {
  double enough = 0;
  int rounds = 3;
};
PlacementBound placement_bound_in_turns(const PlacedGraph& graph,
                                        const PlacementBoundOptions& bounding,
                                        const TurnsOptions& turning, const PlacementBound& before,
                                        const SearchOptions& options);
PlacementBound placement_bound(const PlacedGraph& graph, const PlacementBoundOptions& bounding,
                               const SearchOptions& options);

}  // namespace stint

// What a little more of each thing that limits a plan would save: a memory, the links between two
// memories, the deadline.
//
// Each answer comes from planning again for the machine or the request that has more, with the
// whole limit of the request: no derivative is taken, because what is kept, computed again or moved
// changes in steps. The plan at hand remains a plan with more of anything, so nothing is lost, but
// where a later deadline is billed for. Beside what was found to be saved stands what no plan could
// save more than, from the bound that was proved for the changed problem.
#pragma once

#include <string>
#include <vector>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"

namespace stint {

struct WhatIf {
  std::string change;        // "1 GiB more of n0/ram"
  double saves = 0;          // of the objective, by a plan that was found
  double saves_at_most = 0;  // proved
};

// One GiB more of every memory that the request bounds or that cannot hold what keeping everything
// needs, one GB/s more on the links of such a memory, one second more where there is a deadline; a
// tenth more of what is smaller than that unit. `planned` is a plan of the problem.
std::vector<WhatIf> what_if(const Problem& problem, const Schedule& planned,
                            const SearchOptions& options);

}  // namespace stint

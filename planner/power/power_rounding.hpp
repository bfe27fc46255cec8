// From times to choices: what fits into the room that the relaxation gives every action, and what
// slack is left afterwards. Each is one pass over the actions or a few; none makes a plan late that
// is not.
#pragma once

#include <vector>

#include "planner/power/power_problem.hpp"
#include "planner/power/power_relaxation.hpp"

namespace stint {

// By group, the place in the sorted choices: within its range the one of least joules whose actions
// all fit into their room; the fastest where none does.
std::vector<int> fitting(const PowerProblem& problem, const PowerRelaxation& relaxation,
                         const std::vector<PowerRange>& ranges,
                         const std::vector<double>& room_seconds);

// By action, of places by group.
PowerChoices choices_of(const PowerProblem& problem, const PowerRelaxation& relaxation,
                        const std::vector<int>& places);

// Groups of one action take the most frugal choice that leaves everything within so many seconds:
// once from the first action on, once from the last.
void use_slack(const PowerProblem& problem, const PowerRelaxation& relaxation, double limit_seconds,
               std::vector<int>& places);

// Groups of several actions take another choice if that is better altogether, in at most `most`
// trials.
void change_groups(const PowerProblem& problem, const PowerRelaxation& relaxation, int most,
                   std::vector<int>& places);

// Where entering states costs: runs of equal states in a unit take the state of the run before or
// after them if that is better altogether, in at most `most` trials.
void merge_runs(const PowerProblem& problem, const PowerRelaxation& relaxation, int most,
                std::vector<int>& places);

}  // namespace stint

// What `plan` tells people: a few lines of plain text, without a newline at their end.
#pragma once

#include <string>

#include "planner/outcome.hpp"
#include "planner/problem.hpp"
#include "planner/what_if.hpp"

namespace stint {

// "1 device, 2 memories, 11 tasks", and whether prices are assumed.
std::string problem_text(const Problem& problem);

// "plan  385 J  11 s  peak 6 B of 1 GiB  recomputes 0 tasks  optimal"
std::string plan_text(const Problem& problem, const Schedule& schedule);

// "infeasible: n0/ram has 2 B; expected at least 3 B (proved), 6 B were found to work; at the peak
// are x0, x1, x2": one line for everything that was too small.
std::string no_plan_text(const Outcome& outcome);

// "1 GiB more of n0/ram would save 70 J (15.4 %), at most 70 J", a line for every answer.
std::string what_if_text(const Predicted& predicted, const std::vector<WhatIf>& answers);

// "best 385 J, bound 300 J, gap 22 %": for a line that is redrawn.
std::string progress_text(const Predicted& predicted);

}  // namespace stint

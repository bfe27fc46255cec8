// An outcome as one JSON object: what `plan --json` prints.
#pragma once

#include <string>

#include "planner/outcome.hpp"
#include "planner/what_if.hpp"

namespace stint {

// `status`, and `predicted`'s members if there is a plan; else what was too small: the proved lower
// bound, the smallest that was found to work, and the tensors that fill the peak.
std::string outcome_text(const Outcome& outcome, const std::vector<WhatIf>& answers = {});

}  // namespace stint

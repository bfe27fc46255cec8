// Whether items fit into a memory, and where they lie then: exact, where place() is not.
//
// An own search (fit_search.hpp) in several orders of preference, each a few nodes, then all again
// with twice as many, until one of them finds offsets or proves that there are none; in between
// ejection (ejection.hpp), which proves nothing and is quicker where a little memory is left; then
// CP-SAT, for which items are rectangles. Limits are counted, so the answer is always the same.
// Dynamic storage allocation is NP-hard: beyond its limit it says that it does not know.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "planner/addresses/fit_search.hpp"
#include "planner/addresses/offsets.hpp"

namespace stint {

struct FitOptions {
  double limit = 10;  // units of search
  bool use_solver = true;
  const std::atomic<bool>* interrupted = nullptr;
};

struct Fit {
  FitStatus status = FitStatus::unknown;
  std::vector<std::int64_t> offsets;  // by item, if they fit
};

// What the solver says is checked: offsets are offsets, or it does not know.
Fit fit(const std::vector<Item>& items, std::int64_t capacity_bytes, const FitOptions& options);

}  // namespace stint

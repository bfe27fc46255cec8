// The least bytes within which a plan is found: what lies between bytes that are too few and bytes
// that are enough is halved again and again. It proves nothing: a search may miss a plan that there
// is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "planner/strategy.hpp"

namespace stint {

struct Halving {
  std::int64_t too_small = 0;  // bytes within which nobody needs to search
  std::int64_t fits = 0;       // bytes of a plan that is known
  int tries = 0;               // at most
  double close_share = 0;      // of the bytes that fit: not worth a try
};

// The bytes that the smallest plan takes. `arena_within` searches for one within so many bytes, and
// tells those that it takes.
std::int64_t least_bytes(
    Halving range, const SearchOptions& options,
    const std::function<std::optional<std::int64_t>(std::int64_t)>& arena_within);

}  // namespace stint

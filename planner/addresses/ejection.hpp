// Offsets for items within a memory by ejection: quick where memory is nearly, but not quite, full.
//
// Items are placed one after the other, the largest first. One that finds no gap takes the place
// whose items are easiest to place elsewhere, and these are the next to be placed. What is larger
// and found no gap more often is harder to eject (guided ejection search: Nagata and Bräysy 2009,
// there for vehicle routing). A walk finds offsets soon or hardly ever, so there are many short
// ones, from two orders and with other choices among equals, then again some twice as long.
//
// A step costs O(d log d) for an item that lives beside d others. It proves nothing: what it does
// not find may be there. Limits are counted and choices have fixed seeds: the same items always get
// the same offsets.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/addresses/spans.hpp"

namespace stint {

struct EjectionOptions {
  std::int64_t work = 0;  // items looked at
  const std::atomic<bool>* interrupted = nullptr;
};

// By span.
std::optional<std::vector<std::int64_t>> offsets_by_ejection(const Spans& spans,
                                                             std::int64_t capacity_bytes,
                                                             const EjectionOptions& options);

}  // namespace stint

// Lifetimes without time: all that addresses depend on is who lives together with whom.
//
// A section is a moment at which a largest set of items lives: one that no other moment's set
// contains. Every item then lives throughout a range of sections, and two items live at the same
// time if and only if their ranges share a section. There are at most as many sections as items.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/addresses/offsets.hpp"

namespace stint {

struct Span {
  std::int64_t bytes = 0;
  int first = 0;  // section
  int last = 0;   // inclusive
};

struct Spans {
  std::vector<Span> spans;
  std::vector<int> item;  // by span; items without bytes or without a life have none
  int sections = 0;
};

Spans spans_of(const std::vector<Item>& items);

}  // namespace stint

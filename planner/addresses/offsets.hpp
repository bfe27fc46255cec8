// Static addresses: an offset for every item of one memory, so that items that live at the same
// time never share a byte and the arena is small. Minimising the arena is NP-hard (dynamic storage
// allocation); this is first-fit in the orders that the literature found good, and the best of
// them; where none reaches the largest load, orders are improved a number of times by what stood in
// the way, then by a local search. It proves nothing but its own lower bound, the largest load.
//
// Cost: O(n²) for each of eight orders; beyond `all_orders_below` items only the orders in time,
// which a sweep does in O(n log n).
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

// Something that occupies bytes from one event to another. Sizes are rounded to the alignment by
// the caller; every offset is then a sum of sizes, and so aligned too.
struct Item {
  std::int64_t bytes = 0;
  int begin = 0;  // half-open
  int end = 0;
};

struct Placement {
  std::vector<std::int64_t> offsets;  // by item
  std::int64_t arena_bytes = 0;
};

inline constexpr int all_orders_below = 6000;

// Ends once the arena has no more than `enough_bytes`.
Placement place(const std::vector<Item>& items, std::int64_t enough_bytes = 0);

// The same in few orders, and in no more of them once the arena is within a memory: a quick answer,
// for those who ask often.
Placement place_quickly(const std::vector<Item>& items, std::int64_t enough_bytes);

// The most bytes that are live at once: no arena is smaller.
std::int64_t largest_load(const std::vector<Item>& items);

}  // namespace stint

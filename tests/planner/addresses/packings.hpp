// Items for tests of addresses: random ones, those that fill a rectangle exactly, and what is true
// of every packing.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/addresses/offsets.hpp"

namespace stint {

std::vector<Item> random_items(std::uint64_t seed, int count, int times, int most_bytes);

// A rectangle of time and bytes cut into so many items, or a few less: by cuts from side to side,
// or also into five pieces around a middle, which such cuts cannot make.
enum class Cuts { straight, around };
std::vector<Item> cut_rectangle(std::uint64_t seed, int count, int times, std::int64_t bytes,
                                Cuts cuts);

// Requires that no two items share a byte and nothing reaches beyond the arena.
void check_packing(const std::vector<Item>& items, const std::vector<std::int64_t>& offsets,
                   std::int64_t arena_bytes);

// The smallest arena, by all orders of first-fit, one of which finds it.
std::int64_t smallest_arena(const std::vector<Item>& items);

// Whether items fit, by trying all offsets of each.
bool fits_by_trying(const std::vector<Item>& items, std::int64_t capacity_bytes);

}  // namespace stint

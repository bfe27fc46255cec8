#include "tests/planner/addresses/packings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

namespace stint {
namespace {

bool apart(const Item& a, std::int64_t at, const Item& b, std::int64_t bt) {
  const bool in_time = a.end <= b.begin || b.end <= a.begin;
  return in_time || at + a.bytes <= bt || bt + b.bytes <= at;
}

// Offsets do not matter to items: a piece is its times and its bytes.
class Cutter {
 public:
  Cutter(std::uint64_t seed, Cuts cuts) : random_(seed), cuts_(cuts) {}

  std::vector<Item> cut(const Item& whole, int count) {
    std::vector<Item> pieces{whole};
    for (int tries = 0; tries < 50 * count && static_cast<int>(pieces.size()) < count; ++tries) {
      const auto at = static_cast<std::size_t>(below(std::ssize(pieces)));
      const Item piece = pieces[at];
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
      const auto parts = cuts_ == Cuts::around && below(2) == 0 ? around(piece) : straight(piece);
      pieces.insert(pieces.end(), parts.begin(), parts.end());
    }
    return pieces;
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

  std::vector<Item> straight(const Item& piece) {
    const int length = piece.end - piece.begin;
    if (below(2) == 0 && length > 1) {
      const int middle = piece.begin + 1 + static_cast<int>(below(length - 1));
      return {{piece.bytes, piece.begin, middle}, {piece.bytes, middle, piece.end}};
    }
    if (piece.bytes < 2) return {piece};
    const std::int64_t lower = 1 + below(piece.bytes - 1);
    return {{lower, piece.begin, piece.end}, {piece.bytes - lower, piece.begin, piece.end}};
  }

  std::vector<Item> around(const Item& piece) {
    const auto& [bytes, begin, end] = piece;
    if (end - begin < 3 || bytes < 3) return {piece};
    const int left = begin + 1 + static_cast<int>(below(end - begin - 2));
    const int right = left + 1 + static_cast<int>(below(end - left - 1));
    const std::int64_t low = 1 + below(bytes - 2);
    const std::int64_t high = low + 1 + below(bytes - low - 1);
    return {{low, begin, right},
            {high, right, end},
            {bytes - high, left, end},
            {bytes - low, begin, left},
            {high - low, left, right}};
  }

  std::mt19937_64 random_;
  Cuts cuts_;
};

// Places the items from the next one on, in the order of their begins.
bool try_offsets(const std::vector<Item>& items, std::int64_t capacity,
                 std::vector<std::int64_t>& offsets) {
  const std::size_t next = offsets.size();
  if (next == items.size()) return true;
  for (std::int64_t offset = 0; offset + items[next].bytes <= capacity; ++offset) {
    bool is_free = true;
    for (std::size_t i = 0; i < next; ++i)
      is_free = is_free && apart(items[i], offsets[i], items[next], offset);
    if (!is_free) continue;
    offsets.push_back(offset);
    if (try_offsets(items, capacity, offsets)) return true;
    offsets.pop_back();
  }
  return false;
}

}  // namespace

std::vector<Item> random_items(std::uint64_t seed, int count, int times, int most_bytes) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % std::uint64_t(n)); };
  std::vector<Item> items;
  for (int i = 0; i < count; ++i) {
    const int begin = below(times);
    items.push_back({below(most_bytes + 1), begin, begin + 1 + below(times - begin)});
  }
  return items;
}

std::vector<Item> cut_rectangle(std::uint64_t seed, int count, int times, std::int64_t bytes,
                                Cuts cuts) {
  return Cutter(seed, cuts).cut({bytes, 0, times}, count);
}

void check_packing(const std::vector<Item>& items, const std::vector<std::int64_t>& offsets,
                   std::int64_t arena_bytes) {
  REQUIRE(offsets.size() == items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    REQUIRE(offsets[i] >= 0);
    if (items[i].bytes > 0) REQUIRE(offsets[i] + items[i].bytes <= arena_bytes);
    for (std::size_t j = 0; j < i; ++j) REQUIRE(apart(items[i], offsets[i], items[j], offsets[j]));
  }
}

std::int64_t smallest_arena(const std::vector<Item>& items) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::int64_t best = INT64_MAX;
  do {
    std::vector<std::int64_t> offset(items.size(), -1);
    std::int64_t arena = 0;
    for (const int i : order) {
      std::int64_t at = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t j = 0; j < items.size(); ++j) {
          if (offset[j] < 0 || apart(items[i], at, items[j], offset[j])) continue;
          at = offset[j] + items[j].bytes;
          moved = true;
        }
      }
      offset[i] = at;
      arena = std::max(arena, at + items[i].bytes);
    }
    best = std::min(best, arena);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

bool fits_by_trying(const std::vector<Item>& items, std::int64_t capacity_bytes) {
  std::vector<Item> sorted = items;
  std::sort(sorted.begin(), sorted.end(),
            [](const Item& a, const Item& b) { return a.begin < b.begin; });
  std::vector<std::int64_t> offsets;
  return try_offsets(sorted, capacity_bytes, offsets);
}

}  // namespace stint

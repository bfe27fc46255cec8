#include "planner/addresses/fit.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "planner/addresses/fit_model.hpp"
#include "planner/solver/cp_sat.hpp"
#include "tests/planner/addresses/packings.hpp"

using namespace stint;

namespace {

Fit own_fit(const std::vector<Item>& items, std::int64_t capacity, double limit = 10) {
  FitOptions options;
  options.limit = limit;
  options.use_solver = false;
  return fit(items, capacity, options);
}

void check_fits(const std::vector<Item>& items, std::int64_t capacity) {
  const Fit found = own_fit(items, capacity);
  REQUIRE(found.status == FitStatus::fits);
  check_packing(items, found.offsets, capacity);
}

// At every time two of the items end, and new ones begin until memory is full again: the load
// always fits, wherever the free bytes lie.
std::vector<Item> full_memory(std::uint64_t seed, int times, std::int64_t bytes) {
  std::mt19937_64 random(seed);
  std::vector<Item> items;
  std::vector<std::size_t> live;
  std::int64_t free = bytes;
  for (int time = 0; time < times; ++time) {
    for (int k = 0; k < 2 && !live.empty(); ++k) {
      const auto at = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      items[*at].end = time;
      free += items[*at].bytes;
      live.erase(at);
    }
    while (free > 0) {
      const std::int64_t size = std::min<std::int64_t>(free, 1 + static_cast<int>(random() % 4));
      live.push_back(items.size());
      items.push_back({size, time, times});
      free -= size;
    }
  }
  return items;
}

}  // namespace

TEST_CASE("small sets fit into their smallest arena, and into none below", "[fit]") {
  const int seed = GENERATE(range(0, 60));
  for (int k = 0; k < 10; ++k) {
    CAPTURE(seed, k);
    const auto items = random_items(10000 + 10 * seed + k, 7, 5 + k, 4 + 3 * k);
    const std::int64_t best = smallest_arena(items);
    check_fits(items, best);
    REQUIRE(own_fit(items, best - 1).status == FitStatus::impossible);
  }
}

TEST_CASE("what does not fit although the load does is proved not to", "[fit]") {
  int proved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto items = full_memory(seed, 9 + static_cast<int>(seed % 6), 12);
    REQUIRE(largest_load(items) == 12);
    const bool fits = fits_by_trying(items, 12);
    if (fits) check_fits(items, 12);
    if (!fits) REQUIRE(own_fit(items, 12).status == FitStatus::impossible);
    proved += fits ? 0 : 1;
  }
  CHECK(proved > 15);
}

TEST_CASE("a rectangle cut from side to side is put together again", "[fit]") {
  const int count = GENERATE(10, 30, 100, 200, 400);
  const std::uint64_t seed = GENERATE(1, 2, 3);
  CAPTURE(count, seed);
  check_fits(cut_rectangle(seed, count, 4 * count, 1 << 20, Cuts::straight), 1 << 20);
}

TEST_CASE("a rectangle cut around middles is put together again", "[fit]") {
  using Cut = std::pair<int, std::uint64_t>;
  const auto [count, seed] = GENERATE(Cut{10, 1}, Cut{30, 1}, Cut{30, 2}, Cut{100, 1}, Cut{100, 2},
                                      Cut{200, 1}, Cut{200, 3}, Cut{400, 2}, Cut{400, 3});
  CAPTURE(count, seed);
  check_fits(cut_rectangle(seed, count, 4 * count, 1 << 20, Cuts::around), 1 << 20);
}

TEST_CASE("the search and the solver agree", "[fit]") {
  if (!has_cp_sat()) return;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const auto items = random_items(31000 + seed, 12, 10, 9);
    const std::int64_t load = largest_load(items);
    for (const std::int64_t capacity : {load - 1, load, load + 1}) {
      const Fit solved = fit_by_solver(items, capacity, {});
      REQUIRE(solved.status == own_fit(items, capacity).status);
      if (solved.status == FitStatus::fits) check_packing(items, solved.offsets, capacity);
    }
  }
}

TEST_CASE("within no work at all nothing is known", "[fit]") {
  const auto items = cut_rectangle(5, 50, 200, 1 << 10, Cuts::around);
  CHECK(own_fit(items, 1 << 10, 0).status == FitStatus::unknown);
  CHECK(own_fit(items, (1 << 10) - 1, 0).status == FitStatus::impossible);  // the load is above
}

TEST_CASE("the same items get the same offsets", "[fit]") {
  const auto items = cut_rectangle(9, 120, 400, 1 << 16, Cuts::around);
  CHECK(own_fit(items, 1 << 16).offsets == own_fit(items, 1 << 16).offsets);
}

TEST_CASE("items without bytes or without a life fit anywhere", "[fit]") {
  CHECK(own_fit({}, 0).status == FitStatus::fits);
  CHECK(own_fit({{0, 0, 4}, {7, 3, 3}}, 0).offsets == std::vector<std::int64_t>{0, 0});
  CHECK(own_fit({{1, 0, 4}}, 0).status == FitStatus::impossible);
}

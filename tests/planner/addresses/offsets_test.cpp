#include "planner/addresses/offsets.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/planner/addresses/packings.hpp"

using namespace stint;

namespace {

void check_placement(const std::vector<Item>& items, const Placement& placement) {
  check_packing(items, placement.offsets, placement.arena_bytes);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].bytes > 0) end = std::max(end, placement.offsets[i] + items[i].bytes);
  }
  REQUIRE(placement.arena_bytes == end);
  REQUIRE(placement.arena_bytes >= largest_load(items));
}

}  // namespace

TEST_CASE("items that live at the same time never share a byte", "[offsets]") {
  const int seed = GENERATE(range(0, 200));
  CAPTURE(seed);
  const auto items = random_items(seed, 2 + seed % 40, 20, 30);
  check_placement(items, place(items));
}

TEST_CASE("a quick placement is sound, and as good as it need be where a better one is found",
          "[offsets]") {
  int enough = 0;
  for (int seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const auto items = random_items(seed, 2 + seed % 40, 20, 30);
    const std::int64_t load = largest_load(items);
    const Placement quick = place_quickly(items, load);
    check_placement(items, quick);
    REQUIRE(quick.arena_bytes >= place(items).arena_bytes);
    REQUIRE(place_quickly(items, quick.arena_bytes).arena_bytes == quick.arena_bytes);
    enough += quick.arena_bytes == load ? 1 : 0;
  }
  CHECK(enough >= 70);
}

TEST_CASE("many items are placed by the sweeps alone, and soundly", "[offsets]") {
  const auto items = random_items(7, all_orders_below + 100, 3000, 1000);
  check_placement(items, place(items));
}

TEST_CASE("on small sets the best order is nearly always the best of all orders", "[offsets]") {
  int optimal = 0;
  constexpr int sets = 150;
  for (int seed = 0; seed < sets; ++seed) {
    CAPTURE(seed);
    const auto items = random_items(1000 + seed, 6, 8, 9);
    const std::int64_t arena = place(items).arena_bytes;
    const std::int64_t best = smallest_arena(items);
    REQUIRE(arena >= best);
    optimal += arena == best ? 1 : 0;
  }
  CHECK(optimal >= sets * 95 / 100);
}

TEST_CASE("where no usual order reaches the load, searching mostly does", "[offsets]") {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto items = random_items(5000 + seed, 40, 60, 64);
    reached += place(items).arena_bytes == largest_load(items) ? 1 : 0;
  }
  CHECK(reached >= 90);  // 81 without the search
}

TEST_CASE("aligned sizes give aligned offsets", "[offsets]") {
  auto items = random_items(3, 60, 20, 40);
  for (Item& item : items) item.bytes *= 64;
  for (const std::int64_t offset : place(items).offsets) REQUIRE(offset % 64 == 0);
}

TEST_CASE("what lives one after the other shares one place", "[offsets]") {
  const std::vector<Item> items{{5, 0, 2}, {5, 2, 4}, {4, 4, 9}};
  CHECK(place(items).arena_bytes == 5);
  CHECK(largest_load(items) == 5);
}

TEST_CASE("nothing takes no bytes", "[offsets]") {
  CHECK(place({}).arena_bytes == 0);
  CHECK(place({{0, 0, 5}, {0, 1, 2}}).arena_bytes == 0);
  CHECK(largest_load({}) == 0);
}

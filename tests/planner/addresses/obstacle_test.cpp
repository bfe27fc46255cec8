#include "planner/addresses/obstacle.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/addresses/packings.hpp"

using namespace stint;

namespace {

std::vector<Item> chosen(const std::vector<Item>& items, const Obstacle& obstacle, int without) {
  std::vector<Item> rest;
  for (const int item : obstacle.items) {
    if (item != without) rest.push_back(items[item]);
  }
  return rest;
}

}  // namespace

TEST_CASE("the items of an obstacle do not fit, and without any one of them they do", "[fit]") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto items = full_memory(seed, 9 + static_cast<int>(seed % 6), 12);
    const auto obstacle = find_obstacle(items, 12, {});
    REQUIRE(obstacle.has_value() == !fits_by_trying(items, 12));
    if (!obstacle) continue;
    ++found;
    CHECK_FALSE(fits_by_trying(chosen(items, *obstacle, -1), 12));
    for (const int item : obstacle->items) {
      CHECK(fits_by_trying(chosen(items, *obstacle, item), 12));
      CHECK(items[item].begin < obstacle->end);
      CHECK(items[item].end > obstacle->begin);
    }
  }
  CHECK(found > 2);
}

TEST_CASE("too high a load is an obstacle at the moment at which it is too high", "[fit]") {
  const std::vector<Item> items{{3, 0, 9}, {4, 2, 4}, {4, 3, 6}, {2, 5, 8}, {1, 3, 4}};
  const auto obstacle = find_obstacle(items, 10, {});
  REQUIRE(obstacle);
  CHECK(obstacle->items == std::vector<int>{0, 1, 2});
  CHECK(obstacle->begin == 3);
  CHECK(obstacle->end == 4);
}

TEST_CASE("what fits has no obstacle", "[fit]") {
  CHECK_FALSE(find_obstacle({}, 0, {}));
  CHECK_FALSE(find_obstacle({{3, 0, 9}, {4, 2, 4}}, 7, {}));
}

#include "planner/lifetimes.hpp"

#include <catch2/catch.hpp>

using namespace stint;

TEST_CASE("an action ends before those that start when it ends", "[lifetimes]") {
  const Events events = events_of({0, 1, 1}, {1, 2, 1});
  CHECK(events.count == 6);
  CHECK(events.start == std::vector<int>{0, 2, 3});
  CHECK(events.end == std::vector<int>{1, 5, 4});
}

TEST_CASE("actions of no seconds at one instant end one after the other", "[lifetimes]") {
  const Events events = events_of({0, 0, 0}, {0, 0, 0});
  CHECK(events.start == std::vector<int>{0, 2, 4});
  CHECK(events.end == std::vector<int>{1, 3, 5});
}

TEST_CASE("an action of no seconds that is listed later does not end before it starts",
          "[lifetimes]") {
  const Events events = events_of({0, 1, 1}, {2, 1, 0});
  for (int a = 0; a < 3; ++a) CHECK(events.start[a] < events.end[a]);
  CHECK(events.end[2] < events.end[0]);
}

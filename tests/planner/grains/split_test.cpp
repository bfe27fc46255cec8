#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/planner/grains/grain_vectors.hpp"

using namespace stint;

TEST_CASE("items are split for the earliest end as in the vectors", "[grains]") {
  const auto vectors = time_vectors();
  REQUIRE(vectors.size() == 30);
  for (const SplitVector& vector : vectors) {
    const auto split = split_for_time(vector.items, vector.workers);
    REQUIRE(split);
    CHECK(split->items == vector.best.items);
    CHECK(split->seconds == vector.best.seconds);
  }
}

TEST_CASE("items are split for the least energy as in the vectors", "[grains]") {
  const auto vectors = energy_vectors();
  REQUIRE(vectors.size() > 50);
  for (const SplitVector& vector : vectors) {
    CAPTURE(vector.items, vector.best.items);
    const auto split = split_for_energy(vector.items, vector.workers, vector.after_seconds,
                                        vector.deadline_seconds);
    REQUIRE(split);
    CHECK(split->joules == Approx(vector.best.joules).epsilon(1e-12));
    CHECK(split->seconds == Approx(vector.best.seconds).epsilon(1e-12));
    CHECK(split->items == vector.best.items);
  }
}

TEST_CASE("the best number of tasks is as in the vectors", "[grains]") {
  const auto vectors = granularity_vectors();
  REQUIRE(vectors.size() == 25);
  for (const GranularityVector& vector : vectors) {
    const Grains best = best_grains(vector.costs);
    CHECK(best.tasks == vector.best.tasks);
    CHECK(best.seconds == vector.best.seconds);
    const std::int64_t one_each = std::min(vector.costs.workers, vector.costs.units);
    CHECK(seconds_of(vector.costs, one_each) == vector.seconds_of_one_each);
    CHECK(seconds_of(vector.costs, vector.costs.units) == vector.seconds_of_units);
  }
}

TEST_CASE("three kinds of cores get 13, 14 and 22 of 256 tasks, not 18 each", "[grains]") {
  std::vector<SplitWorker> cores;
  for (int i = 0; i < 4; ++i) cores.push_back({0, 0.102, 256});
  for (int i = 0; i < 8; ++i) cores.push_back({0, 0.065, 256});
  for (int i = 0; i < 2; ++i) cores.push_back({0, 0.107, 256});
  const auto split = split_for_time(256, cores);
  REQUIRE(split);
  CHECK(split->seconds == Approx(1.43));
  CHECK(*std::max_element(split->items.begin(), split->items.begin() + 4) == 14);
  CHECK(*std::max_element(split->items.begin() + 4, split->items.begin() + 12) == 22);
  CHECK(*std::max_element(split->items.begin() + 12, split->items.end()) == 13);
  CHECK(split->seconds < 0.75 * 18 * 0.107);
}

TEST_CASE("workers that cannot take everything have no split, and nothing is split at no cost",
          "[grains]") {
  const std::vector<SplitWorker> one{{1, 2, 3, 5, 1}};
  CHECK_FALSE(split_for_time(4, one));
  CHECK_FALSE(split_for_energy(4, one));
  CHECK_FALSE(split_for_energy(3, one, 0, 6.9));
  CHECK(split_for_time(0, one)->seconds == 0);
  CHECK(split_for_energy(0, one)->joules == 0);
}

#include "planner/graphs/common_unit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace stint;

TEST_CASE("the common unit of costs is the largest of which all are multiples", "[graph]") {
  CHECK(common_unit({6, 10, 0, 14}, 1e9) == Approx(2));
  CHECK(common_unit({7}, 1e9) == Approx(7));
  CHECK(common_unit({0.1 + 0.2, 0.1, 1e-3}, 1e9) == Approx(1e-3));
  CHECK_FALSE(common_unit({0, 0}, 1e9));
  CHECK_FALSE(common_unit({}, 1e9));
}

TEST_CASE("costs without a unit, or of too many units, have none", "[graph]") {
  CHECK_FALSE(common_unit({1, std::sqrt(2.0)}, 1e9));
  CHECK_FALSE(common_unit({1, 1 + 1e-5}, 1e4));
  CHECK(common_unit({1, 1 + 1e-5}, 1e9) == Approx(1e-5));
  std::mt19937_64 random(1);
  std::vector<double> measured;
  for (int i = 0; i < 100; ++i)
    measured.push_back(std::uniform_real_distribution(0.1, 1.0)(random));
  CHECK_FALSE(common_unit(measured, 1e9));
}

TEST_CASE("seconds in whole microseconds, priced at any watts, are whole in their unit",
          "[graph]") {
  std::mt19937_64 random(2);
  for (const double watts : {1.0, 35.0, 0.3, 217.77}) {
    std::vector<std::int64_t> whole;
    std::vector<double> costs;
    for (int i = 0; i < 1000; ++i) {
      whole.push_back(1 + static_cast<std::int64_t>(random() % 9999));
      costs.push_back(static_cast<double>(whole.back()) * 1e-6 * watts);
    }
    const auto unit = common_unit(costs, 1e9);
    REQUIRE(unit);
    for (std::size_t i = 0; i < costs.size(); ++i) CHECK(whole_part(costs[i] / *unit) == whole[i]);
  }
}

TEST_CASE("only the last digits of a double are rounded up", "[graph]") {
  CHECK(whole_part(4 * (1 - 1e-15)) == 4);
  CHECK(whole_part(4 * (1 - 1e-12)) == 3);
  CHECK(whole_part(-0.5) == -1);
  CHECK(whole_part(0) == 0);
}

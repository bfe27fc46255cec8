// Models that others use, as they define them.
#include "executor/calibrate/known_models.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "files/text_file.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

TEST_CASE("power laws are those that StarPU fits", "[known models]") {
  const auto document =
      nlohmann::json::parse(read_text(bundled("tests/executor/calibrate/power_laws.json")));
  REQUIRE(document["cases"].size() == 10);
  for (const auto& one : document["cases"]) {
    const auto sizes = one["x"].get<std::vector<double>>();
    const PowerLaw law = fit_power_law(sizes, one["y"].get<std::vector<double>>());
    CHECK(law.alpha == Approx(one["alpha"].get<double>()).epsilon(1e-9));
    CHECK(law.beta == Approx(one["beta"].get<double>()).epsilon(1e-9));
    CHECK(law.is_valid == one["valid"].get<bool>());
    CHECK(law.least_size == Approx(one["range_ok"][0].get<double>()));
    CHECK(law.most_size == Approx(one["range_ok"][1].get<double>()));
  }
}

TEST_CASE("a power law says nothing outside its sizes, or of sizes that hardly differ",
          "[known models]") {
  std::vector<double> sizes;
  std::vector<double> seconds;
  for (int i = 1; i <= 10; ++i) {
    sizes.push_back(100 * i);
    seconds.push_back(2.0 * i * i);
  }
  const PowerLaw law = fit_power_law(sizes, seconds);
  REQUIRE(law.at(500).has_value());
  CHECK(*law.at(500) == Approx(50));
  CHECK(law.at(95).has_value());
  CHECK_FALSE(law.at(89).has_value());
  CHECK_FALSE(law.at(1101).has_value());
  CHECK_FALSE(fit_power_law({100, 105}, {1, 2}).at(100).has_value());
  CHECK_FALSE(fit_power_law(std::vector<double>(10, 64), seconds).at(64).has_value());
  CHECK_FALSE(fit_power_law({}, {}).at(1).has_value());
}

TEST_CASE("a history answers with the mean of the nearest size", "[known models]") {
  const History history({100, 100, 1000}, {1, 3, 10});
  CHECK(history.at(100) == Approx(2));
  CHECK(history.at(310) == Approx(2));
  CHECK(history.at(320) == Approx(10));
}

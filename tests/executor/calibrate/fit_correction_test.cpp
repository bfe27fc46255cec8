// Corrections of time models that are known to be wrong in a known way.
#include "executor/calibrate/fit_correction.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "schedules/time_correction.hpp"
#include "tests/executor/calibrate/made_up_machine.hpp"

using namespace stint;

namespace {

const TimeModel model{.terms = {{"bytes", 1e-9}}};

// One task of each of 90 networks, from a thousand to a billion bytes, that takes `factor(bytes)`
// times what the model says.
template <typename Factor>
std::vector<Observation> off_by(const Factor& factor) {
  std::vector<Observation> seen;
  for (std::size_t i = 0; i < 90; ++i) {
    const double bytes = std::pow(10.0, 3 + static_cast<double>(i) / 15);
    seen.push_back({.task = costs(1, bytes), .seconds = factor(bytes) * 1e-9 * bytes, .step = i});
  }
  return seen;
}

double corrected_share(const std::vector<Observation>& seen, double bytes) {
  return correction_factor(costs(1, bytes), fit_correction(seen, model));
}

}  // namespace

TEST_CASE("a correction finds where a model is off, and by how much", "[calibrate]") {
  const auto seen = off_by([](double bytes) { return bytes < 1e6 ? 1.4 : 0.8; });
  CHECK(corrected_share(seen, 2e4) == Approx(1.4).epsilon(0.05));
  CHECK(corrected_share(seen, 5e7) == Approx(0.8).epsilon(0.05));
  CHECK(corrected_share(seen, 1e30) == Approx(1).epsilon(0.05));
}

TEST_CASE("a model that is right, or off at random, is not corrected", "[calibrate]") {
  CHECK(fit_correction(off_by([](double) { return 1.0; }), model).points.empty());
  int turn = 0;
  const auto at_random = off_by([&](double) { return ++turn % 2 == 0 ? 1.2 : 1 / 1.2; });
  CHECK(fit_correction(at_random, model).points.empty());
}

// What one network is off by says nothing of others, however often it is seen.
TEST_CASE("the choice of a correction looks at other networks", "[calibrate]") {
  auto seen = off_by([](double) { return 1.0; });
  for (Observation& one : seen) {
    if (one.step % 9 != 0) continue;
    one.seconds *= 2;
    for (int again = 0; again < 5; ++again) seen.push_back(one);
  }
  for (const double bytes : {1e4, 1e6, 1e8}) CHECK(corrected_share(seen, bytes) < 1.5);
}

TEST_CASE("corrections are few, bounded, and sound in a file", "[calibrate]") {
  const auto seen = off_by([](double bytes) { return bytes < 1e5 ? 20.0 : 0.01; });
  const TimeCorrection correction = fit_correction(seen, model);
  REQUIRE_FALSE(correction.points.empty());
  CHECK(correction.points.size() <= 32);
  for (const auto& point : correction.points) {
    CHECK(point.factor <= 3);
    CHECK(point.factor >= 1.0 / 3);
  }
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  platform.devices[0].time_model["*"].correction = correction;
  CHECK(parse_platform(platform_text(platform), "desk.json") == platform);
}

TEST_CASE("held-out tasks do not move a correction", "[calibrate]") {
  auto seen = off_by([](double bytes) { return bytes < 1e6 ? 1.4 : 0.8; });
  const TimeCorrection correction = fit_correction(seen, model);
  for (int i = 0; i < 30; ++i)
    seen.push_back({.task = costs(1, 1e4), .seconds = 1, .held_out = true, .step = 100});
  CHECK(fit_correction(seen, model) == correction);
}

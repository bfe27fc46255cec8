// Corrections of time models: near what was measured, far from it, and in between.
#include "schedules/time_correction.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "schedules/cost.hpp"

using namespace stint;

namespace {

Task of_bytes(double bytes) {
  Task task;
  task.op = "relu.forward";
  task.bytes_moved = bytes;
  return task;
}

TimeCorrection at_two_sizes() {
  return {.features = {"bytes"},
          .widths = {0.5},
          .caution = 1,
          .points = {{{std::log1p(1e3)}, 4, 1.5}, {{std::log1p(1e6)}, 9, 0.5}}};
}

}  // namespace

TEST_CASE("where tasks were measured, they and the model are heard", "[correction]") {
  CHECK(correction_factor(of_bytes(1e3), at_two_sizes()) == Approx((1 + 4 * 1.5) / 5));
  CHECK(correction_factor(of_bytes(1e6), at_two_sizes()) == Approx((1 + 9 * 0.5) / 10));
}

TEST_CASE("one width away, a point counts as much less as the Gaussian says", "[correction]") {
  const double weight = 4 * std::exp(-0.5);
  const Task one_width_more = of_bytes(std::expm1(std::log1p(1e3) + 0.5));
  CHECK(correction_factor(one_width_more, at_two_sizes()) ==
        Approx((1 + weight * 1.5) / (1 + weight)));
}

TEST_CASE("far from everything that was measured the bare model speaks", "[correction]") {
  for (const double bytes : {0.0, 3e4, 1e12, 1e30})
    CHECK(correction_factor(of_bytes(bytes), at_two_sizes()) == Approx(1).margin(1e-3));
  CHECK(correction_factor(of_bytes(1e3), {}) == 1);
}

TEST_CASE("a corrected time stays between those of the points and the model's", "[correction]") {
  TimeModel model{.terms = {{"bytes", 1.0}}};
  model.correction = at_two_sizes();
  for (double bytes = 1; bytes < 1e9; bytes *= 1.7) {
    CAPTURE(bytes);
    const double seconds = modelled_seconds(of_bytes(bytes), model);
    CHECK(seconds >= 0.5 * bytes);
    CHECK(seconds <= 1.5 * bytes);
  }
}

TEST_CASE("features that a task does not have are 0 to a correction", "[correction]") {
  Task task = of_bytes(1e3);
  const TimeCorrection by_rows{
      .features = {"rows"}, .widths = {1}, .caution = 1, .points = {{{std::log1p(7)}, 1e9, 2}}};
  CHECK(correction_factor(task, by_rows) < 2);
  task.features["rows"] = 7;
  CHECK(correction_factor(task, by_rows) == Approx(2));
}

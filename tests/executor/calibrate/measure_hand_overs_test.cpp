#include "executor/calibrate/measure_hand_overs.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "platforms/cores.hpp"
#include "schedules/waiting.hpp"

using namespace stint;

TEST_CASE("what passing work on takes is measured between two cores", "[hand_overs]") {
  Device alone;
  measure_hand_overs(0, alone);
  CHECK(alone.time_model.empty());
  if (Cores::here().count() < 2) return;
  Device device{.workers = 2};
  measure_hand_overs(0, device);
  Cores::here().pin_this_thread_to_all();
  CHECK(hand_over_seconds(device, Wait::spin) > 0);
  CHECK(hand_over_seconds(device, Wait::sleep) > 0);
  REQUIRE(device.time_model.at(hand_over_prices).terms.size() == 4);
  for (const auto& [term, price] : device.time_model.at(hand_over_prices).terms) {
    CHECK(price.basis == Basis::measured);
    CHECK(std::isfinite(price.value));
    CHECK(price.value >= 0);
  }
}

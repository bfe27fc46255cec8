// Watts, from windows in which a test says what was drawn.
#include <catch2/catch.hpp>

#include "executor/calibrate/fit_power.hpp"
#include "executor/calibrate/measure_power.hpp"

using namespace stint;

TEST_CASE("watts follow from windows in which they were drawn", "[power]") {
  const PowerPrices truth{.idle_watts = 8,
                          .active_watts = 5,
                          .wait_watts = 2,
                          .busy_watts = {{"conv", 7}, {"gemm", 9}}};
  std::vector<PowerWindow> windows = {{.seconds = 2}, {.seconds = 2, .spinning_seconds = 8}};
  for (const char* name : {"conv", "gemm"}) {
    for (const double workers : {1, 4})
      windows.push_back({.seconds = 2, .active_seconds = 2, .busy_seconds = {{name, 2 * workers}}});
  }
  for (PowerWindow& window : windows) window.joules = joules_of(window, truth);
  const PowerPrices fitted = fit_power(windows);
  CHECK(fitted.idle_watts == Approx(8));
  CHECK(fitted.active_watts == Approx(5));
  CHECK(fitted.wait_watts == Approx(2));
  CHECK(fitted.busy_watts.at("conv") == Approx(7));
  CHECK(fitted.busy_watts.at("gemm") == Approx(9));
}

TEST_CASE("a counter that fails leaves the prices as they were", "[power]") {
  class Broken : public EnergyCounter {
    std::uint64_t read() override { throw CounterFault("broken"); }
  };
  std::vector<EnergyDomain> domains(1);
  domains[0].name = "package-0";
  domains[0].counter = std::make_unique<Broken>();
  EnergyMeter meter(std::move(domains));
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  platform.devices[0].workers = 1;
  const Platform before = platform;
  const std::atomic<bool> never{false};
  CHECK_FALSE(measure_power(PowerLoads({}), 0.01, "measured:fake", meter, never, platform));
  CHECK(platform == before);
}

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

// Passes over blocks: the faster, the nearer their bytes.
TEST_CASE("joules of bytes follow from blocks that stay in one cache or in none", "[power]") {
  const PowerPrices truth{.idle_watts = 8,
                          .active_watts = 5,
                          .busy_watts = {{"", 6}, {"gemm", 9}},
                          .joules_per_byte = {{1, 0}, {2, 2e-11}, {3, 1e-10}}};
  std::vector<PowerWindow> windows = {{.seconds = 2}};
  for (const double workers : {1, 4}) {
    const auto busy = [&](const char* name, std::map<int, double> bytes_per_second) {
      PowerWindow window{.seconds = 2, .active_seconds = 2, .busy_seconds = {{name, 2 * workers}}};
      for (const auto& [level, bytes] : bytes_per_second)
        window.missed_bytes[level] = 2 * workers * bytes;
      windows.push_back(window);
    };
    busy("", {{1, 0}, {2, 0}, {3, 0}});
    busy("", {{1, 6e10}, {2, 0}, {3, 0}});
    busy("", {{1, 4e10}, {2, 4e10}, {3, 0}});
    busy("", {{1, 1e10}, {2, 1e10}, {3, 1e10}});
    busy("gemm", {{1, 2e9}, {2, 1e9}, {3, 1e8}});
  }
  for (PowerWindow& window : windows) window.joules = joules_of(window, truth);
  const PowerPrices fitted = fit_power(windows);
  CHECK(fitted.joules_per_byte.at(1) == 0);
  CHECK(fitted.joules_per_byte.at(2) == Approx(2e-11));
  CHECK(fitted.joules_per_byte.at(3) == Approx(1e-10));
  CHECK(fitted.busy_watts.at("gemm") == Approx(9));
  CHECK(fitted.busy_watts.at("") == Approx(6));
  // What no window would notice is noise.
  for (PowerWindow& window : windows) {
    window.joules = joules_of(window, {8, 5, 0, truth.busy_watts, {{3, 1e-12}}});
  }
  CHECK(fit_power(windows).joules_per_byte == std::map<int, double>{{1, 0}, {2, 0}, {3, 0}});
}

TEST_CASE("without counters only bytes beyond the outermost cache cost joules, assumed",
          "[power]") {
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  platform.devices[0].caches = {{1, 1 << 15, 1}, {3, 1 << 25, 8}, {2, 1 << 20, 1}};
  assume_joules_beyond_caches(platform);
  CHECK(platform.devices[0].caches[0].joules_per_byte.value == 0);
  CHECK(platform.devices[0].caches[1].joules_per_byte.value == 6e-11);
  CHECK(platform.devices[0].caches[1].joules_per_byte.basis == Basis::assumed);
  CHECK(platform.devices[0].caches[2].joules_per_byte.value == 0);
  CHECK_NOTHROW(check(platform));
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

// Watts, from counters that draw what a test says.
#include <time.h>

#include <catch2/catch.hpp>

#include "executor/calibrate/designed_networks.hpp"
#include "executor/calibrate/fit_power.hpp"
#include "executor/calibrate/measure_power.hpp"

using namespace stint;

namespace {

// Draws `idle` watts all the time, and `busy` more for every second of this process on a core.
class DrawingCounter : public EnergyCounter {
 public:
  DrawingCounter(double idle, double busy) : idle_(idle), busy_(busy) {}

  std::uint64_t read() override {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    const double busy_seconds =
        static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    return static_cast<std::uint64_t>(1e6 * (idle_ * steady_seconds() + busy_ * busy_seconds));
  }

 private:
  double idle_;
  double busy_;
};

EnergyMeter meter_drawing(double idle, double busy) {
  std::vector<EnergyDomain> domains(1);
  domains[0].name = "package-0";
  domains[0].counter = std::make_unique<DrawingCounter>(idle, busy);
  return EnergyMeter(std::move(domains));
}

PowerLoads small_loads() {
  std::vector<LoweredNetwork> lowered;
  for (const auto& [network, lowering] :
       designed_networks({.networks = 1, .most_flops = 1e6, .most_bytes = 1 << 18}, 1))
    lowered.push_back(lower_with_kernels(network, lowering));
  return PowerLoads(std::move(lowered));
}

}  // namespace

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

#ifdef STINT_TEST_ONEDNN
TEST_CASE("a machine is priced by what its counters draw, at rest and busy", "[power]") {
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  platform.devices[0].workers = 2;
  EnergyMeter meter = meter_drawing(10, 5);
  const PowerLoads loads = small_loads();
  for (const char* name : {"gemm", "conv", "elementwise", "reduction"})
    CHECK(loads.by_class().contains(name));
  REQUIRE(measure_power(loads, 0.1, "measured:fake", meter, platform));
  const Device& device = platform.devices[0];
  CHECK(device.idle_watts.value == Approx(10).epsilon(0.1));
  CHECK(device.idle_watts.basis == Basis::measured);
  // A worker's own watts, and what is drawn while any is busy, are apart only as far as one worker
  // differs from two: here by nothing.
  const PowerState& state = device.states.front();
  for (const auto& [name, watts] : state.busy_watts_by_class) {
    CAPTURE(name);
    CHECK(watts.value == Approx(5).epsilon(0.3));
  }
  CHECK(device.active_watts.value < 2);
  CHECK_NOTHROW(check(platform));
}
#endif

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
  CHECK_FALSE(measure_power(PowerLoads({}), 0.01, "measured:fake", meter, platform));
  CHECK(platform == before);
}

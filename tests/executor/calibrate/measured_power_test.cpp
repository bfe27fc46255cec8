// Watts, from counters that draw what a test says, while kernels run.
#include <time.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "executor/calibrate/designed_networks.hpp"
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

TEST_CASE("a machine is priced by what its counters draw, at rest and busy", "[power]") {
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  platform.devices[0].workers = 2;
  platform.devices[0].caches = {{1, 1 << 15, 1}, {2, 1 << 20, 2}};
  Device gpu = platform.devices[0];
  gpu.name = "gpu";
  gpu.kind = "cuda";
  platform.devices.push_back(gpu);
  EnergyMeter meter = meter_drawing(10, 5);
  const PowerLoads loads = small_loads();
  for (const char* name : {"gemm", "conv", "elementwise", "reduction"})
    CHECK(loads.by_class().contains(name));
  const std::atomic<bool> never{false};
  REQUIRE(measure_power(loads, 0.1, "measured:fake", meter, never, platform));
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
  // The counter draws nothing for bytes, but two clocks may differ a little.
  for (const Cache& cache : device.caches) {
    CHECK(cache.joules_per_byte.basis == Basis::measured);
    CHECK(cache.joules_per_byte.value < 1e-10);
  }
  CHECK(platform.devices[1].idle_watts == gpu.idle_watts);  // no core's counter tells of it
  CHECK_NOTHROW(check(platform));
}

TEST_CASE("an interruption ends a window of power at once, and nothing is priced", "[power]") {
  class Interrupting : public EnergyCounter {
   public:
    explicit Interrupting(std::atomic<bool>& interrupted) : interrupted_(interrupted) {}
    std::uint64_t read() override {
      interrupted_ = true;
      return ++microjoules_;
    }

   private:
    std::atomic<bool>& interrupted_;
    std::uint64_t microjoules_ = 0;
  };
  std::atomic<bool> interrupted{false};
  std::vector<EnergyDomain> domains(1);
  domains[0].name = "package-0";
  domains[0].counter = std::make_unique<Interrupting>(interrupted);
  EnergyMeter meter(std::move(domains));
  Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/desk.json");
  const Platform before = platform;
  constexpr double days = 3e5;
  CHECK_FALSE(measure_power(PowerLoads({}), days, "measured:fake", meter, interrupted, platform));
  CHECK(platform == before);
}

#include "platforms/meters/energy_meter.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace stint;

namespace {

// What it shows, and how often it was read.
struct Shown {
  std::atomic<std::uint64_t> units{0};
  std::atomic<int> readings{0};

  void wait_for_readings(int count) const {
    for (const int until = readings + count; readings < until;) std::this_thread::yield();
  }
};

struct SharedCounter : EnergyCounter {
  explicit SharedCounter(Shown& what) : shown(what) {}
  std::uint64_t read() override {
    const std::uint64_t units = shown.units;
    ++shown.readings;
    return units;
  }
  Shown& shown;
};

}  // namespace

TEST_CASE("a thread follows every turn of a counter by itself", "[meters]") {
  constexpr std::uint64_t modulus = 4'000'000;  // 4 J
  Shown shown;
  std::vector<EnergyDomain> domains(1);
  domains[0].name = "package-0";
  domains[0].modulus = modulus;
  domains[0].counter = std::make_unique<SharedCounter>(shown);
  EnergyMeter meter(std::move(domains));
  meter.begin_window();
  for (int i = 0; i < 50; ++i) {
    shown.units = (shown.units + 1'000'000) % modulus;
    shown.wait_for_readings(2);  // one may have begun before
  }
  CHECK(meter.end_window().domains[0].joules.value() == Approx(50));
}

TEST_CASE("a meter without domains measures nothing", "[meters]") {
  EnergyMeter meter({});
  meter.begin_window();
  CHECK(meter.end_window().domains.empty());
  CHECK(meter.total().windows == 1);
}

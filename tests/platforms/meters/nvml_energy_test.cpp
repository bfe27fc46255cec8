#include "platforms/meters/nvml_energy.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "platforms/meters/choose_meter.hpp"
#include "tests/support/fake_gpus.hpp"

using namespace stint;

TEST_CASE("without the library there is no GPU to measure", "[meters]") {
  CHECK_THAT(nvml_source("libnothing-of-this-name.so").why_none, Catch::Contains("be loaded"));
}

TEST_CASE("a library without a driver is no meter", "[meters]") {
  const FakeGpus gpus;
  CHECK_THAT(nvml_source(FakeGpus::library()).why_none, Catch::Contains("nvmlInit_v2"));
}

TEST_CASE("the counter of a GPU is read in millijoules", "[meters]") {
  const FakeGpus gpus;
  gpus.set("gpus", 2);
  gpus.set("energy-0", 5'000'000);
  gpus.set("energy-1", 7'000'000);
  EnergySource source = nvml_source(FakeGpus::library());
  REQUIRE(source.domains.size() == 2);
  EnergyMeter meter(std::move(source.domains), steady_seconds, EnergyMeter::Sampling::by_hand);
  meter.begin_window();
  gpus.set("energy-1", 7'012'345);
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(reading.domains[0].joules);
  CHECK(reading.domains[1].joules.value() == Approx(12.345));
}

TEST_CASE("without a counter power is sampled, and said to be", "[meters]") {
  const FakeGpus gpus;
  gpus.set("gpus", 1);
  gpus.set("power-0", 200'000);
  double seconds = 10;
  const auto now = [&] { return seconds; };
  EnergySource source = nvml_source(FakeGpus::library(), now);
  REQUIRE(source.domains.size() == 1);
  CHECK(source.domains[0].remark == "power sampled every 20 ms");
  EnergyMeter meter(std::move(source.domains), now, EnergyMeter::Sampling::by_hand);
  meter.begin_window();
  seconds += 1;
  meter.sample();
  gpus.set("power-0", 100'000);
  seconds += 1;
  CHECK(meter.end_window().domains[0].joules.value() == Approx(350));  // 200 W, then 150 W
}

TEST_CASE("a GPU that tells neither energy nor power says why", "[meters]") {
  const FakeGpus gpus;
  gpus.set("gpus", 1);
  const EnergySource source = nvml_source(FakeGpus::library());
  CHECK_FALSE(source.domains.at(0).counter);
  CHECK_THAT(source.domains.at(0).why_not, Catch::Contains("Not Supported"));
}

TEST_CASE("a counter that ends in the middle of a run has no joules", "[meters]") {
  const FakeGpus gpus;
  gpus.set("gpus", 1);
  gpus.set("energy-0", 1000);
  EnergySource source = nvml_source(FakeGpus::library());
  EnergyMeter meter(std::move(source.domains), steady_seconds, EnergyMeter::Sampling::by_hand);
  meter.begin_window();
  gpus.remove("energy-0");
  CHECK_THAT(meter.end_window().domains[0].why_not, Catch::Contains("Not Supported"));
}

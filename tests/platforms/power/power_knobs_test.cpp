// Which power states can be set, on trees and GPUs of the test's own.
#include "platforms/power/power_knobs.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "tests/support/fake_cpufreq.hpp"
#include "tests/support/fake_gpus.hpp"
#include "tests/support/fake_powercap.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("what can be set is found by setting it, and put back", "[power_knobs]") {
  const FakeCpufreq cpufreq;
  FakePowercap powercap;
  powercap.add_zone("intel-rapl:0", "package-0");
  const std::string limit = powercap.root() + "/intel-rapl:0/constraint_0_power_limit_uw";
  std::ofstream(limit) << "150000000";
  const FakeGpus gpus;
  gpus.set("gpus", 1);
  gpus.set("limit-0", 300'000);
  const TemporaryFolder folder;
  const PowerPlaces places{cpufreq.root(), powercap.root(), FakeGpus::library()};
  const auto knobs = power_knobs(PowerControl(places), folder.path("power"));
  REQUIRE(knobs.size() == 3);
  for (const PowerKnob& knob : knobs) {
    CAPTURE(knob.unit, knob.quantity, knob.why_not);
    CHECK(knob.can_be_set);
  }
  CHECK(knobs[0].range == "800MHz to 3000MHz");
  CHECK(knobs[1].range == "150W now");
  CHECK(knobs[2].unit == "gpu-0");
  CHECK(knobs[2].range == "300W now");
  CHECK(cpufreq.range(0) == "900000-3000000");
  CHECK(SystemFiles::real().read(limit) == "150000000");
  CHECK(gpus.get("limit-0") == "300000");
  CHECK(folder.names().empty());
}

TEST_CASE("what cannot be set says why, and what to type", "[power_knobs]") {
  const FakeCpufreq cpufreq;
  const TemporaryFolder folder;
  const RefusingFiles files;
  const PowerControl control({cpufreq.root(), "nowhere", "nothing"}, files);
  const auto knobs = power_knobs(control, folder.path("power"));
  REQUIRE(knobs.size() == 2);
  CHECK_FALSE(knobs[0].can_be_set);
  CHECK(knobs[0].range == "800MHz to 3000MHz");
  CHECK_THAT(knobs[0].why_not, Contains("Permission denied"));
  CHECK_THAT(knobs[0].to_type, Contains("sudo chmod a+w"));
  CHECK_FALSE(knobs[1].can_be_set);
  CHECK_THAT(knobs[1].why_not, Contains("nowhere has no package"));
}

#include "platforms/meters/choose_meter.hpp"

#include <catch2/catch.hpp>

#include "tests/support/fake_gpus.hpp"
#include "tests/support/fake_powercap.hpp"

using namespace stint;

namespace {

// Whose package draws 50 W while it is probed.
struct OnePackage {
  FakePowercap tree;
  double seconds = 0;
  MeterPlaces places;
  Probing probing;

  OnePackage() {
    tree.add_zone("intel-rapl:0", "package-0");
    tree.add_zone("intel-rapl:1", "psys");
    places = {.powercap = tree.root(), .perf = "nowhere", .nvml = FakeGpus::library()};
    probing.work = [this] {
      seconds += 0.1;
      tree.consume("intel-rapl:0", 5);
    };
    probing.now = [this] { return seconds; };
  }
};

}  // namespace

TEST_CASE("a meter has a name, and others are none", "[meters]") {
  CHECK(meter_kind("auto") == MeterKind::automatic);
  CHECK(meter_kind("nvml") == MeterKind::nvml);
  CHECK_FALSE(meter_kind("sundial"));
}

TEST_CASE("automatic takes the processors' counters, and those of GPUs if the plan has any",
          "[meters]") {
  OnePackage machine;
  const FakeGpus gpus;
  gpus.set("gpus", 1);
  gpus.set("power-0", 30'000);
  const ChosenMeter without =
      choose_meter(MeterKind::automatic, false, machine.places, machine.probing);
  CHECK(without.basis == "measured:fake");
  CHECK(without.domains == std::vector<std::string>{"package-0"});
  CHECK(without.why_not_better.empty());
  const ChosenMeter with =
      choose_meter(MeterKind::automatic, true, machine.places, {.work = machine.probing.work});
  CHECK(with.domains == std::vector<std::string>{"package-0", "gpu-0"});
  CHECK(with.remarks == std::vector<std::string>{"gpu-0: power sampled every 20 ms"});
}

TEST_CASE("where nothing can be measured every reason is given", "[meters]") {
  const MeterPlaces places{.powercap = "no-tree", .perf = "no-events", .nvml = "no-library"};
  const ChosenMeter none = choose_meter(MeterKind::automatic, true, places);
  CHECK_FALSE(none.meter);
  CHECK(none.basis.empty());
  CHECK(none.why_not_better ==
        "powercap: no-tree is absent or empty; perf: no-events is absent; "
        "nvml: no-library cannot be loaded");
  CHECK(choose_meter(MeterKind::perf, false, places).why_not_better == "perf: no-events is absent");
}

TEST_CASE("a tree with psys alone measures nothing that may be added", "[meters]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "psys");
  const ChosenMeter none =
      choose_meter(MeterKind::powercap, false, {.powercap = tree.root()}, {.work = [] {}});
  CHECK_FALSE(none.meter);
  CHECK(none.why_not_better == "powercap: only domains that are never added");
}

TEST_CASE("a domain that fails its probe is left out, and said to be", "[meters]") {
  OnePackage machine;
  machine.tree.add_zone("intel-rapl:0:0", "dram");
  const ChosenMeter meter =
      choose_meter(MeterKind::powercap, false, machine.places, machine.probing);
  CHECK(meter.domains == std::vector<std::string>{"package-0"});
  CHECK_THAT(meter.why_not_better, Catch::StartsWith("dram: stands still"));
}

TEST_CASE("people are told of all sources, psys included", "[meters]") {
  OnePackage machine;
  const auto sources = all_energy_sources(machine.places, machine.probing);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].domains.size() == 2);
  CHECK(sources[0].domains[0].probed_watts > 0);
  CHECK_FALSE(sources[1].why_none.empty());
}

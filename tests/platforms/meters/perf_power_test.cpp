#include "platforms/meters/perf_power.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <map>

#include "platforms/meters/probe.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// Counts by (configuration, processor); a descriptor is both in one.
struct FakeEvents : PerfEvents {
  mutable std::map<int, std::uint64_t> units;
  int refusal = 0;  // an errno
  int open(std::uint32_t type, std::uint64_t config, int cpu) const override {
    if (refusal != 0 || type != 9) return -(refusal != 0 ? refusal : EINVAL);
    return static_cast<int>(config) * 100 + cpu;
  }
  std::optional<std::uint64_t> read(int descriptor) const override { return units[descriptor]; }
  void close(int) const override {}
};

class FakeTree {
 public:
  FakeTree() {
    std::filesystem::create_directories(folder_.path("events"));
    folder_.file("type", "9\n");
    folder_.file("cpumask", "0,18\n");
  }
  void add_event(const std::string& name, const std::string& code) const {
    folder_.file("events/" + name, code + "\n");
    folder_.file("events/" + name + ".scale", "2.3283064365386962890625e-10\n");
    folder_.file("events/" + name + ".unit", "Joules\n");
  }
  std::string root() const { return folder_.path(""); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a power unit without events is no counter", "[meters]") {
  const FakeTree tree;
  const EnergySource source = perf_power_source(tree.root(), SystemFiles::real(), FakeEvents{});
  CHECK(source.domains.empty());
  CHECK_THAT(source.why_none, Catch::Contains("0 events"));
  CHECK_THAT(perf_power_source("nowhere").why_none, Catch::Contains("absent"));
}

TEST_CASE("every event counts on one processor of every package", "[meters]") {
  const FakeTree tree;
  tree.add_event("energy-pkg", "event=0x02");
  tree.add_event("energy-ram", "event=0x03");
  tree.add_event("energy-psys", "event=0x05");
  const FakeEvents events;
  EnergySource source = perf_power_source(tree.root(), SystemFiles::real(), events);
  std::vector<std::string> names;
  for (const EnergyDomain& domain : source.domains) {
    if (domain.is_added()) names.push_back(domain.name);
  }
  CHECK(names == std::vector<std::string>{"package-0", "package-1", "dram-0", "dram-1"});
  EnergyMeter meter(std::move(source.domains), steady_seconds, EnergyMeter::Sampling::by_hand);
  meter.begin_window();
  events.units[218] += std::uint64_t{5} << 32U;  // 5 J
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(reading.domains[0].joules);
  CHECK(reading.domains[1].joules.value() == Approx(5));
}

TEST_CASE("events that may not be opened are told, with what to type", "[meters]") {
  const FakeTree tree;
  tree.add_event("energy-pkg", "event=0x02");
  FakeEvents events;
  events.refusal = EACCES;
  const EnergySource source = perf_power_source(tree.root(), SystemFiles::real(), events);
  REQUIRE(source.domains.size() == 2);
  CHECK_THAT(source.domains[0].why_not, Catch::Contains("Permission denied"));
  CHECK_THAT(source.to_type, Catch::Contains("perf_event_paranoid"));
}

TEST_CASE("an event whose description is not understood is no counter", "[meters]") {
  const FakeTree tree;
  tree.add_event("energy-pkg", "event=2");
  CHECK_FALSE(perf_power_source(tree.root(), SystemFiles::real(), FakeEvents{}).domains[0].counter);
  tree.add_event("energy-pkg", "event=0x02");
  tree.folder().file("events/energy-pkg.unit", "furlongs");
  CHECK_FALSE(perf_power_source(tree.root(), SystemFiles::real(), FakeEvents{}).domains[0].counter);
  tree.add_event("energy-pkg", "event=0x02");
  tree.folder().file("cpumask", "0-x");
  CHECK(perf_power_source(tree.root(), SystemFiles::real(), FakeEvents{}).domains.empty());
}

TEST_CASE("the system's own events are opened and read", "[meters]") {
  // The clock of a processor in nanoseconds stands in for a counter of one watt.
  const FakeTree tree;
  tree.folder().file("type", "1");
  tree.folder().file("cpumask", "0");
  tree.add_event("energy-pkg", "event=0x00");
  tree.folder().file("events/energy-pkg.scale", "1e-9");
  EnergySource source = perf_power_source(tree.root());
  REQUIRE(source.domains.size() == 1);
  if (!source.domains[0].counter) return;  // not permitted here
  probe(source.domains);
  CHECK(source.domains[0].probed_watts == Approx(1).epsilon(0.5));
}

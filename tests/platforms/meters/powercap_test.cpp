// The production reader on fake trees: what is added, what is not, and joules near the truth.
#include "platforms/meters/powercap.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "platforms/meters/energy_meter.hpp"
#include "platforms/meters/probe.hpp"
#include "tests/support/fake_powercap.hpp"

using namespace stint;

namespace {

// A machine whose counters and clock go on when the test says so.
struct MeteredMachine {
  FakePowercap tree;
  double seconds = 100;
  std::map<std::string, double> watts;  // by zone

  void pass(double some_seconds) {
    seconds += some_seconds;
    for (const auto& [zone, power] : watts) tree.consume(zone, power * some_seconds);
  }
  Probing probing() {
    return {.work = [this] { pass(0.1); }, .now = [this] { return seconds; }};
  }
  std::vector<EnergyDomain> probed() {
    EnergySource source = powercap_source(tree.root());
    probe(source.domains, probing());
    return std::move(source.domains);
  }
  EnergyMeter meter() {
    return EnergyMeter(
        probed(), [this] { return seconds; }, EnergyMeter::Sampling::by_hand);
  }
};

// Root reads everything, so a refusal is made here.
struct UnreadableCounters : SystemFiles {
  std::string read(const std::string& path) const override {
    if (path.ends_with("energy_uj") && !path.ends_with("range_uj")) {
      throw SystemFileError(path, EACCES);
    }
    return SystemFiles::read(path);
  }
};

std::map<std::string, std::string> added(const std::vector<EnergyDomain>& domains) {
  std::map<std::string, std::string> names;
  for (const EnergyDomain& domain : domains) {
    if (domain.is_added()) names[domain.name] = domain.why_not;
  }
  return names;
}

const DomainReading& named(const EnergyReading& reading, const std::string& name) {
  for (const DomainReading& domain : reading.domains) {
    if (domain.name == name) return domain;
  }
  throw std::runtime_error("no domain " + name);
}

struct OnePackage : MeteredMachine {
  explicit OnePackage(double power) {
    tree.add_zone("intel-rapl:0", "package-0");
    watts = {{"intel-rapl:0", power}};
  }
};

}  // namespace

TEST_CASE("packages and dram are added, parts of packages and psys are not", "[meters]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  tree.add_zone("intel-rapl:0:0", "core");
  tree.add_zone("intel-rapl:0:1", "uncore");
  tree.add_zone("intel-rapl:0:2", "dram");
  tree.add_zone("intel-rapl:1", "psys");
  const EnergySource source = powercap_source(tree.root());
  CHECK(source.domains.size() == 5);
  CHECK(added(source.domains) ==
        std::map<std::string, std::string>{{"package-0", ""}, {"dram", ""}});
}

TEST_CASE("two packages with dies and dram of their own have names of their own", "[meters]") {
  FakePowercap tree;
  for (const std::string package : {"0", "1"}) {
    tree.add_zone("intel-rapl:" + package, "package-" + package + "-die-0");
    tree.add_zone("intel-rapl:" + package + ":0", "dram");
  }
  tree.add_zone("intel-rapl:2", "package-1-die-1");
  CHECK(added(powercap_source(tree.root()).domains) ==
        std::map<std::string, std::string>{{"package-0-die-0", ""},
                                           {"package-0-die-0/dram", ""},
                                           {"package-1-die-0", ""},
                                           {"package-1-die-0/dram", ""},
                                           {"package-1-die-1", ""}});
}

TEST_CASE("the same silicon by another way is dropped, unless it is the only way", "[meters]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl-mmio:0", "package-0");
  tree.add_zone("intel-rapl-mmio:0:0", "dram");
  CHECK(powercap_source(tree.root()).domains.size() == 2);
  tree.add_zone("intel-rapl:0", "package-0");
  tree.add_zone("intel-rapl:0:0", "dram");
  CHECK(powercap_source(tree.root()).domains.size() == 2);
}

TEST_CASE("zones that stand inside each other are found once", "[meters]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl/intel-rapl:0", "package-0");
  tree.add_zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram");
  tree.add_zone("intel-rapl:0", "package-0");
  CHECK(added(powercap_source(tree.root()).domains) ==
        std::map<std::string, std::string>{{"package-0", ""}, {"dram", ""}});
}

TEST_CASE("no tree is no counter, and the reason says so", "[meters]") {
  const TemporaryFolder folder;
  CHECK(powercap_source(folder.path("nothing")).why_none ==
        folder.path("nothing") + " is absent or empty");
  std::filesystem::create_directories(folder.path("dtpm"));
  CHECK_THAT(powercap_source(folder.path("")).why_none, Catch::Contains("no zone"));
}

TEST_CASE("a counter that may not be read is told, with what to type", "[meters]") {
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  const UnreadableCounters files;
  const EnergySource source = powercap_source(tree.root(), files);
  REQUIRE(source.domains.size() == 1);
  CHECK_FALSE(source.domains[0].counter);
  CHECK_THAT(source.domains[0].why_not, Catch::Contains("Permission denied"));
  CHECK_THAT(source.to_type, Catch::StartsWith("sudo chmod"));
}

TEST_CASE("joules are true over many turns of every counter", "[meters]") {
  MeteredMachine machine;
  machine.tree.add_zone("intel-rapl:0", "package-0", 50'000'000, 49'000'000);
  machine.tree.add_zone("intel-rapl:1", "package-1", 262'143'328'850, 262'143'000'000);
  machine.tree.add_zone("intel-rapl:0:0", "dram", 7'000'000, 3);
  machine.watts = {{"intel-rapl:0", 90}, {"intel-rapl:1", 110}, {"intel-rapl:0:0", 12.5}};
  EnergyMeter meter = machine.meter();
  meter.begin_window();
  for (int i = 0; i < 4000; ++i) {
    machine.pass(0.005);
    if (i % 4 == 0) meter.sample();
  }
  const EnergyReading reading = meter.end_window();
  CHECK(reading.seconds == Approx(20));
  CHECK(named(reading, "package-0").joules.value() == Approx(1800).epsilon(1e-4));  // 36 turns
  CHECK(named(reading, "package-1").joules.value() == Approx(2200).epsilon(1e-4));
  CHECK(named(reading, "dram").joules.value() == Approx(250).epsilon(1e-4));  // turns alone
}

TEST_CASE("what passes between windows is not counted", "[meters]") {
  OnePackage machine(50);
  EnergyMeter meter = machine.meter();
  for (int step = 0; step < 10; ++step) {
    meter.begin_window();
    machine.pass(0.2);
    CHECK(meter.end_window().domains[0].joules.value() == Approx(10));
    machine.pass(0.7);
  }
  const EnergyReading total = meter.total();
  CHECK(total.windows == 10);
  CHECK(total.seconds == Approx(2));
  CHECK(total.domains[0].joules.value() == Approx(100));
}

TEST_CASE("a counter that vanishes has no joules from then on, the others have", "[meters]") {
  OnePackage machine(50);
  machine.tree.add_zone("intel-rapl:1", "package-1");
  machine.watts["intel-rapl:1"] = 40;
  EnergyMeter meter = machine.meter();
  meter.begin_window();
  machine.pass(1);
  machine.watts.erase("intel-rapl:0");
  machine.tree.remove_counter("intel-rapl:0");
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(named(reading, "package-0").joules);
  CHECK_THAT(named(reading, "package-0").why_not, Catch::Contains("No such file"));
  CHECK(named(reading, "package-1").joules.value() == Approx(40));
}

TEST_CASE("a counter that goes backwards is a fault, not a turn and not a negative number",
          "[meters]") {
  OnePackage machine(50);
  EnergyMeter meter = machine.meter();
  meter.begin_window();
  machine.pass(1);
  meter.sample();
  machine.tree.set("intel-rapl:0", "1000");
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(reading.domains[0].joules);
  CHECK_THAT(reading.domains[0].why_not, Catch::Contains("went backwards"));
}

TEST_CASE("a counter that stops is never a silent zero", "[meters]") {
  OnePackage machine(50);
  EnergyMeter meter = machine.meter();
  machine.watts.clear();
  meter.begin_window();
  machine.pass(1);
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(reading.domains[0].joules);
  CHECK(reading.domains[0].why_not == "did not move in 1 s");
}

TEST_CASE("readings too far apart to notice a turn are a fault", "[meters]") {
  MeteredMachine machine;
  machine.tree.add_zone("intel-rapl:0", "package-0", 50'000'000);
  machine.watts = {{"intel-rapl:0", 50}};
  EnergyMeter meter = machine.meter();
  meter.begin_window();
  machine.pass(3);
  const EnergyReading reading = meter.end_window();
  CHECK_FALSE(reading.domains[0].joules);
  CHECK_THAT(reading.domains[0].why_not, Catch::Contains("unnoticed"));
}

TEST_CASE("probing believes only a counter that counts", "[meters]") {
  MeteredMachine machine;
  machine.tree.add_zone("intel-rapl:0", "package-0");
  machine.tree.add_zone("intel-rapl:1", "package-1");
  machine.tree.add_zone("intel-rapl:2", "package-2", 262'143'328'850, 0);
  machine.tree.add_zone("intel-rapl:3", "package-3");
  machine.tree.add_zone("intel-rapl:4", "package-4");
  machine.watts = {{"intel-rapl:0", 35}, {"intel-rapl:3", 90'000}};
  machine.tree.set("intel-rapl:4", "nothing");
  const auto why = added(machine.probed());
  CHECK(why.at("package-0").empty());
  CHECK_THAT(why.at("package-1"), Catch::StartsWith("stands still"));
  CHECK_THAT(why.at("package-2"), Catch::StartsWith("reads 0, as a virtual machine's may"));
  CHECK_THAT(why.at("package-3"), Catch::Contains("more than anything draws"));
  CHECK_THAT(why.at("package-4"), Catch::Contains("no number"));
}

TEST_CASE("probing measures watts, and works no more once all have moved", "[meters]") {
  OnePackage machine(35);
  int rounds = 0;
  EnergySource source = powercap_source(machine.tree.root());
  Probing probing = machine.probing();
  probing.work = [&] {
    machine.pass(0.1);
    ++rounds;
  };
  probe(source.domains, probing);
  CHECK(rounds == 1);
  CHECK(source.domains[0].probed_watts == Approx(35));
  source.domains.clear();
  probe(source.domains, probing);
  CHECK(rounds == 1);
}

TEST_CASE("a value beyond the counter's own range is a fault", "[meters]") {
  MeteredMachine machine;
  machine.tree.add_zone("intel-rapl:0", "package-0", 1000, 5);
  machine.tree.set("intel-rapl:0", "2000");
  CHECK_THAT(added(machine.probed()).at("package-0"), Catch::Contains("beyond its range"));
}

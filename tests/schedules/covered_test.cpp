#include "schedules/covered.hpp"

#include <catch2/catch.hpp>

#include "schedules/simulate.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;

namespace {

DomainReading measured(const std::string& name, DomainKind kind) { return {name, kind, 1.0, ""}; }
DomainReading missing(const std::string& name, DomainKind kind) {
  return {name, kind, std::nullopt, "gone"};
}

JoulesBy joules_on(Schedule schedule, const Platform& part) {
  schedule.platform = part;
  return simulate(schedule).joules_by;
}

// Its memory and links cost something too.
Schedule priced_everywhere() {
  Schedule schedule = training_step();
  double watts = 1;
  for (Memory& memory : schedule.platform.memories) memory.static_watts = watts *= 2;
  for (Link& link : schedule.platform.links) link.active_watts = watts *= 2;
  for (Device& device : schedule.platform.devices) {
    device.active_watts = watts *= 2;
    device.wait_watts = watts *= 2;
    if (device.kind != "cpu") device.kind = "cuda";
    device.caches = {{1, 4, 1, 0.5}, {2, 8, 1, 0.25}};
  }
  return schedule;
}

const DomainReading package = measured("package-0", DomainKind::package);
const DomainReading dram = measured("dram", DomainKind::dram);
const DomainReading gpu = measured("gpu-0", DomainKind::gpu);

}  // namespace

TEST_CASE("what is covered and what is not add up to everything, term by term", "[covered]") {
  const Schedule schedule = priced_everywhere();
  const JoulesBy all = simulate(schedule).joules_by;
  for (const std::vector<DomainReading>& domains : std::vector<std::vector<DomainReading>>{
           {}, {package}, {package, dram}, {gpu}, {package, dram, gpu}}) {
    const PlatformParts parts = split_by_coverage(schedule.platform, domains);
    const JoulesBy seen = joules_on(schedule, parts.covered);
    const JoulesBy rest = joules_on(schedule, parts.uncovered);
    CHECK(seen.compute + rest.compute == Approx(all.compute).epsilon(1e-9));
    CHECK(seen.copy + rest.copy == Approx(all.copy).epsilon(1e-9));
    CHECK(seen.wait + rest.wait == Approx(all.wait).epsilon(1e-9));
    CHECK(seen.active + rest.active == Approx(all.active).epsilon(1e-9));
    CHECK(seen.idle + rest.idle == Approx(all.idle).epsilon(1e-9));
    CHECK(seen.memory + rest.memory == Approx(all.memory).epsilon(1e-9));
    CHECK(seen.base == 0);
    CHECK(seen.total() + rest.total() == Approx(all.total()).epsilon(1e-9));
    CHECK((seen.total() > 0) == !domains.empty());
  }
}

TEST_CASE("packages cover processors, and neither memory, disk nor board", "[covered]") {
  const Schedule schedule = chain_offloaded();
  const JoulesBy seen =
      joules_on(schedule, split_by_coverage(schedule.platform, {package}).covered);
  const JoulesBy all = simulate(schedule).joules_by;
  CHECK(seen.compute == Approx(all.compute));
  CHECK(seen.idle == Approx(all.idle));
  CHECK(seen.copy == 0);
  CHECK(seen.base == 0);
}

TEST_CASE("bytes of memory are seen by counters of memory, or by those that priced them",
          "[covered]") {
  Platform platform = course_machine();
  Device& device = platform.devices[0];
  device.caches = {{1, 1, 1, 2.0}, {2, 2, 1, 3.0}};
  const auto seen = [&](const std::vector<DomainReading>& domains) {
    std::vector<double> joules;
    for (const Cache& cache : split_by_coverage(platform, domains).covered.devices[0].caches)
      joules.push_back(cache.joules_per_byte);
    return joules;
  };
  CHECK(seen({}) == std::vector<double>{0, 0});
  CHECK(seen({package}) == std::vector<double>{2, 0});
  CHECK(seen({package, dram}) == std::vector<double>{2, 3});
  CHECK(is_compared(platform, {package, dram}, dram));
  device.caches[1].joules_per_byte.basis = Basis::measured;
  CHECK(seen({package}) == std::vector<double>{2, 3});
  device.caches.clear();
  CHECK_FALSE(is_compared(platform, {package, dram}, dram));
}

TEST_CASE("processors are covered only if every package is measured", "[covered]") {
  const Platform platform = course_machine();
  const std::vector<DomainReading> one_missing = {package,
                                                  missing("package-1", DomainKind::package)};
  CHECK(split_by_coverage(platform, one_missing).covered.devices[0].idle_watts.value == 0);
  CHECK_FALSE(is_compared(platform, one_missing, package));
  CHECK(is_compared(platform, {package}, package));
}

TEST_CASE("what the platform does not price is not compared", "[covered]") {
  Platform platform = course_machine();
  CHECK_FALSE(is_compared(platform, {package, dram}, dram));
  CHECK_FALSE(is_compared(platform, {gpu}, gpu));
  platform.memories[0].static_watts = 1;
  CHECK(is_compared(platform, {package, dram}, dram));
  platform.devices[0].kind = "cuda";
  CHECK(is_compared(platform, {gpu}, gpu));
  CHECK_FALSE(is_compared(platform, {gpu}, measured("gpu-1", DomainKind::gpu)));
}

// Latencies and rates of links, from a sweep.
#include "executor/calibrate/measure_links.hpp"

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Platform desk() { return read_platform(STINT_SOURCE_DIR "/platforms/desk.json"); }

const std::vector<std::int64_t> sizes = {4096, 65536, 1 << 20, 16 << 20};

}  // namespace

TEST_CASE("latency and rate of a link follow from its sweep", "[calibrate]") {
  Platform platform = desk();
  REQUIRE(!platform.links.empty());
  const CopyClock clock = [](const Link&, std::int64_t bytes) {
    return 1e-4 + static_cast<double>(bytes) / 2e9;
  };
  measure_links(clock, sizes, platform);
  for (const Link& link : platform.links) {
    CHECK(link.latency_seconds.value == Approx(1e-4));
    CHECK(link.bytes_per_second.value == Approx(2e9));
    CHECK(link.bytes_per_second.basis == Basis::measured);
  }
  CHECK_NOTHROW(check(platform));
}

TEST_CASE("a sweep in which size does not matter leaves a link as it is", "[calibrate]") {
  Platform platform = desk();
  measure_links([](const Link&, std::int64_t) { return 1e-3; }, sizes, platform);
  CHECK(platform == desk());
}

TEST_CASE("storage of this machine is written and read, and nothing is left behind",
          "[calibrate]") {
  const Platform platform = desk();
  const TemporaryFolder folder;
  const CopyClock clock = copy_clock_here(platform, folder.path(""));
  for (const Link& link : platform.links) CHECK(clock(link, 65536) > 0);
  CHECK(folder.names().empty());
}

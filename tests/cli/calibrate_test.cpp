// `calibrate` as a user runs it. Measuring a machine in general takes too long for a test; what it
// does with measurements is tested without a clock.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/cli/refused.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("calibrate refuses what it does not understand, and measures nothing", "[cli]") {
  const TemporaryFolder folder;
  const std::string tiny = folder.file("tiny.json", tiny_network_text);
  const auto refused = [](std::vector<std::string> arguments, const std::string& mention) {
    require_refused(run_program("calibrate", arguments), mention);
  };
  refused({"--for", tiny, "--batch", "0"}, "--batch");
  refused({"--batch", "4"}, "--batch requires --for");
  refused({"--layout", "nchw"}, "--layout requires --for");
  refused({"--quick", "--for", tiny}, "--quick excludes --for");
  refused({"--compare", "--for", tiny}, "--compare excludes --for");
  refused({"--busy", "some"}, "--busy");
  refused({"--json", "-o", "-"}, "twice");
  refused({"--compare", "-o", "-"}, "twice");
  refused({"--slow"}, "--slow");
  refused({"--for", folder.path("nothing.json")}, "nothing.json");
  refused({"--for", bundled("models/chain5.json")}, "chain5.json");
  refused({"--for", bundled("platforms/desk.json")}, "desk.json");
}

#if STINT_TRAINS
TEST_CASE("a network's kernels are measured, shown and planned with", "[cli]") {
  const TemporaryFolder folder;
  const std::string tiny = folder.file("tiny.json", tiny_network_text);
  const std::string platform = folder.path("platform.json");
  const std::string busy = GENERATE("all", "one");
  const Ran ran = run_program(
      "calibrate", {"--for", tiny, "--batch", "4", "--busy", busy, "-o", platform, "--json"});
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("\"busy\": \"" + busy + "\"") && Contains("\"watts\": \"assumed\""));
  CHECK_THAT(ran.err, Contains("kernels measured") && Contains("watts are assumed"));
  const Ran shown = run_program("show", {platform});
  CHECK(shown.exit == 0);
  const std::string schedule = folder.path("schedule.json");
  const Ran planned = run_program("plan", {"-q", tiny, platform, "--batch", "4", "-o", schedule});
  CAPTURE(planned.err);
  REQUIRE(planned.exit == 0);
  CHECK(run_program("show", {schedule, "--check"}).exit == 0);
  CHECK_THAT(read_text(schedule), Contains("\"algorithm\""));
}

TEST_CASE("a platform goes to standard output unless told otherwise", "[cli]") {
  const TemporaryFolder folder;
  const std::string tiny = folder.file("tiny.json", tiny_network_text);
  const Ran ran = run_program("calibrate", {"--for", tiny, "-q"});
  REQUIRE(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.starts_with("{\"format\": \"stint-platform\""));
  CHECK(run_program("show", {"-"}, ran.out).exit == 0);
}

TEST_CASE("Ctrl-C ends a calibration with one line, and nothing is written", "[cli]") {
  const TemporaryFolder folder;
  const std::string platform = folder.path("platform.json");
  const Ran ran = run_installed("timeout", {"--preserve-status", "--signal=INT", "2",
                                            STINT_BINARY_DIR "/calibrate", "-o", platform});
  CHECK(ran.exit == 1);
  CHECK(ran.err == "calibrate: interrupted; nothing was written\n");
  CHECK(folder.names().empty());
}
#endif

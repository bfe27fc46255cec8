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
  refused({"--quick", "--for", tiny}, "excludes --quick");
  refused({"--compare", "--for", tiny}, "excludes --compare");
  refused({"--busy", "some"}, "--busy");
  refused({"--json", "-o", "-"}, "twice");
  refused({"--compare", "-o", "-"}, "twice");
  refused({"--slow"}, "--slow");
  refused({"-o", folder.path("no/where.json")}, "where.json");
  refused({"--for", folder.path("nothing.json")}, "nothing.json");
  refused({"--for", bundled("models/chain5.json")}, "expected a model of layers");
  refused({"--for", bundled("platforms/desk.json")}, "expected a model of layers");
  refused({"--for", tiny, "--batch", "3", "--leaves", "2"}, "leaves");
}

#if STINT_TRAINS
namespace {

// Without looking for counters: measuring watts takes half a minute.
Ran calibrated(std::vector<std::string> arguments) {
  for (const char* root : {"--powercap-root", "--perf-root"})
    arguments.insert(arguments.end(), {root, "/nowhere"});
  return run_program("calibrate", arguments);
}

}  // namespace

TEST_CASE("a network's kernels are measured, shown and planned with", "[cli]") {
  const TemporaryFolder folder;
  const std::string tiny = folder.file("tiny.json", tiny_network_text);
  const std::string platform = folder.path("platform.json");
  const std::string busy = GENERATE("all", "one");
  const Ran ran =
      calibrated({"--for", tiny, "--batch", "4", "--busy", busy, "-o", platform, "--json"});
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

TEST_CASE("a schedule's kernels are measured, and a plan for them runs where they were measured",
          "[cli]") {
  const TemporaryFolder folder;
  const std::string lenet5 = bundled("models/lenet5.json");
  const std::string first = folder.path("first.json");
  const std::string machine = folder.path("machine.json");
  const std::string second = folder.path("second.json");
  REQUIRE(run_program("plan", {"-q", lenet5, "here", "--batch", "4", "--leaves", "2", "-o", first})
              .exit == 0);
  const Ran measured = calibrated({"--for", first, "-o", machine});
  CAPTURE(measured.err);
  REQUIRE(measured.exit == 0);
  CHECK_THAT(measured.err, Contains("kernels measured"));
  CHECK(run_program("show", {machine}).exit == 0);
  REQUIRE(
      run_program("plan", {"-q", lenet5, machine, "--batch", "4", "--leaves", "2", "-o", second})
          .exit == 0);
  CHECK(run_program("show", {second, "--check"}).exit == 0);
  CHECK(run_program("run", {second, "--steps", "1", "-q"}).exit == 0);
  std::string text = read_text(second);
  const std::string other = "stint loops";
  for (auto at = text.find(other); at != text.npos; at = text.find(other, at))
    text.replace(at, other.size(), "other loops");
  write_text(second, text);
  require_refused(run_program("run", {second, "--steps", "1", "-q"}), second);
}

TEST_CASE("a platform goes to standard output unless told otherwise", "[cli]") {
  const TemporaryFolder folder;
  const std::string tiny = folder.file("tiny.json", tiny_network_text);
  const Ran ran = calibrated({"--for", tiny, "-q"});
  REQUIRE(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.starts_with("{\"format\": \"stint-platform\""));
  CHECK(run_program("show", {"-"}, ran.out).exit == 0);
}

TEST_CASE("Ctrl-C ends a calibration with one line, and nothing is written", "[cli]") {
  const TemporaryFolder folder;
  const std::string platform = folder.path("platform.json");
  const Ran ran = run_installed("timeout", {"--preserve-status", "--foreground", "--signal=INT",
                                            "2", STINT_BINARY_DIR "/calibrate", "-o", platform});
  CHECK(ran.exit == 1);
  CHECK(ran.err == "calibrate: interrupted; nothing was written\n");
  CHECK(folder.names().empty());
}
#endif

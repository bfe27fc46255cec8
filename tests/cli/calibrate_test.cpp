// calibrate on the command line: measures the kernels of a network, and refuses what has none.
#include <catch2/catch.hpp>
#include <filesystem>

#include "files/text_file.hpp"
#include "tests/cli/refused.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("what has no kernels to measure is refused", "[cli]") {
  require_refused(run_program("calibrate", {}), "--for");
  require_refused(run_program("calibrate", {"--for", "none.json"}), "none.json");
  require_refused(run_program("calibrate", {"--for", bundled("models/chain5.json")}),
                  "expected a model of layers");
  require_refused(run_program("calibrate", {"--for", bundled("platforms/desk.json")}),
                  "expected a model of layers");
  const std::string lenet5 = bundled("models/lenet5.json");
  require_refused(run_program("calibrate", {"--for", lenet5, "--batch", "0"}), "--batch");
  require_refused(run_program("calibrate", {"--for", lenet5, "--batch", "3", "--leaves", "2"}),
                  "leaves");
}

TEST_CASE("a schedule's kernels are measured, and a plan for them runs where they were measured",
          "[cli]") {
  if (!STINT_TRAINS) return;
  const TemporaryFolder folder;
  const std::string lenet5 = bundled("models/lenet5.json");
  const std::string first = folder.path("first.json");
  const std::string machine = folder.path("machine.json");
  const std::string second = folder.path("second.json");
  REQUIRE(run_program("plan", {"-q", lenet5, "here", "--batch", "4", "--leaves", "2", "-o", first})
              .exit == 0);
  const Ran measured = run_program("calibrate", {"--for", first, "-o", machine});
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

// Counters as a user of `run` meets them, on a tree of the test's own.
#include <catch2/catch.hpp>

#include "files/text_file.hpp"
#include "tests/cli/short_plan.hpp"
#include "tests/support/fake_powercap.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("run measures with the counters that it is shown", "[cli]") {
  const TemporaryFolder folder;
  FakePowercap tree;
  tree.add_zone("intel-rapl:0", "package-0");
  const DrawingPower power(tree, {{"intel-rapl:0", 45}});
  const std::string report = folder.path("report.json");
  const Ran ran = run_program("run", {short_plan(folder), "--steps", "100", "--powercap-root",
                                      tree.root(), "--require-measured", "-o", report});
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == 0);
  CHECK_THAT(ran.out, Contains("measured:fake, package-0") && Contains("energy not measured"));
  CHECK_THAT(read_text(report), Contains("\"basis\":\"measured:fake\""));
  CHECK(run_program("show", {report}).out == ran.out);
}

TEST_CASE("run refuses a counter by name that is not there", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const auto run_with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {plan, "-q", "--powercap-root", "no-tree", "--perf-root",
                                         "no-events", "--nvml-library", "no-library"});
    return run_program("run", arguments);
  };
  CHECK(run_with({}).exit == 0);
  const Ran named = run_with({"--meter", "powercap"});
  CHECK(named.exit == 2);
  CHECK_THAT(named.err, Contains("--meter: powercap: no-tree is absent") && Contains("show here"));
  const Ran required = run_with({"--require-measured"});
  CHECK(required.exit == 5);
  CHECK(required.err ==
        "run: no measured energy: powercap: no-tree is absent or empty; perf: no-events is "
        "absent\n");
}

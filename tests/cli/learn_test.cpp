// Learning from a run and doubting a plan, as a user does.
#include <catch2/catch.hpp>

#include "schedules/run_report.hpp"
#include "tests/cli/refused.hpp"
#include "tests/cli/short_plan.hpp"

using namespace stint;
using Catch::Contains;

TEST_CASE("plan learns from the report of a run what its tasks take", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const std::string report = folder.path("report.json");
  const std::string again = folder.path("again.json");
  REQUIRE(run_program("run", {plan, "-q", "--meter", "model", "-o", report}).exit == 0);
  const Ran ran =
      run_program("plan", {"-q", folder.path("model.json"), bundled("platforms/course.json"),
                           "--from", report, "-o", again});
  REQUIRE(ran.err.empty());
  REQUIRE(ran.exit == 0);
  const RunReport measured = read_run_report(report);
  const Schedule learned = read_schedule(again);
  CHECK(learned.predicted.joules_by.compute ==
        Approx(measured.measured_joules_by.compute).epsilon(1e-9));
  CHECK(run_program("show", {again, "--check"}).exit == 0);
}

TEST_CASE("plan refuses to learn from what is no report of the model", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const std::string model = folder.path("model.json");
  const std::string platform = bundled("platforms/course.json");
  require_refused(run_program("plan", {"-q", model, platform, "--from", plan}), "plan: " + plan);
  require_refused(run_program("plan", {"-q", model, platform, "--from", "no-such-file"}),
                  "plan: no-such-file");
  require_refused(run_program("plan", {"-q", "-", platform, "--from", "-"}), "plan: -");
}

TEST_CASE("show tells what becomes of a plan if times are wrong", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const Ran text = run_program("show", {plan, "--perturb", "10%", "--samples", "50"});
  CHECK(text.exit == 0);
  CHECK_THAT(text.out, Contains("50 samples, seed 0") && Contains("all longest") &&
                           Contains("another order gains") && Contains("critical"));
  const Ran json =
      run_program("show", {plan, "--perturb", "10%", "--samples", "50", "--seed", "7", "--json"});
  CHECK(json.exit == 0);
  CHECK_THAT(json.out, Contains("\"seed\":7") && Contains("\"all_longest\""));
}

TEST_CASE("show refuses errors that make no sense", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  require_refused(run_program("show", {plan, "--perturb", "10"}), "show: --perturb 10");
  require_refused(run_program("show", {plan, "--perturb", "0%"}), "show: --perturb 0%");
  require_refused(run_program("show", {plan, plan, "--perturb", "10%"}), "show: --perturb");
  require_refused(run_program("show", {folder.path("model.json"), "--perturb", "10%"}), "show: ");
  require_refused(run_program("show", {plan, "--perturb", "10%", "--samples", "0"}), "show: ");
}

// `run` as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "files/text_file.hpp"
#include "tests/cli/short_plan.hpp"
#include "tests/support/replaced.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

void require_one_line(const Ran& ran, int exit, const std::string& part) {
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == exit);
  REQUIRE(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  REQUIRE(ran.err.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("run prints predicted next to measured, and says that the energy is modelled", "[cli]") {
  const TemporaryFolder folder;
  const Ran ran = run_program("run", {short_plan(folder), "--steps", "3", "--meter", "model"});
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit == 0);
  REQUIRE(ran.err.empty());
  for (const char* part : {"exactly as scheduled", "predicted", "measured", "energy (modelled)",
                           "modelled:assumed", "no counter was read", "3 steps"}) {
    CAPTURE(part);
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("run's report goes where it is asked to, and show reads it", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const std::string report = folder.path("report.json");
  const Ran quiet = run_program("run", {plan, "--steps", "2", "-q", "-o", report});
  REQUIRE(quiet.exit == 0);
  REQUIRE(quiet.out.empty());
  REQUIRE(quiet.err.empty());
  const Ran shown = run_program("show", {report});
  REQUIRE(shown.exit == 0);
  REQUIRE(shown.out.find("exactly as scheduled") != std::string::npos);
  REQUIRE(run_program("show", {report, "--check"}).exit == 0);
  REQUIRE(run_program("show", {report, "--dot", "-"}).exit == 2);
  REQUIRE(run_program("show", {report, "--trace", "-"}).exit == 2);
  const Ran json = run_program("run", {plan, "--steps", "2", "--json"});
  REQUIRE(json.out.starts_with("{\"format\": \"stint-run\""));
  const Ran input = run_program("run", {"-", "-q", "-o", "-"}, read_text(plan));
  REQUIRE(input.exit == 0);
  REQUIRE(input.out.starts_with("{\"format\": \"stint-run\""));
}

TEST_CASE("run refuses what it does not understand", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  require_one_line(run_program("run", {}), 2, "");
  require_one_line(run_program("run", {plan, "--steps", "0"}), 2, "--steps");
  require_one_line(run_program("run", {plan, "--warmup", "-1"}), 2, "--warmup");
  require_one_line(run_program("run", {plan, "--data", "mnist"}), 2, "--data mnist");
  require_one_line(run_program("run", {plan, "--data", "random:x"}), 2, "random:SEED");
  require_one_line(run_program("run", {plan, "--meter", "sundial"}), 2, "--meter sundial");
  require_one_line(run_program("run", {plan, "--tolerance", "10"}), 2, "--tolerance 10");
  require_one_line(run_program("run", {plan, "--tolerance", "x%"}), 2, "--tolerance x%");
  require_one_line(run_program("run", {plan, "--storage", "n0/disk"}), 2, "--storage n0/disk");
  require_one_line(run_program("run", {plan, "--storage", "n0/ram=/tmp"}), 2, "--storage n0/ram");
  require_one_line(run_program("run", {plan, "--json", "-o", "-"}), 2, "twice");
  require_one_line(run_program("run", {folder.path("nothing.json")}), 2, "nothing.json");
  require_one_line(run_program("run", {folder.file("bad.json", "{")}), 2, "bad.json");
  require_one_line(run_program("run", {bundled("models/chain5.json")}), 2, "chain5.json");
}

TEST_CASE("run refuses a schedule that the judge rejects, and names the rule", "[cli]") {
  const TemporaryFolder folder;
  const std::string text = read_text(short_plan(folder));
  const std::string bad =
      folder.file("bad.json", replaced(text, "\"task\": \"F1\"", "\"task\": \"F0\""));
  const std::string out = folder.path("report.json");
  require_one_line(run_program("run", {bad, "-o", out}), 2, "bad.json: /actions/1");
  REQUIRE(folder.names() == std::vector<std::string>{"bad.json", "model.json", "plan.json"});
}

TEST_CASE("run exits 5 outside the tolerance, and without a counter where one is required",
          "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  require_one_line(run_program("run", {plan, "-q", "--tolerance", "0%"}), 5, "off by");
  require_one_line(run_program("run", {plan, "-q", "--require-measured", "--meter", "model"}), 5,
                   "no measured energy");
  CHECK(run_program("run", {plan, "-q", "--tolerance", "100000000%"}).exit == 0);
}

TEST_CASE("the same plan ends with the same bits in every run", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder);
  const auto hash = [&](const std::string& data) {
    const std::string out = run_program("run", {plan, "--json", "--data", data}).out;
    const std::size_t at = out.find("\"results_sha256\"");
    REQUIRE(at != std::string::npos);
    return out.substr(at, 100);
  };
  CHECK(hash("random") == hash("random:0"));
  CHECK(hash("random:1") == hash("random:1"));
  CHECK(hash("random:1") != hash("random:2"));
}

TEST_CASE("Ctrl-C ends a run after the action in hand, with one line and no report", "[cli]") {
  const TemporaryFolder folder;
  const std::string plan = short_plan(folder, "0.01");
  const std::string report = folder.path("report.json");
  // A busy machine may need longer until the first step has begun.
  Ran ran;
  for (const char* seconds : {"0.5", "2", "8", "30"}) {
    ran = run_installed("timeout",
                        {"--preserve-status", "--foreground", "--signal=INT", seconds,
                         STINT_BINARY_DIR "/run", plan, "--steps", "1000000", "-o", report});
    if (ran.err.find(" in step ") != std::string::npos) break;
  }
  CAPTURE(ran.out);
  CHECK(ran.exit == 1);
  CHECK(ran.err.find("run: interrupted in step ") != std::string::npos);
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  CHECK(folder.names() == std::vector<std::string>{"model.json", "plan.json"});
}

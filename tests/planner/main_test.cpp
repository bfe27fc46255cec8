// plan as a user runs it.

#include <catch2/catch.hpp>
#include <cmath>

#include "schedules/frontier.hpp"
#include "schedules/schedule.hpp"
#include "schedules/validate.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

const std::string chain = bundled("models/chain5.json");
const std::string course = bundled("platforms/course.json");

Ran run_plan(std::vector<std::string> options) {
  options.insert(options.begin(), {chain, course});
  return run_program("plan", options);
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("plan writes a valid schedule to standard output and two lines to people", "[main]") {
  const Ran ran = run_plan({});
  CHECK(ran.exit == 0);
  CHECK(ran.err ==
        "1 device, 1 memory, 11 tasks\n"
        "plan      385 J   11 s   peak 6 B of 1 GiB   recomputes 0 tasks   optimal\n");
  CHECK(validate(parse_schedule(ran.out, "out")).empty());
}

TEST_CASE("plan -q -o FILE writes the file and says nothing", "[main]") {
  const TemporaryFolder folder;
  const Ran ran = run_plan({"-q", "-o", folder.path("s.json")});
  CHECK(ran.exit == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err.empty());
  CHECK(folder.names() == std::vector<std::string>{"s.json"});
  CHECK(validate(read_schedule(folder.path("s.json"))).empty());
}

TEST_CASE("two runs of plan give the same bytes, and so do two threads", "[main]") {
  const std::string unet = bundled("models/unet_tasks.json");
  const std::string desk = bundled("platforms/desk.json");
  const Ran first = run_program("plan", {unet, desk, "--threads", "1"});
  CHECK(first.exit == 0);
  CHECK(run_program("plan", {unet, desk}).out == first.out);
  CHECK(run_program("plan", {unet, desk, "--threads", "2"}).out == first.out);
}

TEST_CASE("plan --json prints the status alone, unless a file is given too", "[main]") {
  const TemporaryFolder folder;
  const Ran ran = run_plan({"--json", "-q"});
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Catch::Contains("\"status\": \"optimal\"") && !Catch::Contains("actions"));
  const Ran both = run_plan({"--json", "-o", folder.path("s.json")});
  CHECK(both.out == ran.out);
  CHECK(folder.names().size() == 1);
  CHECK(run_plan({"--json", "-o", "-"}).exit == 2);
}

TEST_CASE("below the proved bound plan exits 3, above it without a plan 4, and writes nothing",
          "[main]") {
  const TemporaryFolder folder;
  const Ran proved = run_plan({"-q", "--memory", "2", "-o", folder.path("s.json")});
  CHECK(proved.exit == 3);
  CHECK(
      proved.err ==
      "plan: infeasible: n0/ram of 2 B; expected at least 3 B (proved), 3 B was found to work; at "
      "the peak: x0, x1, x2\n");
  CHECK(run_plan({"--memory", "n0/cpu=80%", "--strategy", "keep-all", "-o", folder.path("s.json")})
            .exit == 4);
  CHECK(run_plan({"--memory", "2", "--json"}).out.find("\"infeasible\"") != std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("what plan cannot understand is one line and exit 2", "[main]") {
  const std::vector<std::string> options = GENERATE(
      std::vector<std::string>{"--memory", "lots"}, std::vector<std::string>{"--memory", "x=4"},
      std::vector<std::string>{"--strategy", "magic"}, std::vector<std::string>{"--bill", "never"},
      std::vector<std::string>{"--bill", "deadline"}, std::vector<std::string>{"--deadline", "0"},
      std::vector<std::string>{"--deadline", "nan"},
      std::vector<std::string>{"--objective", "beauty"}, std::vector<std::string>{"--threads", "0"},
      std::vector<std::string>{"--batch", "2"}, std::vector<std::string>{"--limit", "-1"},
      std::vector<std::string>{"--frobnicate"}, std::vector<std::string>{"-o", "/nowhere/s.json"});
  CAPTURE(options);
  const Ran ran = run_plan([&] {
    auto all = options;
    all.push_back("-q");
    return all;
  }());
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(is_one_line(ran.err));
}

TEST_CASE("options may stand before the files, and --memory more than once", "[main]") {
  CHECK(run_program("plan", {"--memory", "6", "-q", chain, course}).exit == 0);
  const std::string desk = bundled("platforms/desk.json");
  const Ran ran =
      run_program("plan", {"--memory", "n0/ram=1KiB", "--memory", "n0/disk=0", chain, desk});
  CHECK(ran.exit == 0);
  CHECK(parse_schedule(ran.out, "out").request.memory ==
        std::map<std::string, std::int64_t>{{"n0/disk", 0}, {"n0/ram", 1024}});
}

TEST_CASE("plan on this machine says that its prices are assumed", "[main]") {
  const Ran ran = run_program("plan", {chain, "here", "--json"});
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.err, Catch::Contains("assumed"));
}

TEST_CASE("plan reads standard input once", "[main]") {
  CHECK(run_program("plan", {"-", "-"}).exit == 2);
  CHECK(run_program("plan", {chain, "-", "-q"}, "{}").exit == 2);
}

TEST_CASE("the course's chain recomputes as little as each bound allows, on the command line",
          "[main]") {
  const auto [memory, recomputed] = GENERATE(table<std::string, std::string>(
      {{"6", "0"}, {"5", "1"}, {"4", "2"}, {"3", "4"}, {"60%", "4"}}));
  CAPTURE(memory);
  const Ran ran = run_plan({"--json", "--memory", memory});
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Catch::Contains("\"status\": \"optimal\"") &&
                          Catch::Contains("\"recomputed\": " + recomputed + ","));
}

TEST_CASE("segments takes positions, and refuses those that are none", "[main]") {
  CHECK_THAT(run_plan({"--json", "--strategy", "segments:0,3"}).out,
             Catch::Contains("\"recomputed\": 4,") && Catch::Contains("\"n0/ram\": 4"));
  for (const char* bad : {"segments:6", "segments:-1", "segments:0,", "segments:x"}) {
    const Ran ran = run_plan({"-q", "--strategy", bad});
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.err, Catch::Contains("expected numbers from 0 to 5"));
  }
}

TEST_CASE("the curve of energy against memory comes out whole, and show reads it", "[main]") {
  const Ran ran = run_plan({"-q", "--frontier", "memory"});
  REQUIRE(ran.exit == 0);
  const Frontier frontier = parse_frontier(ran.out, "out");
  std::vector<std::pair<std::int64_t, double>> points;
  for (const FrontierEntry& point : frontier.points)
    points.emplace_back(point.bytes, std::round(*point.joules));
  CHECK(points ==
        std::vector<std::pair<std::int64_t, double>>{{3, 525}, {4, 455}, {5, 420}, {6, 385}});
  CHECK(*frontier.points.front().seconds == Approx(15));
  CHECK(schema_fault(bundled("schedules/stint-frontier.schema.json"), ran.out).empty());
  CHECK(frontier_text(frontier) + "\n" == ran.out);
  const Ran shown = run_program("show", {"-"}, ran.out);
  CHECK(shown.exit == 0);
  CHECK_THAT(shown.out, Catch::Contains("3 B") && Catch::Contains("525 J"));
  CHECK(run_plan({"-q", "--frontier", "weight"}).exit == 2);
}

TEST_CASE("the curve of energy against time comes out, and show reads it", "[main]") {
  const Ran ran = run_plan({"-q", "--frontier", "time"});
  REQUIRE(ran.exit == 0);
  const Frontier frontier = parse_frontier(ran.out, "out");
  REQUIRE(frontier.points.size() == 1);  // one power state: the fastest plan is the most frugal
  CHECK(*frontier.points.front().joules == Approx(385));
  CHECK(schema_fault(bundled("schedules/stint-frontier.schema.json"), ran.out).empty());
  const Ran shown = run_program("show", {"-"}, ran.out);
  CHECK(shown.exit == 0);
  CHECK_THAT(shown.out, Catch::Contains("deadline") && Catch::Contains("385 J"));
}

TEST_CASE("a strategy that is not for the graph says so", "[main]") {
  const Ran ran = run_program("plan", {"-q", bundled("models/branches.json"),
                                       bundled("platforms/desk.json"), "--strategy", "chain"});
  CHECK(ran.exit == 4);
  CHECK(is_one_line(ran.err));
  CHECK_THAT(ran.err, Catch::Contains("the strategy is not for such a graph"));
}

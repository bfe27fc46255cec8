#include "schedules/paje.hpp"

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

using namespace stint;
using Catch::Contains;

namespace {

std::string paje_of(const Schedule& schedule) { return paje_text(schedule, simulate(schedule)); }

}  // namespace

TEST_CASE("a Paje trace has containers, states in the order of time, and variables", "[paje]") {
  const std::string text = paje_of(chain_offloaded());
  CHECK_THAT(text, Contains("4 0 w0 Worker d0 \"n0/cpu/0\"\n"));
  CHECK_THAT(text, Contains("4 0 w1 Link n0 \"n0/ram>n0/disk\"\n"));
  CHECK_THAT(text, Contains("WorkerState \"F0\" \"0.651 0.808 0.890\"\n"));
  CHECK_THAT(text, Contains("6 2.000000000 LinkState w1 link_idle -1\n"));
  CHECK_THAT(text, Contains("7 4.000000000 MemoryBytes m0 5\n"));
  CHECK_THAT(text, Contains("7 1.000000000 NodeWatts n0 22\n"));
  CHECK_THAT(text, Contains("5 11.000000000 Worker w0\n"));
  double last = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("6 ") && !line.starts_with("7 ")) continue;
    const double time = std::stod(line.substr(2));
    CHECK(time >= last);
    last = time;
  }
  CHECK(last == 11);
}

TEST_CASE("a recomputation is a state of its own in a Paje trace", "[paje]") {
  CHECK_THAT(paje_of(chain_recomputed()), Contains("\"F2 (again)\""));
}

TEST_CASE("names cannot break out of a Paje trace", "[paje]") {
  Schedule schedule = chain_kept_whole();
  schedule.graph.tasks[0].name = "a \"b\"\n5 0 Node n0";
  CHECK_THAT(paje_of(schedule), Contains("\"a 'b' 5 0 Node n0\""));
}

TEST_CASE("pj_dump reads our Paje traces", "[.pj_dump]") {
  const Schedule schedule = GENERATE(chain_recomputed(), chain_offloaded(), training_step());
  const TemporaryFolder folder;
  const Ran ran = run_installed("pj_dump", {folder.file("step.paje", paje_of(schedule))});
  if (ran.exit == 127) {
    WARN("pj_dump is not installed");
    return;
  }
  CAPTURE(ran.err);
  REQUIRE(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, Contains("State, n0/cpu/0, does, "));
  CHECK_THAT(ran.out, Contains("Variable, n0/ram, live bytes, "));
}

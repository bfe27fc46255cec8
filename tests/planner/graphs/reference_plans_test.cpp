// Training graphs for which other programs found plans, in the order of the file and without
// addresses: the best known cost for several amounts of memory. Ours may not be much worse, with
// addresses; and what we prove may not be above what is known to be possible. Local search alone,
// without CP-SAT, comes within two percent and proves nothing.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

struct Known {
  std::int64_t bytes;
  double best;  // microseconds
  bool is_proved;
};

constexpr double course_watts = 35;  // of the course's machine

void check_plans(const std::string& name, const std::vector<Known>& known) {
  const Graph graph = read_graph(bundled("tests/planner/graphs/" + name + ".json"));
  const Platform course = read_platform(bundled("platforms/course.json"));
  for (const auto& [bytes, best, is_proved] : known) {
    CAPTURE(name, bytes);
    Request request;
    request.memory["n0/ram"] = bytes;
    request.strategy = "graph";
    const Outcome outcome = plan(make_problem(graph, course, request, name), {});
    REQUIRE(outcome.schedule);
    const Predicted& predicted = outcome.schedule->predicted;
    CHECK(predicted.seconds <= best * 1e-6 * (has_cp_sat() ? 1.0001 : 1.02));
    CHECK(predicted.objective.lower_bound <= best * 1e-6 * course_watts * (1 + 1e-9));
    CHECK(predicted.optimal == (is_proved && has_cp_sat()));
  }
}

}  // namespace

TEST_CASE("a chain of 65 tasks reaches the best known costs, and they are proved", "[graph]") {
  check_plans("chain32", {{4423680, 969913, true},
                          {3932160, 994896, true},
                          {3440640, 1025593, true},
                          {2949120, 1052879, true},
                          {2457600, 1088221, true},
                          {1966080, 1138411, true}});
}

TEST_CASE("a U-net of 63 tasks reaches the best known costs, and they are proved", "[graph]") {
  check_plans("unet60", {{1633075, 298327, true},
                         {1451622, 300461, true},
                         {1270169, 307506, true},
                         {1088716, 319656, true},
                         {907264, 349021, true},
                         {816537, 383082, true}});
}

TEST_CASE("a residual network of 119 tasks reaches the best known costs, and they are proved",
          "[graph]") {
  check_plans("resnet120", {{1069056, 108128, true},
                            {950272, 109021, true},
                            {831488, 110072, true},
                            {712704, 111226, true}});
}

#include "planner/crowding.hpp"

#include <catch2/catch.hpp>

#include "planner/bounds.hpp"
#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// Tasks of a second that share nothing, with a workspace each.
std::string apart_with_workspace(const std::vector<std::int64_t>& workspace_bytes) {
  std::string tensors;
  std::string tasks;
  for (std::size_t t = 0; t < workspace_bytes.size(); ++t) {
    const std::string name = std::to_string(t);
    const std::string comma = t == 0 ? "" : ", ";
    tensors += comma + R"({"name": "x)" + name + R"(", "bytes": 1})";
    tasks += comma + R"({"name": "t)" + name + R"(", "op": "work", "writes": ["x)" + name +
             R"("], "workspace_bytes": )" + std::to_string(workspace_bytes[t]) +
             R"(, "seconds": {"cpu": 1}})";
  }
  return R"({"format": "stint-tasks", "version": 1, "name": "apart", "tensors": [)" + tensors +
         R"(], "tasks": [)" + tasks + R"(], "results": []})";
}

double least_seconds(const Problem& problem) {
  return Crowding(problem).least_seconds(problem.seconds.front(), 0);
}

}  // namespace

TEST_CASE("tasks whose workspaces do not fit side by side follow each other", "[crowding]") {
  if (!has_cp_sat()) return;
  const std::string graph = apart_with_workspace({6, 6, 6, 2});
  const auto within_bytes = [&](std::int64_t bytes) {
    Request request = within("n0/ram", bytes);
    request.objective = Objective::time;
    return problem_of(graph, plain_machine(4), request);
  };
  // Two large ones and the small one fit into 17 bytes, one and the small one into 12.
  CHECK(least_seconds(within_bytes(17)) == Approx(2));
  CHECK(least_seconds(within_bytes(12)) == Approx(3));
  CHECK_FALSE(Crowding(within_bytes(100)).matters());
  for (const auto& [bytes, seconds] : {std::pair{17, 2.0}, std::pair{12, 3.0}}) {
    const Outcome outcome = plan(within_bytes(bytes), {});
    REQUIRE(outcome.schedule);
    CHECK(outcome.schedule->predicted.objective.lower_bound == Approx(seconds));
  }
}

TEST_CASE("a result that stays takes its bytes until its last reader has ended", "[crowding]") {
  if (!has_cp_sat()) return;
  // Both chains hold a result of 4 bytes between their tasks; 7 bytes hold one of them at a time.
  const std::string graph = R"({"format": "stint-tasks", "version": 1, "name": "chains",
    "tensors": [{"name": "a", "bytes": 4}, {"name": "b", "bytes": 1},
                {"name": "c", "bytes": 4}, {"name": "d", "bytes": 1}],
    "tasks": [{"name": "ta", "op": "work", "writes": ["a"], "seconds": {"cpu": 1}},
              {"name": "tb", "op": "work", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 1}},
              {"name": "tc", "op": "work", "writes": ["c"], "seconds": {"cpu": 1}},
              {"name": "td", "op": "work", "reads": ["c"], "writes": ["d"], "seconds": {"cpu": 1}}],
    "results": []})";
  const auto seconds_within = [&](std::int64_t bytes) {
    return least_seconds(problem_of(graph, plain_machine(2), within("n0/ram", bytes)));
  };
  CHECK(seconds_within(7) == Approx(4));
  CHECK(seconds_within(9) <= 4);
}

TEST_CASE("no plan on several workers is below what crowding proves", "[crowding]") {
  const Objective objective = GENERATE(Objective::time, Objective::energy);
  int crowded = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions options;
    options.tasks = 5 + static_cast<int>(seed % 8);
    const Model model = random_graph(seed, options);
    Request request{.limit = 0.2};
    request.objective = objective;
    request.strategy = "graph";
    const Platform platform = plain_machine(3);
    const auto free = plan(problem_of(model, platform, request), {}).schedule;
    if (!free) continue;
    for (const int percent : {90, 70, 50}) {
      request.memory = within("n0/ram", free->arenas.at("n0/ram") * percent / 100).memory;
      const Problem problem = problem_of(model, platform, request);
      const Crowding crowding(problem);
      const auto found = plan(problem, {}).schedule;
      if (!found || !crowding.matters()) continue;
      const Bound bound = objective_bound(problem, &crowding);
      crowded += bound.by == "crowding" ? 1 : 0;
      CHECK(bound.value <= found->predicted.objective.value * (1 + 1e-9));
    }
  }
  if (has_cp_sat()) CHECK(crowded > 0);
}

TEST_CASE("branches that memory keeps apart are proved to take longer", "[crowding]") {
  if (!has_cp_sat()) return;
  Request request = within("n0/ram", std::int64_t{32} << 20);
  request.strategy = "graph";
  const Problem problem = problem_of(read_graph(bundled("models/branches.json")),
                                     read_platform(bundled("platforms/desk.json")), request);
  const auto schedule = plan(problem, {}).schedule;
  REQUIRE(schedule);
  CHECK(schedule->predicted.objective.bound_by == "crowding");
  CHECK(schedule->predicted.objective.gap < 0.13);
}

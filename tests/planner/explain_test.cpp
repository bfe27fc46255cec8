#include "planner/explain.hpp"

#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/outcome_json.hpp"
#include "planner/plan.hpp"
#include "planner/report.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

std::vector<TensorId> named(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<TensorId> ids;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (std::find(names.begin(), names.end(), graph.tensors[t].name) != names.end())
      ids.push_back(static_cast<TensorId>(t));
  }
  return ids;
}

Graph only(Graph graph, const std::vector<TensorId>& counted) {
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const auto id = static_cast<TensorId>(t);
    if (std::find(counted.begin(), counted.end(), id) == counted.end()) graph.tensors[t].bytes = 0;
  }
  return graph;
}

Status status_of(const Graph& graph, const Request& request) {
  return plan(problem_of(graph, plain_machine(), request), {}).status;
}

void check_irreducible(const Graph& graph, const Request& request, const Shortage& shortage) {
  const auto reason = named(graph, shortage.reason);
  REQUIRE(reason.size() == shortage.reason.size());
  CHECK(status_of(only(graph, reason), request) == Status::infeasible);
  for (std::size_t left_out = 0; left_out < reason.size(); ++left_out) {
    std::vector<TensorId> fewer = reason;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
    CHECK(status_of(only(graph, fewer), request) != Status::infeasible);
  }
}

}  // namespace

TEST_CASE("of what fills a moment only the largest tensors are needed to explain it", "[explain]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "sizes",
 "tensors": [{"name": "a", "bytes": 50}, {"name": "b", "bytes": 1}, {"name": "c", "bytes": 40}, {"name": "d", "bytes": 3}],
 "tasks": [{"name": "A", "writes": ["a", "b"], "seconds": {"cpu": 1}},
  {"name": "C", "reads": ["a", "b"], "writes": ["c", "d"], "workspace_bytes": 2, "seconds": {"cpu": 1}}], "results": ["d"]})";
  const Problem problem = problem_of(graph, plain_machine(), within("n0/ram", 90));
  const Outcome outcome = plan(problem, {});
  CHECK(outcome.status == Status::infeasible);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].lower_bound == 96);
  CHECK(outcome.shortages[0].tensors == std::vector<std::string>{"a", "c", "d", "b"});
  CHECK(outcome.shortages[0].reason == std::vector<std::string>{"a", "c", "d"});
  CHECK_THAT(no_plan_text(outcome),
             Catch::Contains("at the peak: a, c, d, b; too large by themselves: a, c, d"));
  CHECK_THAT(outcome_text(outcome), Catch::Contains("\"reason\""));
}

TEST_CASE("workspace is part of the reason where it is large", "[explain]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "work",
 "tensors": [{"name": "a", "bytes": 10}, {"name": "b", "bytes": 5}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}},
  {"name": "B", "reads": ["a"], "writes": ["b"], "workspace_bytes": 20, "seconds": {"cpu": 1}}], "results": ["b"]})";
  const Outcome outcome = plan(problem_of(graph, plain_machine(), within("n0/ram", 25)), {});
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].reason == std::vector<std::string>{"a", "workspace of B"});
}

TEST_CASE("what explains a shortage is irreducible, whoever proved it", "[explain]") {
  int by_strategy = 0;
  int by_moment = 0;
  for (int seed = 0; seed < 24; ++seed) {
    const Graph graph = random_training(seed, {.layers = 4});
    const std::int64_t least = memory_bound(problem_of(graph, plain_machine()), MemoryId{0}).bytes;
    for (const std::int64_t bytes : {least - 1, least, least + 1}) {
      CAPTURE(seed, bytes);
      Request request = within("n0/ram", bytes);
      request.limit = 0.2;
      const Problem problem = problem_of(graph, plain_machine(), request);
      Outcome outcome = plan(problem, {});
      if (outcome.status != Status::infeasible) continue;
      REQUIRE(!outcome.shortages.empty());
      (outcome.shortages[0].reason.empty() ? by_strategy : by_moment) += 1;
      Request patient = request;
      patient.limit *= 100;  // of which each try gets a hundredth
      explain(problem_of(graph, plain_machine(), patient), {}, outcome);
      REQUIRE(!outcome.shortages[0].reason.empty());
      check_irreducible(graph, request, outcome.shortages[0]);
    }
  }
  CHECK(by_moment > 10);
  CHECK(by_strategy > 0);
}

#include "benchmarks/graphs/checkmate.hpp"

#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

constexpr double watts = 35;          // of the plain machine
constexpr double most_seconds = 120;  // small programs take a fraction of a second

// As the program wants it: each task writes one tensor, and nothing is there from the start.
bool simplify(Graph& graph) {
  for (Tensor& tensor : graph.tensors) {
    if (tensor.kind == Kind::input) tensor.bytes = 0;
  }
  for (const Task& task : graph.tasks) {
    if (task.writes.size() != 1) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("what Checkmate's program finds is never below what we prove", "[checkmate]") {
  int compared = 0;
  for (int seed = 0; compared < 12; ++seed) {
    Graph graph = random_training(seed, {.layers = 4});
    if (!simplify(graph)) continue;
    for (const int bytes : {18, 26}) {
      CAPTURE(seed, bytes);
      Request request = within("n0/ram", bytes);
      request.strategy = "graph";
      const Problem problem = problem_of(graph, plain_machine(), request);
      const auto milp = solve_by_highs(checkmate_milp(problem, bytes), most_seconds);
      const Outcome outcome = plan(problem, {});
      if (!milp) continue;
      CHECK(outcome.status != Status::infeasible);
      if (!outcome.schedule) continue;
      const Proof& proof = outcome.schedule->predicted.objective;
      CHECK(proof.lower_bound <= milp->value * watts * (1 + 1e-6));
      if (outcome.status == Status::optimal) CHECK(proof.value <= milp->value * watts * (1 + 1e-6));
      ++compared;
    }
  }
}

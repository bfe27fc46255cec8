#include "planner/edges.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// Actions without data: only workers matter here.
std::vector<Action> actions_of(const std::vector<int>& workers) {
  std::vector<Action> actions(workers.size());
  for (std::size_t a = 0; a < workers.size(); ++a)
    actions[a].worker = static_cast<WorkerId>(workers[a]);
  return actions;
}

using Reach = std::vector<std::vector<bool>>;

// reach[i][j]: i happens before j, by the workers' lists and the given edges.
Reach closure(const std::vector<Action>& actions, const Edges& edges) {
  Reach reach(actions.size(), std::vector<bool>(actions.size(), false));
  for (std::size_t j = 0; j < actions.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const auto uses = [&](std::size_t a, WorkerId worker) {
        return actions[a].worker == worker || actions[a].occupies == worker;
      };
      const bool same_list = uses(i, actions[j].worker) ||
                             (actions[j].occupies != no_worker && uses(i, actions[j].occupies));
      const bool named =
          std::find(edges[j].begin(), edges[j].end(), static_cast<ActionId>(i)) != edges[j].end();
      if (!same_list && !named) continue;
      reach[i][j] = true;
      for (std::size_t k = 0; k < i; ++k) reach[k][j] = reach[k][j] || reach[k][i];
    }
  }
  return reach;
}

Edges after_of(const std::vector<Action>& actions) {
  Edges edges;
  for (const Action& action : actions) edges.push_back(action.after);
  return edges;
}

}  // namespace

TEST_CASE("the workers' own order is never named", "[edges]") {
  const Problem problem = problem_of(chain_graph(1), plain_machine(3));
  auto actions = actions_of({0, 0, 1, 1});
  set_after(problem, {{}, {ActionId{0}}, {ActionId{0}, ActionId{1}}, {ActionId{1}}}, actions);
  CHECK(after_of(actions) == Edges{{}, {}, {ActionId{1}}, {}});
}

TEST_CASE("after lists imply all edges, and none of them can be left out", "[edges]") {
  const int seed = GENERATE(range(0, 100));
  CAPTURE(seed);
  const Problem problem = problem_of(chain_graph(1), plain_machine(4));
  std::mt19937_64 random(seed);
  std::vector<int> workers;
  for (int a = 0; a < 30; ++a) workers.push_back(static_cast<int>(random() % 4));
  auto actions = actions_of(workers);
  for (Action& action : actions) {
    if (random() % 5 == 0) action.occupies = static_cast<WorkerId>((action.worker + 1) % 4);
  }
  Edges edges(actions.size());
  for (std::size_t a = 1; a < actions.size(); ++a) {
    for (int e = static_cast<int>(random() % 4); e > 0; --e)
      edges[a].push_back(static_cast<ActionId>(random() % a));
  }
  const Reach wanted = closure(actions, edges);
  set_after(problem, edges, actions);
  const Edges after = after_of(actions);
  REQUIRE(closure(actions, after) == wanted);
  for (std::size_t a = 0; a < actions.size(); ++a) {
    for (std::size_t e = 0; e < after[a].size(); ++e) {
      Edges fewer = after;
      fewer[a].erase(fewer[a].begin() + static_cast<std::ptrdiff_t>(e));
      CHECK(closure(actions, fewer) != wanted);
    }
  }
}

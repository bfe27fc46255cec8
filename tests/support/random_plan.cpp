#include "tests/support/random_plan.hpp"

#include "planner/plan.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/training_step.hpp"

namespace stint {

Schedule random_plan(std::uint64_t seed) {
  if (seed % 8 == 0) return training_step();
  RandomGraphOptions graph;
  graph.tasks = 3 + static_cast<int>(seed % 7);
  graph.max_bytes = 12;
  Request request;
  request.objective = seed % 2 == 0 ? Objective::time : Objective::energy;
  request.limit = 0.02;  // there are many of them, and any good plan will do
  const Platform platform = random_platform(seed, {.with_fetching = true});
  return plan_of(random_graph(seed, graph), platform, request);
}

Schedule plan_of(const Model& model, const Platform& platform, const Request& request) {
  return plan(make_problem(model, platform, request, "model"), {}).schedule.value();
}

}  // namespace stint

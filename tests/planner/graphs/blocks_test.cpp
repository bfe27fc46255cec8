#include "planner/graphs/blocks.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "planner/graphs/block_chain.hpp"
#include "tests/planner/chains/task_search.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

// A network whose layers each have a wide branch that their end adds to what they began with, all
// alike; training, with the branch read backward.
std::string equal_layers(int layers) {
  std::string tensors = R"({"name": "x0", "bytes": 8})";
  std::string tasks =
      R"({"name": "F", "phase": "forward", "writes": ["x0"], "seconds": {"cpu": 3}})";
  const auto add = [&](const std::string& name, int bytes, const std::string& reads, int seconds,
                       const std::string& phase) {
    tensors += fmt::format(R"(, {{"name": "{}", "bytes": {}}})", name, bytes);
    tasks += fmt::format(
        R"(, {{"name": "T{0}", "phase": "{3}", "reads": [{1}], "writes": ["{0}"], "seconds": {{"cpu": {2}}}}})",
        name, reads, seconds, phase);
  };
  for (int i = 0; i < layers; ++i) {
    add(fmt::format("a{}", i), 20, fmt::format(R"("x{}")", i), 2, "forward");
    add(fmt::format("b{}", i), 30, fmt::format(R"("a{}")", i), 1, "forward");
    add(fmt::format("x{}", i + 1), 8, fmt::format(R"("x{0}", "b{0}")", i), 4, "forward");
  }
  add(fmt::format("g{}", layers), 8, fmt::format(R"("x{}")", layers), 1, "loss");
  for (int i = layers; i-- > 0;) {
    add(fmt::format("h{}", i), 20, fmt::format(R"("g{}", "b{}")", i + 1, i), 5, "backward");
    add(fmt::format("g{}", i), 8, fmt::format(R"("g{}", "h{}", "a{}", "x{}")", i + 1, i, i, i), 5,
        "backward");
  }
  return R"({"format": "stint-tasks", "version": 1, "name": "equal", "tensors": [)" + tensors +
         R"(], "tasks": [)" + tasks + R"(], "results": ["g0"]})";
}

struct Blocks {
  explicit Blocks(Problem of)
      : problem(std::move(of)),
        graph(*device_graph(problem, DeviceId{0})),
        recognised(recognise_chain(problem.graph(), problem.before)),
        meter(graph, problem.seconds[0]) {}

  std::optional<GraphPlan> plan(std::int64_t bytes) {
    return block_plan(graph, problem.seconds[0], *recognised.chain, bytes, solver);
  }
  std::int64_t keep_all_bytes() { return meter.measure(listed_order(problem)).peak_bytes; }

  Problem problem;
  DeviceGraph graph;
  Recognised recognised;
  SequenceMeter meter;
  BlockSolver solver{nullptr};
};

}  // namespace

TEST_CASE("of 48 equal layers one is solved, and the ends", "[graph]") {
  Blocks blocks(problem_of(equal_layers(48), plain_machine()));
  REQUIRE(blocks.recognised.chain);
  CHECK(blocks.plan(blocks.keep_all_bytes() / 2));
  CHECK(blocks.solver.solved() <= 3);
  CHECK(blocks.plan(blocks.keep_all_bytes() / 3));
  CHECK(blocks.solver.solved() <= 3);
}

TEST_CASE("plans of blocks fit, run every task, and cost no less with less memory", "[graph]") {
  Blocks blocks(problem_of(equal_layers(12), plain_machine()));
  REQUIRE(blocks.recognised.chain);
  const std::int64_t all = blocks.keep_all_bytes();
  double cost_with_more = 0;
  int plans = 0;
  for (const double share : {1.0, 0.7, 0.5, 0.4, 0.3, 0.25}) {
    const auto bytes = static_cast<std::int64_t>(static_cast<double>(all) * share);
    const auto plan = blocks.plan(bytes);
    if (!plan) continue;
    ++plans;
    CHECK(plan->measure.peak_bytes <= bytes);
    CHECK(blocks.meter.measure(plan->sequence).peak_bytes == plan->measure.peak_bytes);
    std::vector<char> ran(blocks.graph.tasks.size(), 0);
    for (const TaskId task : plan->sequence) ran[task] = 1;
    CHECK(std::count(ran.begin(), ran.end(), 1) == std::ssize(ran));
    CHECK(plan->measure.cost >= cost_with_more);
    cost_with_more = plan->measure.cost;
  }
  CHECK(plans >= 5);
}

TEST_CASE("plans of blocks of small graphs never cost less than the optimum, mostly as much",
          "[graph]") {
  int plans = 0;
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 4;
    options.with_workspace = seed % 2 == 1;
    const Graph graph = random_training(seed, options);
    Blocks blocks(problem_of(graph, plain_machine()));
    if (!blocks.recognised.chain) continue;
    const std::int64_t bytes = blocks.keep_all_bytes() * 3 / 4;
    const auto plan = blocks.plan(bytes);
    if (!plan) continue;
    const auto best = least_seconds(graph, bytes);
    REQUIRE(best);
    ++plans;
    CHECK(plan->measure.cost >= *best * (1 - 1e-9));
    if (plan->measure.cost <= *best * (1 + 1e-9)) ++optimal;
  }
  CAPTURE(plans, optimal);
  CHECK(plans >= 5);
  CHECK(optimal * 2 >= plans);
}

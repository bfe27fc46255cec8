// More of anything never costs more, and items take the cheaper way out of a memory that is full.
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

struct Amounts {
  std::int64_t bytes = 60;
  double deadline_seconds = 1000;
  double bytes_per_second = 5;
};

std::optional<double> least_joules(std::uint64_t seed, const Amounts& amounts) {
  RandomTrainingOptions options;
  options.layers = 2;
  const Graph graph = on_two_devices(random_training(seed, options), seed);
  TwoMemoriesOptions machine;
  machine.bytes_per_second = amounts.bytes_per_second;
  Request request = within("n0/hbm", amounts.bytes);
  request.memory["n0/ram"] = 30;
  request.deadline_seconds = amounts.deadline_seconds;
  request.strategy = "placement";
  request.limit = 0.05;
  const Outcome outcome = plan(problem_of(graph, two_memories(machine), request), {});
  if (!outcome.schedule) return std::nullopt;
  CHECK(validate(*outcome.schedule).empty());
  return outcome.schedule->predicted.objective.value;
}

// The values from the least amount on: once there is a plan there always is, and none costs more
// than the one before.
void check_falls(const std::vector<std::optional<double>>& values) {
  CHECK(values.back());
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!values[i - 1]) continue;
    REQUIRE(values[i]);
    CHECK(*values[i] <= *values[i - 1] * (1 + 1e-9));
  }
}

// A writes what D reads; between them B and C need the memory. All run on the accelerator, the
// processor is far too slow.
Graph away_and_back() {
  return parse_graph(R"({"format": "stint-tasks", "version": 1, "name": "away",
 "tensors": [{"name": "a", "bytes": 10}, {"name": "b", "bytes": 10}, {"name": "c", "bytes": 2}, {"name": "d", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"gpu": 5, "cpu": 900}},
           {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"gpu": 4, "cpu": 900}},
           {"name": "C", "reads": ["b"], "writes": ["c"], "workspace_bytes": 10, "seconds": {"gpu": 4, "cpu": 900}},
           {"name": "D", "reads": ["a", "c"], "writes": ["d"], "seconds": {"gpu": 1, "cpu": 900}}],
 "results": ["d"]})",
                     "away");
}

}  // namespace

TEST_CASE("energy falls or stays when memory grows", "[placement]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    std::vector<std::optional<double>> values;
    for (const std::int64_t bytes : {14, 20, 26, 32, 60})
      values.push_back(least_joules(seed, {bytes}));
    check_falls(values);
  }
}

TEST_CASE("energy falls or stays when the deadline grows", "[placement]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    std::vector<std::optional<double>> values;
    for (const double seconds : {10, 15, 20, 30, 100})
      values.push_back(least_joules(seed, {40, seconds}));
    check_falls(values);
  }
}

TEST_CASE("energy falls or stays when links are faster", "[placement]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    std::vector<std::optional<double>> values;
    for (const double speed : {0.5, 1.0, 3.0, 10.0, 100.0})
      values.push_back(least_joules(seed, {24, 1000, speed}));
    check_falls(values);
  }
}

TEST_CASE(
    "an item leaves a full memory if its copies cost less than computing it again, and only then",
    "[placement]") {
  // Billed for the deadline time costs nothing: 60 W for the 5 s of A, or 10 bytes out and back.
  const double joules_per_byte = GENERATE(14.0, 16.0);
  TwoMemoriesOptions machine;
  machine.states = 1;
  machine.joules_per_byte = joules_per_byte;
  Request request = within("n0/hbm", 22);
  request.deadline_seconds = 1000;
  request.bill = Bill::deadline;
  request.strategy = "placement";
  request.limit = 0.2;
  const Outcome outcome = plan(problem_of(away_and_back(), two_memories(machine), request), {});
  REQUIRE(outcome.schedule);
  const Predicted& predicted = outcome.schedule->predicted;
  const double always_on = 11 * 1000;
  const double once = 60 * (5 + 4 + 4 + 1);
  CHECK(predicted.joules == Approx(always_on + once + std::min(60.0 * 5, 20 * joules_per_byte)));
  CHECK(predicted.copied_bytes == (joules_per_byte < 15 ? 20 : 0));
  CHECK(predicted.recomputed == (joules_per_byte < 15 ? 0 : 1));
  if (has_cp_sat()) CHECK(predicted.objective.gap < 1e-6);
}

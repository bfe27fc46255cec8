#include <catch2/catch.hpp>
#include <limits>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/persistent.hpp"
#include "tests/planner/chains/het_chains.hpp"
#include "tests/planner/chains/het_exhaustive.hpp"
#include "tests/planner/chains/het_replay.hpp"

using namespace stint;

namespace {

// Legal, complete, within the memory, and of the stated cost.
void require_sound(const ChainProblem& problem, std::int64_t memory, const PersistentPlan& plan) {
  const ChainReplay played = replay(problem, {memory}, {}, plan.operations);
  REQUIRE(played.fault == "");
  REQUIRE(played.cost == plan.value);
}

int recomputed(const ChainOperations& operations, int forwards) {
  int count = 0;
  for (const ChainOperation& op : operations) {
    count += op.action == ChainAction::forward || op.action == ChainAction::forward_saving;
  }
  return count - forwards;
}

}  // namespace

TEST_CASE("the persistent optimum is that of the reference vectors, and replays", "[chains]") {
  for (const char* name : {"rotor.json", "rotor_large.json"}) {
    for (const RotorCase& one : read_rotor_cases(name)) {
      for (const RotorRow& row : one.rows) {
        const PersistentPlan plan = solve_persistent(one.problem, row.fast_bytes);
        REQUIRE(plan.feasible == row.persistent.has_value());
        if (!plan.feasible) continue;
        CHECK(plan.value == *row.persistent);
        CHECK(plan.lower_bound == *row.persistent);
        if (row.rotor_c) CHECK(plan.value <= *row.rotor_c);
        require_sound(one.problem, row.fast_bytes, plan);
      }
    }
  }
}

TEST_CASE("the least and the full memory of a chain are exact", "[chains]") {
  for (const RotorCase& one : read_rotor_cases("rotor.json")) {
    const PersistentPlan plan = solve_persistent(one.problem, 0);
    CHECK_FALSE(plan.feasible);
    CHECK(plan.full_bytes == *one.full_bytes);
    CHECK(plan.least_bytes == *one.least_persistent_bytes);
  }
}

TEST_CASE("one table gives the cost for every memory, and more memory never costs more",
          "[chains]") {
  for (const RotorCase& one : read_rotor_cases("rotor.json")) {
    PersistentOptions options;
    options.frontier = true;
    const auto frontier = solve_persistent(one.problem, 1000, options).frontier;
    REQUIRE(frontier.front().bytes == *one.least_persistent_bytes);
    REQUIRE(frontier.back().bytes == *one.full_bytes);
    std::size_t k = 0;
    double before = std::numeric_limits<double>::infinity();
    for (std::int64_t memory = frontier.front().bytes; memory <= *one.full_bytes; ++memory) {
      while (k + 1 < frontier.size() && frontier[k + 1].bytes <= memory) ++k;
      const double value = solve_persistent(one.problem, memory).value;
      CHECK(value == frontier[k].cost);
      CHECK(value <= before);
      before = value;
    }
  }
}

TEST_CASE("the course's chain recomputes 0, 1, 2 and 4 steps in 6, 5, 4 and 3 bytes", "[chains]") {
  const ChainProblem problem = course_chain(5);
  for (const auto& [memory, again] : {std::pair{6, 0}, {5, 1}, {4, 2}, {3, 4}}) {
    const PersistentPlan plan = solve_persistent(problem, memory);
    require_sound(problem, memory, plan);
    CHECK(recomputed(plan.operations, 5) == again);
  }
  const PersistentPlan none = solve_persistent(problem, 2);
  CHECK_FALSE(none.feasible);
  CHECK(none.least_bytes == 3);
  CHECK(none.full_bytes == 6);
}

TEST_CASE("persistent schedules of random chains replay, from the least memory to the full",
          "[chains]") {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    const ChainProblem problem = random_chain(random, pick(random, 1, 12), pick(random, 1, 9));
    const PersistentPlan range = solve_persistent(problem, 0);
    REQUIRE(range.full_bytes == full_memory_bytes(arrays_of(problem)));
    double before = std::numeric_limits<double>::infinity();
    for (std::int64_t memory = range.least_bytes; memory <= range.full_bytes; ++memory) {
      const PersistentPlan plan = solve_persistent(problem, memory);
      REQUIRE(plan.feasible);
      require_sound(problem, memory, plan);
      CHECK(plan.value <= before);
      before = plan.value;
    }
    if (range.full_bytes > 0 && range.least_bytes > 0) {
      CHECK_FALSE(solve_persistent(problem, range.least_bytes - 1).feasible);
    }
    CHECK(before == cost_without_recomputing(arrays_of(problem)));
  }
}

TEST_CASE("rounded memory stays within the bound, and the loss is bounded", "[chains]") {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const ChainProblem problem = random_rotor_chain(random, pick(random, 2, 20), 40);
    const PersistentPlan range = solve_persistent(problem, 0);
    const std::int64_t memory = (range.least_bytes + 2 * range.full_bytes) / 3;
    const PersistentPlan exact = solve_persistent(problem, memory);
    PersistentOptions options;
    options.units = pick(random, 20, 60);
    options.bound_the_loss = true;
    const PersistentPlan plan = solve_persistent(problem, memory, options);
    if (!plan.feasible) continue;
    require_sound(problem, memory, plan);
    CHECK(plan.value >= exact.value);
    CHECK(plan.lower_bound <= exact.value);
  }
}

TEST_CASE("the number of threads and the precision do not change the plan of a chain", "[chains]") {
  Random random(13);
  const ChainProblem problem = random_rotor_chain(random, 60, 30);
  const std::int64_t memory = solve_persistent(problem, 0).full_bytes / 3;
  PersistentOptions options;
  const PersistentPlan one = solve_persistent(problem, memory, options);
  options.threads = 3;
  CHECK(solve_persistent(problem, memory, options).operations == one.operations);

  // Halves make every sum exact in both precisions, but keep the shortcut for integers out.
  ChainProblem halves = problem;
  for (ChainStage& stage : halves.stages) stage.forward_cost += 0.5;
  const PersistentPlan in_double = solve_persistent(halves, memory, options);
  options.table_bytes = 0;
  options.units = 100000;
  const PersistentPlan in_float = solve_persistent(halves, memory, options);
  CHECK(in_float.rounded);
  CHECK(in_float.value == in_double.value);
}

TEST_CASE("a backward that reads only its output follows at once on the stages after it",
          "[chains]") {
  // conv, relu, conv, relu …: the relu's backward reads its output, the conv's its input.
  ChainProblem problem;
  problem.input_bytes = 1;
  for (int i = 0; i < 12; ++i) {
    ChainStage stage;
    stage.forward_cost = i % 2 == 0 ? 10 : 1;
    stage.backward_cost = stage.forward_cost;
    stage.output_bytes = 1;
    stage.backward_reads_input = i % 2 == 0;
    stage.backward_reads_output = i % 2 == 1;
    problem.stages.push_back(stage);
  }
  const PersistentPlan range = solve_persistent(problem, 0);
  CHECK(range.full_bytes == 8);  // every second activation, and one more on the way
  for (const std::int64_t memory : {7, 6, 5, 4}) {
    CHECK(solve_persistent(problem, memory).value == *exhaustive_cost(problem, memory, {}));
  }
}

#include <catch2/catch.hpp>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/offload.hpp"
#include "tests/planner/chains/het_chains.hpp"
#include "tests/planner/chains/het_exhaustive.hpp"
#include "tests/planner/chains/het_replay.hpp"

using namespace stint;

namespace {

void require_sound(const ChainProblem& problem, std::int64_t fast,
                   const std::vector<SlowMemory>& slow, const OffloadPlan& plan) {
  std::vector<std::int64_t> capacities{fast};
  for (const SlowMemory& memory : slow) capacities.push_back(memory.bytes);
  const ChainReplay played = replay(problem, capacities, slow, plan.operations);
  REQUIRE(played.fault == "");
  REQUIRE(played.cost == plan.value);
}

}  // namespace

TEST_CASE("schedules that offload replay within every memory", "[chains]") {
  Random random(19);
  for (int round = 0; round < 600; ++round) {
    const int stages = pick(random, 1, 10);
    const bool rotor = pick(random, 0, 1) == 0;
    const ChainProblem problem =
        rotor ? random_rotor_chain(random, stages, 8) : random_chain(random, stages, 8);
    const ChainArrays chain = arrays_of(problem);
    std::vector<SlowMemory> slow;
    for (int k = pick(random, 0, 2); k > 0; --k) slow.push_back(random_memory(random, 12));
    const int fast = pick(random, static_cast<int>(largest_operation_bytes(chain)),
                          static_cast<int>(full_memory_bytes(chain)));
    const OffloadPlan plan = solve_offload(problem, fast, slow);
    const PersistentPlan plain = solve_persistent(problem, fast);
    if (plain.feasible) REQUIRE(plan.feasible);
    if (plain.feasible) CHECK(plan.value <= plain.value);
    if (plan.feasible) require_sound(problem, fast, slow, plan);
  }
}

TEST_CASE("a free and large slow memory makes recomputing needless", "[chains]") {
  const ChainProblem problem = course_chain(20);
  const SlowMemory large{1000, 0, 0, 0, 0};
  const OffloadPlan plan = solve_offload(problem, 3, {large});
  REQUIRE(plan.feasible);
  require_sound(problem, 3, {large}, plan);
  CHECK(plan.value == cost_without_recomputing(arrays_of(problem)));
}

TEST_CASE("what is written once to a slow memory can be read several times", "[chains]") {
  // Writing is dear, reading free: with one write x_0 can be kept away for good.
  const ChainProblem problem = course_chain(6);
  const SlowMemory disk{1, 5, 0, 0, 0};
  for (const std::int64_t fast : {2, 3}) {
    const OffloadPlan plan = solve_offload(problem, fast, {disk});
    REQUIRE(plan.feasible);
    require_sound(problem, fast, {disk}, plan);
    CHECK(plan.value == *exhaustive_cost(problem, fast, {disk}));
  }
}

TEST_CASE("offloading is close to the optimum of the reference chains", "[chains]") {
  int rows = 0;
  int optimal = 0;
  for (const RotorCase& one : read_rotor_cases("het2_energy.json")) {
    for (const RotorRow& row : one.rows) {
      const OffloadPlan plan = solve_offload(one.problem, row.fast_bytes, row.slow);
      if (plan.feasible) require_sound(one.problem, row.fast_bytes, row.slow, plan);
      if (!row.exact) continue;
      ++rows;
      if (plan.feasible) CHECK(plan.value >= *row.exact);
      optimal += plan.feasible && plan.value == *row.exact;
    }
  }
  CHECK(4 * optimal > 3 * rows);
}

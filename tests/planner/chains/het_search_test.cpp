#include <catch2/catch.hpp>
#include <limits>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/chain_search.hpp"
#include "tests/planner/chains/het_chains.hpp"
#include "tests/planner/chains/het_exhaustive.hpp"
#include "tests/planner/chains/het_replay.hpp"

using namespace stint;

namespace {

std::vector<std::int64_t> capacities(std::int64_t fast, const std::vector<SlowMemory>& slow) {
  std::vector<std::int64_t> all{fast};
  for (const SlowMemory& memory : slow) all.push_back(memory.bytes);
  return all;
}

// Proved, and of this value; no value: proved that there is no schedule.
void require_optimum(const ChainProblem& problem, std::int64_t fast,
                     const std::vector<SlowMemory>& slow, const std::optional<double>& value,
                     bool pinned = false) {
  ChainSearchOptions options;
  options.states = 3000000;
  options.pinned = pinned;
  const ChainPlan plan = solve_chain(problem, fast, slow, options);
  REQUIRE(plan.optimal);
  REQUIRE(plan.feasible == value.has_value());
  if (!value) return;
  REQUIRE(plan.value == *value);
  REQUIRE(plan.lower_bound == *value);
  const ChainReplay played = replay(problem, capacities(fast, slow), slow, plan.operations, pinned);
  REQUIRE(played.fault == "");
  REQUIRE(played.cost == *value);
}

void compare_with_exhaustive(std::uint64_t seed, int rounds, int memories, int most_stages) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const ChainProblem problem =
        random_chain(random, pick(random, 1, most_stages), pick(random, 1, 6));
    const ChainArrays chain = arrays_of(problem);
    std::vector<SlowMemory> slow;
    for (int k = 1; k < memories; ++k) slow.push_back(random_memory(random, 6));
    const int from = static_cast<int>(largest_operation_bytes(chain));
    const int fast =
        pick(random, std::max(0, from - 1), static_cast<int>(full_memory_bytes(chain)) + 1);
    INFO("seed " << seed << " round " << round << " fast " << fast);
    require_optimum(problem, fast, slow, exhaustive_cost(problem, fast, slow));
  }
}

}  // namespace

TEST_CASE("the search proves the exact optimum of every reference chain", "[chains]") {
  for (const RotorCase& one : read_rotor_cases("rotor.json")) {
    for (const RotorRow& row : one.rows)
      require_optimum(one.problem, row.fast_bytes, {}, row.exact);
  }
}

TEST_CASE("the search proves the optimum with pinned inputs of every reference chain", "[chains]") {
  for (const RotorCase& one : read_rotor_cases("rotor.json")) {
    for (const RotorRow& row : one.rows) {
      require_optimum(one.problem, row.fast_bytes, {}, row.exact_pinned, true);
    }
  }
}

TEST_CASE("the search proves the least energy of every reference chain with a slow memory",
          "[chains]") {
  for (const RotorCase& one : read_rotor_cases("het2_energy.json")) {
    for (const RotorRow& row : one.rows) {
      require_optimum(one.problem, row.fast_bytes, row.slow, row.exact);
    }
  }
}

TEST_CASE("the search agrees with exhaustive search in one memory", "[chains]") {
  compare_with_exhaustive(1, 3000, 1, 5);
}

TEST_CASE("the search agrees with exhaustive search in two memories", "[chains]") {
  compare_with_exhaustive(2, 1500, 2, 3);
}

TEST_CASE("the search agrees with exhaustive search in three memories", "[chains]") {
  compare_with_exhaustive(3, 1000, 3, 2);
}

TEST_CASE("the least memory of a chain is exact", "[chains]") {
  for (const RotorCase& one : read_rotor_cases("rotor.json")) {
    const LeastMemory least = least_fast_bytes(one.problem);
    CHECK(least.bytes == *one.least_exact_bytes);
    CHECK(least.lower_bound == *one.least_exact_bytes);
  }
}

TEST_CASE("more memory never costs more, fast or slow", "[chains]") {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    const ChainProblem problem = random_rotor_chain(random, 5, 5);
    const SlowMemory disk{10, 0, 1, 0, 0.5};
    const std::int64_t full = full_memory_bytes(arrays_of(problem));
    double before = std::numeric_limits<double>::infinity();
    for (std::int64_t fast = least_fast_bytes(problem).bytes; fast <= full; ++fast) {
      const double alone = solve_chain(problem, fast).value;
      CHECK(alone <= before);
      CHECK(solve_chain(problem, fast, {disk}).value <= alone);
      before = alone;
    }
  }
}

TEST_CASE("a search that is cut short says what it knows", "[chains]") {
  Random random(17);
  const ChainProblem problem = random_rotor_chain(random, 24, 9);
  const std::int64_t fast = full_memory_bytes(arrays_of(problem)) / 2;
  ChainSearchOptions options;
  options.states = 2000;
  const ChainPlan plan = solve_chain(problem, fast, {}, options);
  REQUIRE(plan.feasible);
  CHECK_FALSE(plan.optimal);
  CHECK(plan.lower_bound >= cost_without_recomputing(arrays_of(problem)));
  CHECK(plan.lower_bound < plan.value);
  CHECK(plan.value <= solve_persistent(problem, fast).value);
  CHECK(solve_chain(problem, fast, {}, options).operations == plan.operations);
}

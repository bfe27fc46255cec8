#include <catch2/catch.hpp>
#include <limits>

#include "files/input_error.hpp"
#include "planner/chains/chain_memory.hpp"
#include "planner/chains/chain_search.hpp"
#include "tests/planner/chains/het_chains.hpp"
#include "tests/planner/chains/het_replay.hpp"

using namespace stint;

namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::string fault_of(const ChainProblem& problem) {
  try {
    check(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a chain that makes no sense is refused with its fault", "[chains]") {
  ChainProblem problem = course_chain(3);
  CHECK(fault_of(problem) == "");
  CHECK_THAT(fault_of({}), Catch::Contains("no stages"));
  problem.stages[1].output_bytes = -1;
  CHECK_THAT(fault_of(problem), Catch::Contains("stage 1: output_bytes is -1"));
  problem = course_chain(3);
  problem.stages[2].forward_cost = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(fault_of(problem), Catch::Contains("stage 2: forward_cost is nan"));
  problem = course_chain(3);
  problem.stages[0].tape = Tape::holds_output;
  CHECK_THAT(fault_of(problem), Catch::Contains("no smaller"));
  problem = course_chain(3);
  problem.stages[0].tape_bytes = 1;
  CHECK_THAT(fault_of(problem), Catch::Contains("there is no tape"));
  problem = course_chain(3);
  problem.stages.back().output_bytes = 1;
  CHECK_THAT(fault_of(problem), Catch::Contains("it has no forward"));
  problem = course_chain(3);
  problem.stages.back().backward_reads_input = false;
  CHECK_THAT(fault_of(problem), Catch::Contains("so that every forward runs"));
  problem = course_chain(3);
  problem.stages[1].gradient_in_place = true;
  problem.stages[1].gradient_bytes = 1;
  CHECK_THAT(fault_of(problem), Catch::Contains("overwrites"));
}

TEST_CASE("sizes at the end of the range are refused, not added up", "[chains]") {
  ChainProblem problem = course_chain(3);
  problem.stages[0].output_bytes = huge;
  CHECK_THAT(fault_of(problem), Catch::Contains("beyond the range"));
  problem = course_chain(3);
  for (ChainStage& stage : problem.stages) stage.gradient_bytes = huge / 17;
  CHECK_THAT(fault_of(problem), Catch::Contains("beyond the range"));
  CHECK_THROWS_AS(check(std::vector<SlowMemory>{{-1}}), InputError);
}

TEST_CASE("a chain in all the memory there is keeps everything", "[chains]") {
  const ChainPlan plan = solve_chain(course_chain(5), huge);
  CHECK(plan.optimal);
  CHECK(plan.value == 11);
  CHECK(replay(course_chain(5), {6}, {}, plan.operations).fault == "");
}

TEST_CASE("sizes of terabytes are no different from bytes", "[chains]") {
  constexpr std::int64_t scale = (std::int64_t{1} << 43) + 12345;
  ChainProblem problem = course_chain(5);
  problem.input_bytes = scale;
  for (ChainStage& stage : problem.stages) stage.output_bytes *= scale;
  const ChainPlan plan = solve_chain(problem, 4 * scale + 17);
  CHECK(plan.optimal);
  CHECK(plan.value == 13);
  CHECK(peak_bytes(arrays_of(problem), 1, plan.operations).front() == 4 * scale);
}

TEST_CASE("the last forward runs even if nobody reads what it writes", "[chains]") {
  ChainProblem problem = course_chain(2);
  problem.last_forward = true;
  problem.stages.back().forward_cost = 3;
  problem.stages.back().output_bytes = 2;
  CHECK(full_memory_bytes(arrays_of(problem)) == 5);  // x_0 x_1 x_2 and the output for a moment
  const ChainPlan plan = solve_chain(problem, 5);
  CHECK(plan.value == 2 + 3 + 3);
  CHECK(replay(problem, {5}, {}, plan.operations).fault == "");
}

TEST_CASE("a chain without bytes needs no memory", "[chains]") {
  ChainProblem problem = course_chain(3);
  problem.input_bytes = 0;
  for (ChainStage& stage : problem.stages) stage.output_bytes = 0;
  const ChainPlan plan = solve_chain(problem, 0);
  CHECK(plan.optimal);
  CHECK(plan.value == 7);
  CHECK_FALSE(solve_chain(problem, -1).feasible);
}

#include "planner/chains/disk_revolve.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/chains/revolve.hpp"
#include "tests/planner/chains/exhaustive.hpp"
#include "tests/planner/chains/number_table.hpp"
#include "tests/planner/chains/random_sync.hpp"
#include "tests/planner/chains/sync_replay.hpp"

using namespace stint;

namespace {

SyncProblem model_of(const DiskRevolveProblem& problem) {
  return {problem.length,
          problem.forward_cost,
          problem.backward_cost,
          {{problem.slots, 0, 0}, {problem.length + 1, problem.write_cost, problem.read_cost}}};
}

SyncPlan checked_disk_plan(const DiskRevolveProblem& problem) {
  SyncPlan plan = solve_disk_revolve(problem);
  const SyncReplay replay = replay_sync(model_of(problem), plan.steps);
  CHECK(replay.fault == "");
  CHECK(replay.cost == plan.cost);
  CHECK(plan.optimal() != problem.one_read);
  if (problem.one_read) CHECK(replay.most_reads <= 1);
  return plan;
}

DiskRevolveProblem problem_of(const NumberRow& row) {
  const auto number = [&](int i) { return static_cast<double>(*row[i]); };
  return {*row[0], *row[1], number(2), number(3), number(4), number(5)};
}

}  // namespace

TEST_CASE("Disk-Revolve is optimal on every reference case, with one read and with several") {
  const auto rows = read_number_table("disk_revolve.txt");
  REQUIRE(rows.size() == 585);
  for (const NumberRow& row : rows) {
    DiskRevolveProblem problem = problem_of(row);
    CAPTURE(problem.length, problem.slots, problem.write_cost, problem.read_cost);
    CHECK(checked_disk_plan(problem).cost == static_cast<double>(*row[6]));
    if (row[8]) CHECK(row[6] == row[8]);
    problem.one_read = true;
    CHECK(checked_disk_plan(problem).cost == static_cast<double>(*row[7]));
  }
}

TEST_CASE("Disk-Revolve finds the optimum of exhaustive search on random chains") {
  RandomSync random(5);
  for (int i = 0; i < 400; ++i) {
    const DiskRevolveProblem problem{random.number(0, 5),
                                     random.number(0, 3),
                                     static_cast<double>(random.number(1, 9)),
                                     static_cast<double>(random.number(0, 9)),
                                     static_cast<double>(random.number(0, 30)),
                                     static_cast<double>(random.number(0, 30))};
    CAPTURE(i);
    CHECK(checked_disk_plan(problem).cost == exhaustive_sync_cost(model_of(problem)));
  }
}

TEST_CASE("Disk-Revolve's fast minimum is the plain recurrence's on long chains") {
  const auto slots = GENERATE(1, 3, 10);
  const auto disk = GENERATE(2.0, 40.0, 900.0);
  const DiskRevolveProblem problem{700, slots, 3, 5, disk, 2 * disk};
  const std::vector<double> o0 = revolve_costs({700, slots, 3, 5});
  std::vector<double> o1 = o0;
  std::vector<double> opt = o0;
  for (int q = 1; q <= 700; ++q) {
    for (int j = 1; j <= q; ++j) {
      o1[q] = std::min(o1[q], j * 3 + o0[q - j] + 2 * disk + o1[j - 1]);
      opt[q] = std::min(opt[q], disk + j * 3 + opt[q - j] + 2 * disk + o1[j - 1]);
    }
  }
  CHECK(checked_disk_plan(problem).cost == opt[700]);
}

TEST_CASE("Disk-Revolve reverses ten thousand steps") {
  CHECK(checked_disk_plan({10000, 100, 1, 2, 20, 20}).optimal());
  CHECK(checked_disk_plan({10000, 3, 1, 2, 20, 20}).optimal());
}

#include <algorithm>
#include <catch2/catch.hpp>

#include "benchmarks/overhead/shape_schedule.hpp"
#include "benchmarks/overhead/task_shapes.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace stint;

namespace {

int dependencies_between_workers(const TaskShape& shape) {
  int count = 0;
  for (const ShapeTask& task : shape.tasks)
    count += static_cast<int>(
        std::count_if(task.predecessors.begin(), task.predecessors.end(),
                      [&](int before) { return shape.tasks[before].worker != task.worker; }));
  return count;
}

}  // namespace

TEST_CASE("shapes hand over between workers where their names say so", "[overhead]") {
  REQUIRE(dependencies_between_workers(independent_tasks(40)) == 0);
  REQUIRE(dependencies_between_workers(chain_on_one_worker(40)) == 0);
  REQUIRE(dependencies_between_workers(alternating_chain(40)) == 39);
  REQUIRE(dependencies_between_workers(layered_tasks(40)) > 8);
}

TEST_CASE("tasks of a layer depend on one or two of the layer before", "[overhead]") {
  const TaskShape shape = layered_tasks(80);
  for (int task = 0; task < 80; ++task) {
    const auto& predecessors = shape.tasks[task].predecessors;
    CAPTURE(task);
    REQUIRE(predecessors.empty() == (task < 8));
    REQUIRE(predecessors.size() <= 2);
    for (const int before : predecessors) REQUIRE(before / 8 == task / 8 - 1);
  }
}

TEST_CASE("the schedule of every shape is a good one", "[overhead]") {
  const int which = GENERATE(range(0, 4));
  const int tasks = GENERATE(1, 50);
  REQUIRE(broken_rules(shape_schedule(all_shapes(tasks)[which])).empty());
}

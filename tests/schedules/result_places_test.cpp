#include "schedules/result_places.hpp"

#include <catch2/catch.hpp>

#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

TEST_CASE("the result of the chain is in the buffer that its last step wrote", "[result_places]") {
  const Schedule schedule = chain_recomputed();
  const auto places = result_places(schedule);
  REQUIRE(places.size() == schedule.graph.results.size());
  const TensorId held = schedule.buffers[places[0].buffer].tensor;
  CHECK(schedule.graph.tensors[held].name == "g0");
}

TEST_CASE("a result whose first buffer was overwritten is found in the second", "[result_places]") {
  ScheduleBuilder builder(R"({"format": "stint-tasks", "version": 1, "name": "twice",
      "tensors": [{"name": "x", "bytes": 4, "kind": "input"}, {"name": "r", "bytes": 4},
                  {"name": "s", "bytes": 4}],
      "tasks": [{"name": "R", "reads": ["x"], "writes": ["r"], "seconds": {"cpu": 1}},
                {"name": "S", "reads": ["r"], "writes": ["s"], "seconds": {"cpu": 1}}],
      "results": ["r", "s"]})",
                          platform_text(course_machine()));
  const BufferId x = builder.initial("x", "n0/ram", 0);
  const BufferId r1 = builder.buffer("r", "n0/ram", 4);
  const BufferId s = builder.buffer("s", "n0/ram", 8);
  const BufferId r2 = builder.buffer("r", "n0/ram", 12);
  const BufferId again = builder.buffer("s", "n0/ram", 4);
  builder.compute("R", "n0/cpu/0", {x}, {r1});
  builder.compute("S", "n0/cpu/0", {r1}, {s});
  builder.compute("R", "n0/cpu/0", {x}, {r2});
  builder.compute("S", "n0/cpu/0", {r2}, {again});
  const auto places = result_places(builder.finish());
  CHECK(places[0].buffer == r2);
  CHECK(places[1].buffer == s);
}

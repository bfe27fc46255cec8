// Double buffers: the halves take turns, and every action finds the bytes it means.
#include "executor/operands.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "tests/executor/replays.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace stint;

namespace {

const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "state",
  "tensors": [{"name": "x", "bytes": 9, "kind": "input"}, {"name": "w", "bytes": 13, "kind": "state"},
              {"name": "y", "bytes": 9}, {"name": "z", "bytes": 9}],
  "tasks": [{"name": "R", "reads": ["x", "w"], "writes": ["y"], "seconds": {"cpu": 1}},
            {"name": "U", "reads": ["y"], "updates": ["w"], "seconds": {"cpu": 1}},
            {"name": "S", "reads": ["w"], "writes": ["z"], "seconds": {"cpu": 1}}],
  "results": ["z"]})";

const char* const machine = R"({"format": "stint-platform", "version": 1, "name": "m",
  "nodes": [{"name": "n", "memories": [{"name": "a", "bytes": 1000}, {"name": "b", "bytes": 1000}],
    "devices": [{"name": "p", "kind": "cpu", "memory": "a", "workers": 2,
                 "states": [{"name": "s", "speed": 1, "busy_watts": 1}]}],
    "links": [{"from": "a", "to": "b", "bytes_per_second": 1e9},
              {"from": "b", "to": "a", "bytes_per_second": 1e9}]}]})";

// x is loaded a step ahead; w has two halves, so that R may read the old one while U writes.
struct Paired {
  ScheduleBuilder builder{graph, machine};
  BufferId x, w, y, z;
  ActionId r, u, s;

  Paired() {
    x = builder.pair("x", "n/a", 0, 10);
    w = builder.pair("w", "n/a", 20, 40);
    y = builder.buffer("y", "n/a", 60);
    z = builder.buffer("z", "n/a", 70);
    r = builder.compute("R", "n/p/0", {x, w}, {y});
    u = builder.compute("U", "n/p/0", {y}, {});
    builder.action(u).updates = {w};
    s = builder.compute("S", "n/p/1", {w}, {z}, {u});
    builder.load("n/p/1", x, 1);
  }
};

}  // namespace

TEST_CASE("double buffers of inputs and state carry the right bytes over many steps",
          "[operands]") {
  Paired paired;
  const Schedule schedule = paired.builder.finish();
  for (const std::int64_t steps : {1, 2, 3, 6}) {
    RunOptions options = quick_options();
    options.steps = steps;
    options.warmup_steps = 1;
    CHECK(hashes(replay(schedule, options)) == reference_run(schedule.graph, steps));
  }
}

TEST_CASE("a copy of updated state reads the half of the next step", "[operands]") {
  Paired paired;
  const BufferId away = paired.builder.buffer("w", "n/b", 0);
  const BufferId back = paired.builder.buffer("w", "n/a", 100);
  const ActionId out = paired.builder.copy("n/a>n/b", paired.w, away, {paired.u});
  const ActionId in = paired.builder.copy("n/b>n/a", away, back, {out});
  paired.builder.action(paired.s).reads = {back};
  paired.builder.action(paired.s).after = {in};
  const Schedule schedule = paired.builder.finish();
  CHECK(hashes(replay(schedule)) == reference_run(schedule.graph, 3));
}

TEST_CASE("a load for this step comes every step", "[operands]") {
  ScheduleBuilder builder(graph, machine);
  const BufferId x = builder.buffer("x", "n/a", 0);
  const BufferId w = builder.initial("w", "n/a", 20);
  const BufferId y = builder.buffer("y", "n/a", 40);
  const BufferId z = builder.buffer("z", "n/a", 60);
  builder.load("n/p/0", x);
  builder.compute("R", "n/p/0", {x, w}, {y});
  const ActionId u = builder.compute("U", "n/p/0", {y}, {});
  builder.action(u).updates = {w};
  builder.compute("S", "n/p/1", {w}, {z}, {u});
  const Schedule schedule = builder.finish();
  CHECK(hashes(replay(schedule)) == reference_run(schedule.graph, 3));
}

TEST_CASE("a place in the other half follows the first by a step", "[operands]") {
  Paired paired;
  const Schedule schedule = paired.builder.finish();
  const Place current = place(schedule, paired.w);
  const Place other = place(schedule, paired.w, true);
  for (std::int64_t step = 0; step < 4; ++step) {
    CHECK(current.offset(step) == (step % 2 == 0 ? 20 : 40));
    CHECK(other.offset(step) == current.offset(step + 1));
  }
  const Place single = place(schedule, paired.y, true);
  CHECK(single.offset(0) == 60);
  CHECK(single.offset(1) == 60);
}

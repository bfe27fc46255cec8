#include "schedules/handed_bytes.hpp"

#include <catch2/catch.hpp>

#include "schedules/simulate.hpp"
#include "schedules/waiting.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// A makes a of 64 bytes, which B and C read; both on the other worker. A second step follows.
struct TwoReaders {
  ScheduleBuilder builder;
  explicit TwoReaders(std::int64_t cache_bytes = 0, int shared_by = 1)
      : builder(R"({"format": "stint-tasks", "version": 1, "name": "pass",
          "tensors": [{"name": "x", "bytes": 16, "kind": "input"}, {"name": "a", "bytes": 64},
                      {"name": "b", "bytes": 8}, {"name": "c", "bytes": 8}],
          "tasks": [{"name": "A", "reads": ["x"], "writes": ["a"], "seconds": {"cpu": 1}},
                    {"name": "B", "reads": ["a"], "writes": ["b"], "seconds": {"cpu": 1}},
                    {"name": "C", "reads": ["a"], "writes": ["c"], "seconds": {"cpu": 1}}],
          "results": []})",
                platform_text(course_machine(2))) {
    Device& cpu = builder.schedule().platform.devices.front();
    cpu.time_model[hand_over_prices].terms = {{read_term, 0.25}, {write_term, 0.5}};
    if (cache_bytes > 0) cpu.caches = {{.level = 1, .bytes = cache_bytes, .shared_by = shared_by}};
  }

  Schedule on(const std::string& maker, const std::string& reader) {
    const BufferId x = builder.initial("x", "n0/ram", 0);
    const BufferId a = builder.buffer("a", "n0/ram", 16);
    const BufferId b = builder.buffer("b", "n0/ram", 80);
    const BufferId c = builder.buffer("c", "n0/ram", 88);
    const std::vector<ActionId> made = {builder.compute("A", maker, {x}, {a})};
    const bool same = maker == reader;
    builder.compute("B", reader, {a}, {b}, same ? std::vector<ActionId>{} : made);
    builder.compute("C", reader, {a}, {c});
    return builder.finish();
  }
};

}  // namespace

TEST_CASE("bytes that another worker holds are fetched once, and taken away to be written",
          "[handed_bytes]") {
  TwoReaders step;
  const Schedule schedule = step.on("n0/cpu/0", "n0/cpu/1");
  expect_good(schedule);
  // A takes a back from the reader of the step before; its input was brought by its own thread. B
  // fetches a, C finds it.
  CHECK(simulate(schedule).seconds == std::vector<double>{1 + 0.5 * 64, 1 + 0.25 * 64, 1});
}

TEST_CASE("inputs are brought in by the first worker", "[handed_bytes]") {
  TwoReaders step;
  Schedule schedule = step.on("n0/cpu/1", "n0/cpu/0");
  CHECK(simulate(schedule).seconds.front() == 1 + 0.5 * 64 + 0.25 * 16);
}

TEST_CASE("who works alone fetches nothing", "[handed_bytes]") {
  TwoReaders step;
  CHECK(simulate(step.on("n0/cpu/0", "n0/cpu/0")).seconds == std::vector<double>{1, 1, 1});
}

TEST_CASE("a worker holds no more than its own cache", "[handed_bytes]") {
  TwoReaders small(32);
  const Schedule schedule = small.on("n0/cpu/0", "n0/cpu/1");
  // Of a, half is still held where it was made; the reader has touched b and c since, and a again.
  CHECK(simulate(schedule).seconds == std::vector<double>{1 + 0.5 * 24, 1 + 0.25 * 32, 1});
  TwoReaders shared(32, 2);  // nobody's own
  CHECK(simulate(shared.on("n0/cpu/0", "n0/cpu/1")).seconds[1] == 1 + 0.25 * 64);
}

TEST_CASE("plans with priced hand-overs are judged as they are simulated", "[handed_bytes]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Schedule schedule = random_plan(seed);
    const double before = simulate(schedule).makespan_seconds;
    for (Device& device : schedule.platform.devices)
      device.time_model[hand_over_prices].terms = {{read_term, 1e-3}, {write_term, 2e-3}};
    for (Action& action : schedule.actions)
      action.start_seconds = action.seconds = action.joules = std::nullopt;
    predict_again(schedule);
    expect_good(schedule);
    CHECK(simulate(schedule).makespan_seconds >= before * (1 - 1e-12));
  }
}

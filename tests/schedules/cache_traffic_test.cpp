// What of a task is not in a cache, and what that costs by its op's own model.
#include "schedules/cache_traffic.hpp"

#include <catch2/catch.hpp>

#include "schedules/perturb.hpp"
#include "schedules/simulate.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

// Of 124 bytes in all: A finds y, which the step before read last; B finds y, but z is 124 bytes
// ago; in C, y is 120 bytes ago and w 124. Tasks have flops, for which a model gives them a second.
constexpr const char* graph_text = R"({"format": "stint-tasks", "version": 1, "name": "old",
  "tensors": [{"name": "y", "bytes": 60}, {"name": "z", "bytes": 60}, {"name": "w", "bytes": 4},
              {"name": "done", "bytes": 0}],
  "tasks": [{"name": "A", "op": "made", "flops": 1, "writes": ["y"]},
            {"name": "B", "op": "made", "flops": 1, "reads": ["y"], "writes": ["z", "done"]},
            {"name": "C", "op": "read", "flops": 1, "reads": ["y", "done"], "writes": ["w"]}],
  "results": []})";

struct OldBytes {
  ScheduleBuilder builder{graph_text, platform_text(course_machine(1))};

  Device& cpu() { return builder.schedule().platform.devices.front(); }

  OldBytes() {
    cpu().caches = {{.level = 1, .bytes = 119, .shared_by = 1},
                    {.level = 2, .bytes = 120, .shared_by = 1}};
    cpu().time_model = {{"*", {.terms = {{"flops", 1.0}}}}};
  }

  Schedule planned() {
    const BufferId y = builder.buffer("y", "n0/ram", 0);
    const BufferId z = builder.buffer("z", "n0/ram", 60);
    const BufferId w = builder.buffer("w", "n0/ram", 120);
    const BufferId done = builder.buffer("done", "n0/ram", 124);
    builder.compute("A", "n0/cpu/0", {}, {y});
    builder.compute("B", "n0/cpu/0", {y}, {z, done});
    builder.compute("C", "n0/cpu/0", {y, done}, {w});
    return builder.finish();
  }
};

}  // namespace

TEST_CASE("bytes and operands that are not in a cache are features of tasks in listed order",
          "[caches]") {
  OldBytes step;
  const auto features = cache_features(step.builder.schedule().graph, step.cpu());
  REQUIRE(features.size() == 3);
  using Features = std::map<std::string, double>;
  CHECK(features[0] == Features{{"level1_bytes", 0},
                                {"level1_code", 1},
                                {"level1_operands", 0},
                                {"level2_bytes", 0},
                                {"level2_code", 1},
                                {"level2_operands", 0}});
  CHECK(features[1].at("level1_bytes") == 60);
  CHECK(features[1].at("level2_operands") == 1);
  CHECK(features[2].at("level1_bytes") == 64);
  CHECK(features[2].at("level1_operands") == 2);
  CHECK(features[2].at("level2_bytes") == 4);
  CHECK(features[2].at("level2_operands") == 1);
  for (const auto& [name, value] : features[2]) CHECK(is_cache_term(name));
  CHECK_FALSE(is_cache_term("level2"));
  CHECK_FALSE(is_cache_term("bytes"));
}

// A finds the code that B ran in the step before, 64 bytes ago, but was itself run 124 bytes ago; C
// and its op ran 120 bytes ago.
TEST_CASE("code that was run too long ago is not in a cache", "[caches]") {
  OldBytes step;
  const auto features = cache_features(step.builder.schedule().graph, step.cpu());
  CHECK(features[1].at("level1_code") == 0);
  CHECK(features[2].at("level1_code") == 2);
  CHECK(features[2].at("level2_code") == 0);
  step.cpu().time_model["*"].terms["level1_code"] = 16.0;
  const Simulation seen = simulate(step.planned());
  CHECK(seen.seconds.at(0) == Approx(1 + 16));
  CHECK(seen.seconds.at(1) == Approx(1));
  CHECK(seen.seconds.at(2) == Approx(1 + 2 * 16));
}

TEST_CASE("what a task fetches is corrected with the rest of its time", "[caches]") {
  OldBytes step;
  TimeModel& read = step.cpu().time_model["read"];
  read.terms = {{"flops", 1.0}, {"level1_bytes", 0.5}};
  read.correction = {.features = {}, .widths = {}, .caution = 1, .points = {{{}, 3, 1.5}}};
  CHECK(simulate(step.planned()).seconds.at(2) == Approx((1 + 64 * 0.5) * 1.375));
}

TEST_CASE("an op's own model prices what its tasks fetch, instead of the prices of all ops",
          "[caches]") {
  OldBytes step;
  step.cpu().time_model[cache_prices].terms = {{"level1", 100.0}};
  TimeModel& read = step.cpu().time_model["read"];
  read.terms = {{"flops", 1.0}, {"level1_bytes", 0.5}, {"level2_operands", 8.0}};
  const Simulation seen = simulate(step.planned());
  CHECK(seen.seconds.at(0) == Approx(1));
  CHECK(seen.seconds.at(1) == Approx(1 + 60 * 100));
  CHECK(seen.seconds.at(2) == Approx(1 + 64 * 0.5 + 8));
}

TEST_CASE("a model that prices misses at nothing is not charged by the prices of all ops",
          "[caches]") {
  OldBytes step;
  step.cpu().time_model[cache_prices].terms = {{"level1", 100.0}};
  step.cpu().time_model["*"].terms["level1_bytes"] = 0.0;
  for (const double seconds : simulate(step.planned()).seconds) CHECK(seconds == Approx(1));
}

TEST_CASE("times that are made to vary hold what an op's own model says of misses", "[caches]") {
  OldBytes step;
  step.cpu().time_model[cache_prices].terms = {{"level1", 0.25}};
  step.cpu().time_model["*"].terms["level1_bytes"] = 7.0;
  const Schedule schedule = step.planned();
  CHECK(perturb(schedule, {.samples = 1}).seconds.planned ==
        Approx(simulate(schedule).makespan_seconds));
}

TEST_CASE("a measured kernel is charged by the prices of all ops", "[caches]") {
  OldBytes step;
  step.cpu().time_model[cache_prices].terms = {{"level1", 100.0}};
  step.cpu().time_model["*"].terms["level1_bytes"] = 7.0;
  for (Task& task : step.builder.schedule().graph.tasks) task.seconds["cpu"] = {2.0};
  CHECK(simulate(step.planned()).seconds.at(1) == Approx(2 + 60 * 100));
}

// B fetches the 60 bytes of z from beyond both caches; C those of y and w from beyond the first,
// and w's from beyond the second.
TEST_CASE("bytes that are not in a cache cost joules by the cache, at any speed", "[caches]") {
  OldBytes step;
  step.cpu().caches[0].joules_per_byte = 0.5;
  step.cpu().caches[1].joules_per_byte = 4.0;
  const Schedule schedule = step.planned();
  const Simulation seen = simulate(schedule);
  const double watts = step.cpu().states[0].busy_watts;
  CHECK(seen.joules.at(0) == Approx(watts));
  CHECK(seen.joules.at(1) == Approx(watts + 60 * 4.5));
  CHECK(seen.joules.at(2) == Approx(watts + 64 * 0.5 + 4 * 4.0));
  for (const double seconds : seen.seconds) CHECK(seconds == Approx(1));
  CHECK(seen.cache_joules == Approx(60 * 4.5 + 64 * 0.5 + 4 * 4.0));
  CHECK(seen.joules_by.compute == Approx(3 * watts + seen.cache_joules));
  Schedule slow = schedule;
  slow.platform.devices[0].states[0].speed = 0.5;
  CHECK(simulate(slow).cache_joules == seen.cache_joules);
  CHECK(simulate(slow).joules.at(1) == Approx(2 * watts + 60 * 4.5));
}

TEST_CASE("joules of caches stay as they are where times are made to vary", "[caches]") {
  OldBytes step;
  step.cpu().caches[1].joules_per_byte = 4.0;
  const Schedule schedule = step.planned();
  const Simulation seen = simulate(schedule);
  const Perturbation varied = perturb(schedule, {.error = 0.5, .samples = 8});
  CHECK(varied.joules.planned == Approx(seen.joules_by.total()));
  const double by_time = seen.joules_by.total() - seen.cache_joules;
  CHECK(varied.joules.all_longest == Approx(1.5 * by_time + seen.cache_joules));
}

TEST_CASE("what is fetched is missed by the cache that has a price", "[caches]") {
  OldBytes step;
  step.cpu().caches[1].joules_per_byte = 4.0;
  const Schedule schedule = step.planned();
  const auto all = workers(schedule.platform);
  const Lanes lists = lanes(schedule, static_cast<int>(all.size()));
  using Bytes = std::vector<double>;
  CHECK(missed_bytes(schedule, all, lists) == std::vector<Bytes>{{0, 0}, {60, 60}, {64, 4}});
  step.cpu().caches[1].joules_per_byte = {};
  CHECK(missed_bytes(step.builder.schedule(), all, lists).empty());
}

// What a compiled schedule waits for: enough, and nothing that follows from the rest.
#include "executor/program.hpp"

#include <catch2/catch.hpp>

#include "executor/replay.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedules.hpp"

using namespace stint;

namespace {

class NoBackend : public Backend {
 public:
  std::unique_ptr<Job> compute(const Action&, const Operands&, double) override { return job(); }
  std::unique_ptr<Job> copy(const Action&, const Operands&, double) override { return job(); }
  std::unique_ptr<Job> load(const Action&, const Operands&, double) override { return job(); }

 private:
  struct Nothing : Job {
    void run(std::int64_t) override {}
  };
  static std::unique_ptr<Job> job() { return std::make_unique<Nothing>(); }
};

Program compiled(const Schedule& schedule) {
  NoBackend backend;
  return compile(schedule, std::vector<double>(schedule.actions.size(), 0), backend);
}

std::string side_by_side(int tasks) {
  std::string list;
  for (int i = 0; i < tasks; ++i) {
    list += (i == 0 ? "" : ", ") +
            (R"({"name": "T)" + std::to_string(i) + R"(", "reads": [], "seconds": {"cpu": 1}})");
  }
  return R"({"format": "stint-tasks", "version": 1, "name": "t", "tensors": [], "tasks": [)" +
         list + R"(], "results": []})";
}

}  // namespace

TEST_CASE("one worker waits for nothing", "[program]") {
  const Program program = compiled(chain_kept_whole());
  REQUIRE(program.lanes.size() == 1);
  CHECK(program.lanes[0].entries.size() == 11);
  CHECK(program.lanes[0].waits.empty());
  for (const Entry& entry : program.lanes[0].entries) CHECK_FALSE(entry.publishes);
}

TEST_CASE("only the furthest wait of a worker is kept, and only waited-for entries are told",
          "[program]") {
  ScheduleBuilder builder(side_by_side(5), platform_text(course_machine(2)));
  const ActionId t0 = builder.compute("T0", "n0/cpu/0", {}, {});
  const ActionId t1 = builder.compute("T1", "n0/cpu/0", {}, {});
  builder.compute("T2", "n0/cpu/0", {}, {});
  builder.compute("T3", "n0/cpu/1", {}, {}, {t0, t1});
  builder.compute("T4", "n0/cpu/1", {}, {}, {t0});
  const Program program = compiled(builder.finish());
  REQUIRE(program.lanes.size() == 2);
  REQUIRE(program.lanes[1].waits.size() == 1);
  CHECK(program.lanes[1].waits[0].lane == 0);
  CHECK(program.lanes[1].waits[0].count == 2);
  CHECK_FALSE(program.lanes[0].entries[0].publishes);
  CHECK(program.lanes[0].entries[1].publishes);
  CHECK_FALSE(program.lanes[0].entries[2].publishes);
}

TEST_CASE("a wait that follows from another worker's wait is left out", "[program]") {
  ScheduleBuilder builder(side_by_side(3), platform_text(course_machine(3)));
  const ActionId t0 = builder.compute("T0", "n0/cpu/0", {}, {});
  const ActionId t1 = builder.compute("T1", "n0/cpu/1", {}, {}, {t0});
  builder.compute("T2", "n0/cpu/2", {}, {}, {t0, t1});
  const Program program = compiled(builder.finish());
  REQUIRE(program.lanes[2].waits.size() == 1);
  CHECK(program.lanes[2].waits[0].lane == 1);
}

TEST_CASE("a copy over a blocking link holds its worker up", "[program]") {
  const std::string graph = R"({"format": "stint-tasks", "version": 1, "name": "t",
    "tensors": [{"name": "x", "bytes": 1}, {"name": "y", "bytes": 1}],
    "tasks": [{"name": "A", "writes": ["x"], "seconds": {"cpu": 1}},
              {"name": "B", "reads": ["x"], "writes": ["y"], "seconds": {"cpu": 1}}],
    "results": ["y"]})";
  const std::string machine = R"({"format": "stint-platform", "version": 1, "name": "m",
    "nodes": [{"name": "n", "memories": [{"name": "a", "bytes": 9}, {"name": "b", "bytes": 9}],
      "devices": [{"name": "p", "kind": "cpu", "memory": "a", "workers": 1,
                   "states": [{"name": "s", "speed": 1, "busy_watts": 1}]}],
      "links": [{"from": "a", "to": "b", "bytes_per_second": 1, "blocking": true}]}]})";
  ScheduleBuilder builder(graph, machine);
  const BufferId x = builder.buffer("x", "n/a", 0);
  const BufferId y = builder.buffer("y", "n/a", 1);
  const BufferId away = builder.buffer("x", "n/b", 0);
  const ActionId a = builder.compute("A", "n/p/0", {}, {x});
  const ActionId copy = builder.copy("n/a>n/b", x, away, {a});
  builder.action(copy).occupies = builder.action(a).worker;
  builder.compute("B", "n/p/0", {x}, {y});
  const Program program = compiled(builder.finish());
  REQUIRE(program.lanes.size() == 2);
  const Lane& worker = program.lanes[0];
  const Lane& link = program.lanes[1];
  REQUIRE(worker.entries.size() == 3);
  CHECK(worker.entries[1].job == nullptr);
  REQUIRE(worker.waits.size() == 1);
  CHECK(worker.waits[0].lane == 1);
  CHECK(worker.waits[0].count == 1);
  REQUIRE(link.waits.size() == 1);
  CHECK(link.waits[0].count == 1);
}

TEST_CASE("more workers than there can be threads are refused", "[program]") {
  Program program;
  program.lanes.resize(5000);
  const Stop never{false};
  CHECK_THROWS_WITH(Replay(
                        program, std::vector<double>(5000, 0), [](WorkerId) {}, never),
                    Catch::Contains("5000 workers and links have some; expected at most 4096"));
}

TEST_CASE("a worker sleeps between steps if it sleeps before its first task", "[program]") {
  ScheduleBuilder builder(side_by_side(3), platform_text(course_machine(2)));
  const ActionId first = builder.compute("T0", "n0/cpu/0", {}, {});
  builder.compute("T1", "n0/cpu/0", {}, {});
  builder.compute("T2", "n0/cpu/1", {}, {}, {first});
  Schedule schedule = builder.finish();
  schedule.actions[1].wait = schedule.actions[2].wait = Wait::sleep;
  const Program program = compiled(schedule);
  CHECK_FALSE(program.lanes[0].sleeps_between_steps);
  CHECK(program.lanes[1].sleeps_between_steps);
}

TEST_CASE("what is called around a step is called once at either end of it", "[program]") {
  class Counting : public Backend {
   public:
    explicit Counting(std::atomic<int>& done) : done_(done) {}
    std::unique_ptr<Job> compute(const Action&, const Operands&, double) override {
      struct One : Job {
        explicit One(std::atomic<int>& done) : done_(done) {}
        void run(std::int64_t) override { ++done_; }
        std::atomic<int>& done_;
      };
      return std::make_unique<One>(done_);
    }
    std::unique_ptr<Job> copy(const Action&, const Operands&, double) override { return nullptr; }
    std::unique_ptr<Job> load(const Action&, const Operands&, double) override { return nullptr; }

   private:
    std::atomic<int>& done_;
  };
  ScheduleBuilder builder(side_by_side(4), platform_text(course_machine(2)));
  for (int i = 0; i < 4; ++i)
    builder.compute("T" + std::to_string(i), i % 2 == 0 ? "n0/cpu/0" : "n0/cpu/1", {}, {});
  const Schedule schedule = builder.finish();
  std::atomic<int> done{0};
  Counting backend(done);
  const Program program = compile(schedule, std::vector<double>(4, 0), backend);
  const Stop never{false};
  Replay replay(
      program, std::vector<double>(program.lanes.size(), 0), [](WorkerId) {}, never);
  std::vector<int> seen;
  const AroundStep around{[&] { seen.push_back(done); }, [&] { seen.push_back(done); }};
  for (int step = 0; step < 3; ++step) CHECK(replay.run_step(step, &around) == StepEnd::done);
  CHECK(replay.run_step(3) == StepEnd::done);
  CHECK(seen == std::vector<int>{0, 4, 4, 8, 8, 12});
}

#include "planner/keep_all.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/plan.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"

using namespace stint;

namespace {

// Through the frame, so that every plan is judged.
Schedule planned(const Problem& problem) {
  Outcome outcome = plan(problem, {});
  REQUIRE(outcome.schedule);
  return std::move(*outcome.schedule);
}

Request with(Objective objective) {
  Request request;
  request.objective = objective;
  return request;
}

std::vector<std::string> workers_of(const Schedule& schedule) {
  const auto all = workers(schedule.platform);
  std::vector<std::string> names;
  for (const Action& action : schedule.actions) names.push_back(all[action.worker].name);
  return names;
}

const Action& action_of(const Schedule& schedule, const std::string& task) {
  const auto found =
      std::find_if(schedule.actions.begin(), schedule.actions.end(), [&](const Action& action) {
        return action.task != no_task && schedule.graph.tasks[action.task].name == task;
      });
  REQUIRE(found != schedule.actions.end());
  return *found;
}

int copies_in(const Schedule& schedule) {
  return static_cast<int>(
      std::count_if(schedule.actions.begin(), schedule.actions.end(),
                    [](const Action& action) { return action.what == Do::copy; }));
}

// a, b, c and d, a second each, then their sum.
const char* const fan = R"({"format": "stint-tasks", "version": 1, "name": "fan",
 "tensors": [{"name": "a", "bytes": 4}, {"name": "b", "bytes": 4}, {"name": "c", "bytes": 4}, {"name": "d", "bytes": 4}, {"name": "s", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}}, {"name": "B", "writes": ["b"], "seconds": {"cpu": 1}},
  {"name": "C", "writes": ["c"], "seconds": {"cpu": 1}}, {"name": "D", "writes": ["d"], "seconds": {"cpu": 1}},
  {"name": "S", "reads": ["a", "b", "c", "d"], "writes": ["s"], "seconds": {"cpu": 1}}],
 "results": ["s"]})";

}  // namespace

TEST_CASE("the course's chain kept whole takes 6 bytes, 11 seconds and 385 joules", "[keep_all]") {
  const Schedule schedule = planned(problem_of(chain_graph(5), plain_machine()));
  CHECK(schedule.arenas == std::map<std::string, std::int64_t>{{"n0/ram", 6}});
  CHECK(schedule.predicted.peak_bytes == schedule.arenas);
  CHECK(schedule.predicted.seconds == 11);
  CHECK(schedule.predicted.joules == Approx(385));
  CHECK(schedule.predicted.recomputed == 0);
  CHECK(schedule.predicted.optimal);
}

TEST_CASE("several workers share what can be done side by side", "[keep_all]") {
  const Schedule schedule = planned(problem_of(fan, plain_machine(4), with(Objective::time)));
  CHECK(schedule.predicted.seconds == 2);
  CHECK(action_of(schedule, "S").after.size() == 3);
}

TEST_CASE("a bound that side by side exceeds is met one after the other", "[keep_all]") {
  // Each branch makes 9 bytes and keeps 1 of them.
  const char* const branches = R"({"format": "stint-tasks", "version": 1, "name": "branches",
 "tensors": [{"name": "a", "bytes": 9}, {"name": "b", "bytes": 9}, {"name": "x", "bytes": 1}, {"name": "y", "bytes": 1}],
 "tasks": [{"name": "A", "writes": ["a"], "seconds": {"cpu": 1}}, {"name": "B", "writes": ["b"], "seconds": {"cpu": 1}},
  {"name": "X", "reads": ["a"], "writes": ["x"], "seconds": {"cpu": 1}}, {"name": "Y", "reads": ["b"], "writes": ["y"], "seconds": {"cpu": 1}}],
 "results": ["x", "y"]})";
  CHECK(planned(problem_of(branches, plain_machine(2))).predicted.seconds == 2);
  const Schedule tight = planned(problem_of(branches, plain_machine(2), within("n0/ram", 11)));
  CHECK(tight.predicted.seconds == 4);
  CHECK(tight.arenas.at("n0/ram") == 11);
  CHECK(plan(problem_of(branches, plain_machine(2), within("n0/ram", 10)), {}).status ==
        Status::no_plan);
}

TEST_CASE("data that is needed on another device is copied there, over several links if it must",
          "[keep_all]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "far",
 "tensors": [{"name": "x", "bytes": 500, "kind": "input"}, {"name": "y", "bytes": 500}, {"name": "z", "bytes": 1}],
 "tasks": [{"name": "Y", "reads": ["x"], "writes": ["y"], "seconds": {"gpu0": 1}},
  {"name": "Z", "reads": ["y"], "writes": ["z"], "seconds": {"gpu1": 1}}], "results": ["z"]})";
  const Schedule schedule = planned(problem_of(graph, two_gpus()));
  CHECK(workers_of(schedule) ==
        std::vector<std::string>{"n0/gpu0/0", "n0/hbm0>n0/ram", "n0/ram>n0/hbm1", "n0/gpu1/0"});
  CHECK(schedule.predicted.seconds == 1 + 0.5 + 0.5 + 1);
}

TEST_CASE("a blocking link occupies the worker that needs the data", "[keep_all]") {
  Platform platform = two_gpus();
  for (Link& link : platform.links) link.blocking = true;
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "near",
 "tensors": [{"name": "y", "bytes": 500}, {"name": "z", "bytes": 1}],
 "tasks": [{"name": "Y", "writes": ["y"], "seconds": {"cpu": 1}},
  {"name": "Z", "reads": ["y"], "writes": ["z"], "seconds": {"gpu1": 1}}], "results": ["z"]})";
  const Schedule schedule = planned(problem_of(graph, platform));
  REQUIRE(schedule.actions.size() == 3);
  const auto all = workers(schedule.platform);
  CHECK(all[schedule.actions[1].occupies].name == "n0/gpu1/0");
  CHECK(schedule.actions[2].after.empty());  // the copy stands in its worker's list
}

TEST_CASE("updates of one state run in its home, readers elsewhere get copies of each version",
          "[keep_all]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "home",
 "tensors": [{"name": "w", "bytes": 8, "kind": "state"}, {"name": "a", "bytes": 1}, {"name": "b", "bytes": 1}],
 "tasks": [{"name": "A", "reads": ["w"], "writes": ["a"], "seconds": {"gpu0": 1}},
  {"name": "U", "reads": ["a"], "updates": ["w"], "seconds": {"cpu": 1}},
  {"name": "B", "reads": ["w"], "writes": ["b"], "seconds": {"gpu0": 1}}], "results": ["b"]})";
  const Schedule schedule = planned(problem_of(graph, two_gpus()));
  CHECK(copies_in(schedule) == 3);  // w, a, and w again
  const auto initial = std::count_if(schedule.buffers.begin(), schedule.buffers.end(),
                                     [](const Buffer& buffer) { return buffer.initial; });
  CHECK(initial == 1);
}

TEST_CASE("parts made on two devices are copied as parts and read as a whole", "[keep_all]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "gather",
 "tensors": [{"name": "whole", "bytes": 10}, {"name": "left", "bytes": 4, "part_of": {"tensor": "whole", "offset_bytes": 0}},
  {"name": "right", "bytes": 6, "part_of": {"tensor": "whole", "offset_bytes": 4}}, {"name": "s", "bytes": 1}],
 "tasks": [{"name": "L", "writes": ["left"], "seconds": {"gpu0": 1}}, {"name": "R", "writes": ["right"], "seconds": {"gpu1": 1}},
  {"name": "S", "reads": ["whole"], "writes": ["s"], "seconds": {"cpu": 1}}], "results": ["s"]})";
  const Schedule schedule = planned(problem_of(graph, two_gpus()));
  CHECK(copies_in(schedule) == 2);
  CHECK(schedule.predicted.copied_bytes == 10);
  CHECK(schedule.arenas ==
        std::map<std::string, std::int64_t>{{"n0/hbm0", 4}, {"n0/hbm1", 6}, {"n0/ram", 11}});
}

TEST_CASE("an output takes the place of an input at its last use", "[keep_all]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "over",
 "tensors": [{"name": "x", "bytes": 10, "kind": "input"}, {"name": "y", "bytes": 10}, {"name": "z", "bytes": 10}],
 "tasks": [{"name": "Y", "reads": ["x"], "writes": ["y"], "may_overwrite": {"y": "x"}, "seconds": {"cpu": 1}},
  {"name": "Z", "reads": ["y"], "writes": ["z"], "may_overwrite": {"z": "y"}, "seconds": {"cpu": 1}}], "results": ["z"]})";
  CHECK(planned(problem_of(graph, plain_machine())).arenas.at("n0/ram") == 10);
}

TEST_CASE("where memory is tight, outputs take the place of inputs of their size and of no others",
          "[keep_all]") {
  // y must take the place of x; in the place of y, w would hold bytes that v needs.
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "over",
 "tensors": [{"name": "x", "bytes": 10}, {"name": "y", "bytes": 10}, {"name": "w", "bytes": 2}, {"name": "v", "bytes": 10}, {"name": "z", "bytes": 1}],
 "tasks": [{"name": "X", "writes": ["x"], "seconds": {"cpu": 1}},
  {"name": "Y", "reads": ["x"], "writes": ["y"], "may_overwrite": {"y": "x"}, "seconds": {"cpu": 1}},
  {"name": "W", "reads": ["y"], "writes": ["w"], "may_overwrite": {"w": "y"}, "seconds": {"cpu": 1}},
  {"name": "V", "reads": ["w"], "writes": ["v"], "seconds": {"cpu": 1}},
  {"name": "Z", "reads": ["w", "v"], "writes": ["z"], "seconds": {"cpu": 1}}], "results": ["z"]})";
  const Schedule schedule = planned(problem_of(graph, plain_machine(), within("n0/ram", 13)));
  CHECK(schedule.arenas.at("n0/ram") <= 13);
  CHECK(schedule.predicted.seconds == 5);
}

TEST_CASE("an optional output that nobody reads is left out", "[keep_all]") {
  const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "optional",
 "tensors": [{"name": "y", "bytes": 1}, {"name": "tape", "bytes": 100}, {"name": "log", "bytes": 10}],
 "tasks": [{"name": "Y", "writes": ["y", "tape", "log"], "optional": ["tape"], "seconds": {"cpu": 1}}], "results": ["y"]})";
  const Schedule schedule = planned(problem_of(graph, plain_machine()));
  CHECK(schedule.actions[0].writes[1] == no_buffer);
  CHECK(schedule.arenas.at("n0/ram") == 11);
}

TEST_CASE("the power state follows from what is billed", "[keep_all]") {
  const Settable settable = GENERATE(Settable::run, Settable::action);
  const Platform platform = with_slow_state(settable);
  CHECK(planned(problem_of(chain_graph(5), platform)).predicted.seconds == 11);
  Request request;
  request.deadline_seconds = 30;
  request.bill = Bill::deadline;
  const Schedule frugal = planned(problem_of(chain_graph(5), platform, request));
  CHECK(frugal.predicted.seconds == 22);
  CHECK(frugal.predicted.joules == Approx(22 * 1 + 30 * 28));
  request.deadline_seconds = 15;  // too soon for the slow state, but for four of eleven tasks
  const double seconds = settable == Settable::action ? 15 : 11;
  CHECK(planned(problem_of(chain_graph(5), platform, request)).predicted.seconds == seconds);
}

TEST_CASE("a state that cannot be set is not", "[keep_all]") {
  const Platform platform = with_slow_state(Settable::none);
  Request request;
  request.deadline_seconds = 30;
  request.bill = Bill::deadline;
  CHECK(planned(problem_of(chain_graph(5), platform, request)).predicted.seconds == 11);
}

TEST_CASE("workers sleep through long gaps and spin through short ones", "[keep_all]") {
  const auto graph = [](const std::string& seconds) {
    return R"({"format": "stint-tasks", "version": 1, "name": "gap", "tensors": [{"name": "y", "bytes": 0}, {"name": "z", "bytes": 0}],
 "tasks": [{"name": "Y", "writes": ["y"], "seconds": {"cpu": )" +
           seconds + R"(}}, {"name": "Z", "reads": ["y"], "writes": ["z"], "seconds": {"gpu0": 1}}],
 "results": ["z"]})";
  };
  CHECK(action_of(planned(problem_of(graph("1e-3"), two_gpus())), "Z").wait == Wait::sleep);
  CHECK(action_of(planned(problem_of(graph("1e-4"), two_gpus())), "Z").wait == Wait::spin);
  Platform costly = two_gpus();
  costly.devices[1].wait_watts = 1000.0;  // sleeping pays as soon as there is time to wake up
  CHECK(action_of(planned(problem_of(graph("1e-4"), costly)), "Z").wait == Wait::sleep);
  CHECK(action_of(planned(problem_of(graph("5e-6"), costly)), "Z").wait == Wait::spin);
}

TEST_CASE("the arena that keep-all needs is asked of each memory", "[keep_all]") {
  CHECK(keep_all_arena(problem_of(chain_graph(5), plain_machine()), MemoryId{0}) == 6);
  CHECK_FALSE(keep_all_arena(problem_of(chain_graph(5), two_gpus()), MemoryId{1}));
}

TEST_CASE("a task that no device runs is named, with what the platform has", "[keep_all]") {
  CHECK_THROWS_WITH(
      problem_of(
          R"({"format": "stint-tasks", "version": 1, "name": "none", "tensors": [{"name": "y", "bytes": 1}],
 "tasks": [{"name": "Y", "writes": ["y"], "seconds": {"tpu": 1}}], "results": []})",
          two_gpus()),
      "graph: /tasks/0/seconds: task \"Y\" has seconds for tpu only; expected seconds for a device "
      "of the platform (cpu, gpu)");
}

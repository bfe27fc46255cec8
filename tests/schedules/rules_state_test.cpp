// State that moves between memories, double buffers, loads and blocking links: good schedules, and
// what breaks them.
#include <catch2/catch.hpp>

#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace stint;

namespace {

const char* const graph = R"({"format": "stint-tasks", "version": 1, "name": "two updates",
 "tensors": [{"name": "x", "bytes": 2, "kind": "input"}, {"name": "w", "bytes": 2, "kind": "state"},
             {"name": "y", "bytes": 2}, {"name": "z", "bytes": 2}],
 "tasks": [{"name": "R", "reads": ["x", "w"], "writes": ["y"], "seconds": {"cpu": 1}},
           {"name": "U", "reads": ["y"], "updates": ["w"], "seconds": {"cpu": 1}},
           {"name": "S", "reads": ["w"], "writes": ["z"], "seconds": {"cpu": 1}}],
 "results": ["z"]})";

const char* const machine = R"({"format": "stint-platform", "version": 1, "name": "two sockets",
 "nodes": [{"name": "n", "base_watts": 1,
  "memories": [{"name": "a", "bytes": 100}, {"name": "b", "bytes": 100}],
  "devices": [{"name": "p", "kind": "cpu", "memory": "a", "workers": 2, "idle_watts": 0,
               "wait_watts": 2, "states": [{"name": "s", "speed": 1, "busy_watts": 1}]},
              {"name": "q", "kind": "cpu", "memory": "b", "workers": 1, "idle_watts": 0,
               "states": [{"name": "s", "speed": 1, "busy_watts": 1}]}],
  "links": [{"from": "a", "to": "b", "bytes_per_second": 2, "latency_seconds": 0,
             "joules_per_byte": 0},
            {"from": "b", "to": "a", "bytes_per_second": 2, "latency_seconds": 0,
             "joules_per_byte": 0, "blocking": true}]}]})";

// w lives in a, is updated in b, and goes home over a link that occupies n/p/0.
struct TravellingState {
  ScheduleBuilder builder{graph, machine};
  BufferId x, w, y, w_b, y_b, z;
  ActionId r, w_out, y_out, u, w_home, s;

  TravellingState() {
    x = builder.initial("x", "n/a", 0);
    w = builder.initial("w", "n/a", 2);
    y = builder.buffer("y", "n/a", 4);
    w_b = builder.buffer("w", "n/b", 0);
    y_b = builder.buffer("y", "n/b", 2);
    z = builder.buffer("z", "n/a", 6);
    r = builder.compute("R", "n/p/0", {x, w}, {y});
    w_out = builder.copy("n/a>n/b", w, w_b);
    y_out = builder.copy("n/a>n/b", y, y_b, {r});
    u = builder.compute("U", "n/q/0", {y_b}, {}, {y_out});
    builder.action(u).updates = {w_b};
    w_home = builder.copy("n/b>n/a", w_b, w, {u});
    builder.action(w_home).occupies = builder.action(r).worker;
    s = builder.compute("S", "n/p/0", {w}, {z});
  }
};

// w in two halves on one device: R may still read the old one while U writes the new one.
struct PairedState {
  ScheduleBuilder builder{graph, machine};
  BufferId x, w, y, z, x_next;
  ActionId r, u, s, next;

  PairedState() {
    x = builder.pair("x", "n/a", 0, 2);
    w = builder.pair("w", "n/a", 4, 6);
    y = builder.buffer("y", "n/a", 8);
    z = builder.buffer("z", "n/a", 10);
    r = builder.compute("R", "n/p/0", {x, w}, {y});
    u = builder.compute("U", "n/p/0", {y}, {});
    builder.action(u).updates = {w};
    s = builder.compute("S", "n/p/1", {w}, {z}, {u});
    next = builder.load("n/p/1", x, 1);
  }
};

template <typename Step, typename Mutate>
std::vector<int> broken_by(Mutate mutate) {
  Step step;
  Schedule schedule = step.builder.finish();
  mutate(step, schedule);
  predict_again(schedule);
  for (const Violation& violation : validate(schedule)) UNSCOPED_INFO(to_string(violation));
  return broken_rules(schedule);
}

using Rules = std::vector<int>;

}  // namespace

TEST_CASE("state may be updated in another memory and copied home", "[rules]") {
  TravellingState step;
  const Schedule schedule = step.builder.finish();
  expect_good(schedule);
  // R 0-1; w goes out 0-1, y 1-2; U 2-3; w comes home 3-4 and holds n/p/0 up, which waited from 1
  // to 3 at 2 W; S 4-5.
  const Simulation simulation = simulate(schedule);
  CHECK(simulation.start_seconds == std::vector<double>{0, 0, 1, 2, 3, 4});
  CHECK(simulation.joules_by.wait == 4.0);
}

TEST_CASE("state that is not brought home breaks R14", "[rules]") {
  CHECK(broken_by<TravellingState>([](auto& t, auto& s) {
          s.actions.erase(s.actions.begin() + t.w_home);
          s.actions.back().after = {t.u};
          s.graph.results = model_graph(s).results = {};
          s.actions.pop_back();
          s.buffers.pop_back();
          s.graph.tasks.pop_back();
          model_graph(s).tasks.pop_back();
        }) == Rules{14});
}

TEST_CASE("state copied home before its update breaks R13 and R14", "[rules]") {
  CHECK(broken_by<TravellingState>([](auto& t, auto& s) {
          s.actions[t.w_home].after = {t.w_out};
          s.actions[t.u].after = {t.y_out, t.w_home};
        }) == Rules{13, 14});
}

TEST_CASE("a refresh of state that a reader may still need breaks R10", "[rules]") {
  CHECK(broken_by<TravellingState>([](auto& t, auto& s) {
          Action again = s.actions[t.r];  // on the other worker, waiting for nobody
          again.id = 9;
          again.worker = WorkerId{1};
          again.writes = {static_cast<BufferId>(s.buffers.size())};
          s.buffers.push_back(s.buffers[t.y]);
          s.buffers.back().id = 9;
          s.buffers.back().offset = 8;
          s.arenas["n/a"] = 10;
          s.actions.insert(s.actions.begin(), again);
          for (Action& action : s.actions) {
            for (ActionId& earlier : action.after) earlier = static_cast<ActionId>(earlier + 1);
          }
        }) == Rules{10});
}

TEST_CASE("state without a home breaks R14", "[rules]") {
  CHECK(broken_by<PairedState>([](auto& t, auto& s) {
          s.buffers[t.w].initial = false;
          s.buffers[t.w].second_offset.reset();
        }) == Rules{8, 9, 14});
}

TEST_CASE("an update that runs twice breaks R12", "[rules]") {
  CHECK(broken_by<PairedState>([](auto& t, auto& s) {
          s.buffers[t.w].second_offset.reset();
          s.actions.push_back(s.actions[t.u]);
          s.actions.back().id = 9;
          s.actions.back().after = {t.s};
        }) == Rules{12, 13});
}

TEST_CASE("a blocking link without a worker to occupy breaks R4", "[rules]") {
  TravellingState step;
  Schedule schedule = step.builder.finish();
  schedule.actions[step.w_home].occupies = no_worker;
  CHECK(broken_rules(schedule) == Rules{4});
  schedule.actions[step.w_home].occupies = schedule.actions[step.w_out].worker;
  CHECK(broken_rules(schedule) == Rules{4});
}

TEST_CASE("a blocking copy orders the worker that it occupies", "[rules]") {
  // Without occupying n/p/0, S would have to wait for the copy by `after`.
  TravellingState step;
  Schedule schedule = step.builder.finish();
  schedule.platform.links[1].blocking = false;
  schedule.actions[step.w_home].occupies = no_worker;
  predict_again(schedule);
  CHECK(broken_rules(schedule) == Rules{9});
  schedule.actions[step.s].after = {step.w_home};
  predict_again(schedule);
  expect_good(schedule);
}

TEST_CASE("double buffers of inputs and state are good", "[rules]") {
  PairedState step;
  const Schedule schedule = step.builder.finish();
  expect_good(schedule);
  CHECK(simulate(schedule).peak_bytes[0] == 10);  // both halves of both, then y or z
}

TEST_CASE("in a double buffer the old state may be read while the new one is written", "[rules]") {
  PairedState step;
  Schedule schedule = step.builder.finish();
  Action again = schedule.actions[step.r];  // R once more, on the other worker, beside U
  again.id = 9;
  again.worker = WorkerId{1};
  Buffer y_again = schedule.buffers[step.y];
  y_again.id = 9;
  y_again.offset = 12;
  again.writes = {static_cast<BufferId>(schedule.buffers.size())};
  schedule.buffers.push_back(y_again);
  schedule.arenas["n/a"] = 14;
  schedule.actions.push_back(again);
  predict_again(schedule);
  expect_good(schedule);
}

TEST_CASE("the new state of a double buffer must be waited for: R9", "[rules]") {
  CHECK(broken_by<PairedState>([](auto& t, auto& s) { s.actions[t.s].after = {}; }) == Rules{9});
}

TEST_CASE("a double buffer that is not filled for the next step breaks R17", "[rules]") {
  CHECK(broken_by<PairedState>([](auto&, auto& s) { s.actions.pop_back(); }) == Rules{17});
}

TEST_CASE("a double buffer filled twice for the next step breaks R17", "[rules]") {
  CHECK(broken_by<PairedState>([](auto& t, auto& s) {
          s.actions.push_back(s.actions[t.next]);
          s.actions.back().id = 9;
        }) == Rules{17});
}

TEST_CASE("loading ahead over this step's input breaks R17", "[rules]") {
  CHECK(broken_by<PairedState>([](auto& t, auto& s) { s.buffers[t.x].second_offset.reset(); }) ==
        Rules{17});
}

TEST_CASE("halves that overlap break R6", "[rules]") {
  PairedState step;
  Schedule schedule = step.builder.finish();
  schedule.buffers[step.x].second_offset = 1;
  CHECK(broken_rules(schedule) == Rules{6});
}

TEST_CASE("a buffer over either half of a double buffer breaks R10", "[rules]") {
  const std::int64_t offset = GENERATE(0, 2, 4, 6);
  CHECK(broken_by<PairedState>([&](auto& t, auto& s) { s.buffers[t.z].offset = offset; }) ==
        Rules{10});
}

TEST_CASE("an input may be loaded in the step instead", "[rules]") {
  PairedState step;
  Schedule schedule = step.builder.finish();
  schedule.buffers[step.x].initial = false;
  schedule.buffers[step.x].second_offset.reset();
  schedule.actions[step.next].for_step = 0;
  schedule.actions[step.r].after = {step.next};
  schedule.actions[step.s].after = {step.u};
  std::swap(schedule.actions[step.s], schedule.actions[step.next]);
  schedule.actions[step.r].after = {step.s};  // where the load now stands
  predict_again(schedule);
  expect_good(schedule);

  schedule.actions[step.r].after = {};
  predict_again(schedule);
  CHECK(broken_rules(schedule) == Rules{9});
}

// Power states of schedules: what published machines should run at, what theory says, and that only
// states change.
#include "planner/power/schedule_power.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "planner/draft.hpp"
#include "planner/plan.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

// As many tasks of a second side by side.
Graph equal_tasks(int count, const std::string& kind) {
  Graph graph;
  graph.name = "equal";
  for (int i = 0; i < count; ++i) {
    Tensor tensor;
    tensor.name = "x" + std::to_string(i);
    tensor.bytes = 1;
    graph.tensors.push_back(tensor);
    Task task;
    task.name = "T" + std::to_string(i);
    task.writes = {static_cast<TensorId>(i)};
    task.seconds[kind] = 1.0;
    graph.tasks.push_back(task);
  }
  return graph;
}

Schedule planned(const Problem& problem) { return plan(problem, {}).schedule.value(); }

// All in that state, whatever it costs.
Schedule in_state(const Problem& problem, Schedule schedule, int state) {
  for (Action& action : schedule.actions) action.state = state;
  reprice(problem, schedule);
  return schedule;
}

// Without what was proved of another plan.
bool is_valid(Schedule schedule) {
  Proof& proof = schedule.predicted.objective;
  proof.lower_bound = 0;
  proof.gap = proof.value > 0 ? 1 : 0;
  schedule.predicted.optimal = proof.value == 0;
  return validate(schedule).empty();
}

std::string state_name(const Schedule& schedule) {
  return schedule.platform.devices[0].states[schedule.actions.front().state].name;
}

// The state that is chosen wherever one begins.
std::string chosen_state(const Problem& problem) {
  const Schedule best = planned(problem);
  const int states = static_cast<int>(problem.platform().devices[0].states.size());
  for (int state = 0; state < states; ++state) {
    const auto found = with_better_states(problem, in_state(problem, best, state), 1);
    const std::string name = state_name(found ? *found : in_state(problem, best, state));
    CHECK(name == state_name(best));
  }
  return state_name(best);
}

Platform v100_with_base(double watts) {
  const Platform file = read_platform(bundled("platforms/xeon-v100-pcie.json"));
  Platform platform;
  platform.name = "v100";
  platform.nodes = {{"n0", watts}};
  platform.memories = {file.memories[1]};
  platform.devices = {file.devices[1]};
  platform.devices[0].memory = MemoryId{0};
  return platform;
}

}  // namespace

TEST_CASE("taurus runs at 2301 MHz billed to the makespan and at 1200 MHz billed to the deadline",
          "[power]") {
  const Platform taurus = read_platform(bundled("platforms/g5k-taurus.json"));
  const Graph graph = equal_tasks(12, "cpu");
  CHECK(chosen_state(problem_of(graph, taurus)) == "2301MHz");
  Request request;
  request.deadline_seconds = 2.25;
  request.bill = Bill::deadline;
  CHECK(chosen_state(problem_of(graph, taurus, request)) == "1200MHz");
  request.deadline_seconds = 1.25;
  CHECK(chosen_state(problem_of(graph, taurus, request)) == "2100MHz");
}

TEST_CASE("the more the node draws by itself, the faster a V100 runs", "[power]") {
  const std::pair<double, const char*> known[] = {
      {0, "150W"}, {200, "175W"}, {300, "200W"}, {500, "225W"}, {1000, "250W"}};
  for (const auto& [watts, name] : known) {
    CAPTURE(watts);
    const Problem problem = problem_of(equal_tasks(5, "cuda"), v100_with_base(watts));
    CHECK(chosen_state(problem) == name);
    CHECK(planned(problem).predicted.optimal);
  }
}

TEST_CASE("states lie where the closed form says", "[power]") {
  // P(f) = Ps + c f^a: the least energy at f* = (Ps_billed / ((a - 1) c))^(1/a).
  std::mt19937_64 random(7);
  const auto number = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 1'000'000) * 1e-6;
  };
  for (int round = 0; round < 60; ++round) {
    const double alpha = number(1.5, 3.5);
    const double c = number(1, 20);
    const double idle = number(1, 100);
    const double work_watts = number(0, 40);  // beside idle, at any frequency
    const bool to_deadline = round % 2 == 1;
    Platform platform = plain_machine();
    platform.nodes[0].base_watts = 0.0;
    Device& device = platform.devices[0];
    device.idle_watts = idle;
    device.settable = round % 4 < 2 ? Settable::run : Settable::action;
    device.states.clear();
    for (int s = 0; s < 60; ++s) {
      PowerState state;
      state.name = std::to_string(s);
      state.speed = 3.0 - 0.045 * s;
      state.busy_watts = work_watts + c * std::pow(state.speed, alpha);
      device.states.push_back(state);
    }
    Request request;
    request.deadline_seconds = 1000;
    if (to_deadline) request.bill = Bill::deadline;
    const Schedule best = planned(problem_of(equal_tasks(3, "cpu"), platform, request));
    const double billed = work_watts + (to_deadline ? 0 : idle);
    const double f = std::pow(billed / ((alpha - 1) * c), 1 / alpha);
    const double joules = [&](double at) {
      return (billed + c * std::pow(at, alpha)) / at;
    }(device.states[best.actions.front().state].speed);
    CAPTURE(round, f, alpha);
    for (const PowerState& state : device.states) {
      const double other = (billed + c * std::pow(state.speed, alpha)) / state.speed;
      CHECK(joules <= other * (1 + 1e-9));
    }
    const double speed = device.states[best.actions.front().state].speed;
    CHECK(std::abs(speed - std::clamp(f, 3.0 - 0.045 * 59, 3.0)) <= 0.045);
    CHECK(best.predicted.optimal);
  }
}

TEST_CASE("the model of a schedule costs what the simulator says, and its bound holds", "[power]") {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Request request;
    request.strategy = "keep-all";
    request.limit = 0.02;
    Platform platform = random_platform(seed, {.with_fetching = seed % 2 == 1});
    for (Device& device : platform.devices) device.wait_watts = 0.0;
    const Problem problem = problem_of(random_graph(seed, {.tasks = 10}), platform, request);
    const Schedule schedule = planned(problem);
    const SchedulePower power = schedule_power(problem, schedule);
    PowerChoices now;
    for (std::size_t i = 0; i < power.order.size(); ++i) {
      const bool is_chosen = power.problem.actions[i].group != no_power_group;
      now.push_back(is_chosen ? std::max(0, schedule.actions[power.order[i]].state) : 0);
    }
    const PowerPrice model = price(power.problem, now);
    CHECK(model.seconds == Approx(schedule.predicted.seconds));
    CHECK(model.joules <= schedule.predicted.joules * (1 + 1e-9));
    const double unknown = schedule.predicted.joules_by.active;  // of several workers at once
    CHECK(model.joules >= (schedule.predicted.joules - unknown) * (1 - 1e-9));
    const auto plan = choose_power(power.problem, {0.1});
    REQUIRE(plan);
    CHECK(plan->lower_bound <= schedule.predicted.joules * (1 + 1e-9));
    // From the states of the machine as it is.
    Schedule plain = schedule;
    for (Action& action : plain.actions) action.state = action.what == Do::compute ? 0 : -1;
    reprice(problem, plain);
    REQUIRE(is_valid(plain));
    const auto better = with_better_states(problem, plain, 0.1);
    if (!better) continue;
    ++changed;
    CHECK(is_valid(*better));
    CHECK(better->predicted.objective.value < plain.predicted.objective.value);
  }
  CHECK(changed > 30);
}

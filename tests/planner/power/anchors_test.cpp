// Checkpointing, offloading and power states within a deadline: close to the least known energies.
#include "tests/planner/power/anchors.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "planner/plan.hpp"
#include "planner/power/power_relaxation.hpp"
#include "planner/power/schedule_power.hpp"
#include "planner/solver/cp_sat.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

constexpr double always_on = 60;          // watts: 40 of the device, 20 of the host
constexpr double unet60_bytes = 1814528;  // to keep everything
constexpr int most_prices = 5;
// Tasks are a little faster or slower than what they cost says: links are, too, so that what is
// fetched comes a little early.
constexpr double link_shares[] = {1, 0.85, 0.7};

// One device in one state, a host behind a link in each direction; everything costs its seconds.
Platform one_state_machine(double watts, double link_share) {
  Platform platform;
  platform.name = "anchors";
  platform.nodes = {{"n0", watts}};
  for (const char* const name : {"hbm", "ram"}) {
    Memory memory;
    memory.name = name;
    memory.bytes = std::int64_t{1} << 50;
    platform.memories.push_back(memory);
  }
  Device gpu;
  gpu.name = "gpu";
  gpu.kind = "cpu";  // as the graphs' files say
  PowerState state;
  state.name = "on";
  gpu.states = {state};
  platform.devices = {gpu};
  for (const int from : {0, 1}) {
    Link link;
    link.from = MemoryId{from};
    link.to = MemoryId{1 - from};
    link.bytes_per_second = link_share * 24e9 / 1024;  // sizes are in KiB
    link.latency_seconds = 1e-5;
    link.active_watts = link_share * 8.0;
    platform.links.push_back(link);
  }
  return platform;
}

// What the cheapest mode of a task costs where a second has that price, and how long it takes.
PowerChoice cheapest(const std::vector<PowerChoice>& modes, double second_watts) {
  PowerChoice best{0, std::numeric_limits<double>::infinity()};
  for (const PowerChoice& mode : modes) {
    const double cost = mode.joules + second_watts * mode.seconds;
    if (cost < best.joules) best = {mode.seconds, cost};
  }
  return best;
}

// Tasks that take as long as they cost, at so many watts that all of it takes about as long as it
// does.
Problem problem_at(const Anchor& anchor, double second_watts, double link_share) {
  Graph graph = read_graph(bundled("tests/planner/graphs/" + anchor.graph + ".json"));
  double seconds = 0;
  double joules = 0;
  for (const auto& modes : anchor.modes) {
    seconds += cheapest(modes, second_watts).seconds;
    joules += cheapest(modes, second_watts).joules;
  }
  const double watts = joules / seconds;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    graph.tasks[t].seconds["cpu"] = cheapest(anchor.modes[t], second_watts).joules / watts;
  Request request;
  request.memory["n0/hbm"] = static_cast<std::int64_t>(anchor.memory_bytes);
  request.offload = anchor.with_offload;
  request.strategy = "graph";
  return make_problem(graph, one_state_machine(watts, link_share), request, anchor.graph);
}

// The order of the schedule with the times that tasks and transfers really have.
PowerProblem power_of(const Anchor& anchor, const Problem& problem, const Schedule& schedule) {
  SchedulePower power = schedule_power(problem, schedule);
  power.problem.units.clear();
  power.problem.watts = always_on;
  power.problem.deadline_seconds = anchor.deadline_seconds;
  for (std::size_t i = 0; i < power.order.size(); ++i) {
    const Action& action = schedule.actions[power.order[i]];
    PowerAction& it = power.problem.actions[i];
    if (action.what == Do::compute) {
      it.choices = anchor.modes[action.task];
      it.group = power.problem.groups++;
    } else if (action.what == Do::copy) {
      it.choices = {anchor.transfers[schedule.buffers[action.reads.front()].tensor]};
    }
  }
  return power.problem;
}

// Plans for prices of a second that follow from the plan before; the best of them.
double best_joules(const Anchor& anchor, double link_share) {
  double best = std::numeric_limits<double>::infinity();
  double price = 0;
  for (int round = 0; round < most_prices; ++round) {
    const Problem problem = problem_at(anchor, always_on + price, link_share);
    const Outcome outcome = plan(problem, {});
    if (!outcome.schedule) break;
    const PowerProblem power = power_of(anchor, problem, *outcome.schedule);
    if (const auto states = choose_power(power, {1})) best = std::min(best, states->price.joules);
    const PowerRelaxation relaxation(power);
    const PowerRelaxed relaxed = relaxation.solve(relaxation.all(), relaxation_work);
    const double next = std::isfinite(relaxed.bound) ? relaxed.second_watts : price * 4 + 100;
    if (std::abs(next - price) <= 1e-3 * next) break;
    price = next;
  }
  return best;
}

double best_joules(const Anchor& anchor) {
  if (!anchor.with_offload) return best_joules(anchor, 1);
  double best = std::numeric_limits<double>::infinity();
  for (const double share : link_shares) best = std::min(best, best_joules(anchor, share));
  return best;
}

void check(const Anchor& anchor) {
  CAPTURE(anchor.graph, anchor.memory_bytes, anchor.deadline_seconds, anchor.with_offload);
  const double joules = best_joules(anchor);
  CAPTURE(joules / anchor.best_joules - 1);
  CHECK(joules <= anchor.best_joules * 1.003);
}

}  // namespace

TEST_CASE("checkpoints and states within a deadline are within 0.3 % of the best known",
          "[power]") {
  const auto anchors = read_anchors();
  REQUIRE(anchors.size() > 20);
  for (const std::size_t i : {0, 1, 2, 9, 16}) check(anchors[i]);
}

TEST_CASE("a deadline that recomputing alone makes impossible is proved to be", "[power]") {
  const auto anchors = read_anchors();
  const auto tight = std::find_if(anchors.begin(), anchors.end(), [](const Anchor& anchor) {
    return anchor.graph == "unet60" && anchor.deadline_seconds < 6881 * 50e-6 &&
           anchor.memory_bytes < 0.6 * unet60_bytes;
  });
  REQUIRE(tight != anchors.end());
  Graph graph = read_graph(bundled("tests/planner/graphs/unet60.json"));
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    graph.tasks[t].seconds["cpu"] = tight->modes[t].front().seconds;
  Request request;
  request.memory["n0/hbm"] = static_cast<std::int64_t>(tight->memory_bytes);
  request.deadline_seconds = tight->deadline_seconds;
  request.offload = false;
  const Platform platform = one_state_machine(always_on, 1);
  const Outcome outcome = plan(make_problem(graph, platform, request, "unet60"), {});
  CHECK_FALSE(outcome.schedule);
  REQUIRE_FALSE(outcome.shortages.empty());
  const Shortage& shortage = outcome.shortages.back();
  CHECK(shortage.what == "deadline");
  REQUIRE(shortage.found);
  CHECK(*shortage.found == Approx(7023 * 50e-6).epsilon(1e-3));
  CHECK(shortage.lower_bound <= *shortage.found);
  if (!has_cp_sat()) return;
  CHECK(outcome.status == Status::infeasible);
  CHECK(shortage.lower_bound > tight->deadline_seconds);
}

TEST_CASE("all known energies within deadlines are reached", "[.anchors]") {
  for (const Anchor& anchor : read_anchors()) {
    const double joules = best_joules(anchor);
    WARN(anchor.graph << " " << anchor.memory_bytes << " bytes, " << anchor.deadline_seconds
                      << " s, offload " << anchor.with_offload << ": " << joules << " J, "
                      << 100 * (joules / anchor.best_joules - 1) << " % from "
                      << anchor.best_joules);
    CHECK(joules <= anchor.best_joules * 1.003);
  }
}

#include "planner/draft.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "planner/edges.hpp"
#include "planner/lifetimes.hpp"
#include "schedules/numerics.hpp"
#include "schedules/waiting.hpp"

namespace stint {

namespace {

// Waking a worker takes about so long where it was not measured, and the whole machine waits for
// it.
constexpr double usual_wake_seconds = 50e-6;
// Where spinning costs no watts, a worker that waits longer than this leaves its core to others.
constexpr double free_spin_seconds = 200e-6;
// Nobody spins for longer: the executor would not.
constexpr double longest_spin_seconds = 500e-6;

// A wait in a step, and for a worker's first task what it has waited since the step before.
struct Gap {
  double in_step_seconds = 0;
  double before_seconds = 0;
};

Wait wait_for(const Gap& gap, const Device& device, double on_watts) {
  if (device.wait_watts.value == 0)
    return gap.in_step_seconds >= free_spin_seconds ? Wait::sleep : Wait::spin;
  const double seconds = gap.in_step_seconds + gap.before_seconds;
  return pays_to_sleep(seconds, device, on_watts) ? Wait::sleep : Wait::spin;
}

// By worker: for how long it has nothing left to do when the step ends.
std::vector<double> rests_seconds(const Problem& problem, const Simulation& simulation,
                                  const std::vector<Action>& actions) {
  std::vector<double> rests(problem.workers.size(), simulation.makespan_seconds);
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const double end = simulation.start_seconds[a] + simulation.seconds[a];
    for (const WorkerId worker : {actions[a].worker, actions[a].occupies}) {
      if (worker != no_worker)
        rests[worker] = std::min(rests[worker], simulation.makespan_seconds - end);
    }
  }
  return rests;
}

// Decides for every compute action how its worker waits for it: the gap is known beforehand, that
// from one step to the next included. Returns whether sleeping makes a difference to the bill.
bool set_waits(const Problem& problem, const Simulation& simulation, std::vector<Action>& actions) {
  bool matters = false;
  const double on_watts = always_on_watts(problem.platform());
  std::vector<double> free_at(problem.workers.size(), 0);
  std::vector<double> rests = rests_seconds(problem, simulation, actions);
  for (std::size_t a = 0; a < actions.size(); ++a) {
    Action& action = actions[a];
    const double start = simulation.start_seconds[a];
    if (action.what == Do::compute) {
      const Device& device = problem.device_of(action.worker);
      const Gap gap{start - free_at[action.worker], std::exchange(rests[action.worker], 0)};
      action.wait = wait_for(gap, device, on_watts);
      const bool counts = device.wait_watts > 0 || hand_over_seconds(device, Wait::sleep) > 0;
      matters = matters || (action.wait == Wait::sleep && counts);
    }
    free_at[action.worker] = start + simulation.seconds[a];
    if (action.occupies != no_worker) free_at[action.occupies] = free_at[action.worker];
  }
  return matters;
}

// All buffers, each rounded up as its memory demands, as if none shared a byte.
std::int64_t total_bytes(const Problem& problem, const Draft& draft) {
  std::int64_t total = 0;
  for (const Buffer& buffer : draft.buffers)
    total = capped_sum(total, aligned(buffer.bytes, problem.platform().memories[buffer.memory]));
  return total;
}

// Gives the schedule the order and the times of the draft; its offsets stay open.
Simulation set_times(const Problem& problem, const Draft& draft, Schedule& schedule) {
  schedule.buffers = draft.buffers;
  schedule.actions = draft.actions;
  Edges edges = data_edges(problem, draft.buffers, draft.actions);
  for (std::size_t a = 0; a < edges.size(); ++a)
    edges[a].insert(edges[a].end(), draft.actions[a].after.begin(), draft.actions[a].after.end());
  set_after(problem, edges, schedule.actions);
  Simulation simulation = simulate(schedule);
  const bool matters = set_waits(problem, simulation, schedule.actions);
  return matters ? simulate(schedule) : simulation;
}

template <typename Value>
std::vector<Value> permuted(std::vector<Value>& values, const std::vector<int>& order) {
  std::vector<Value> result;
  result.reserve(values.size());
  for (const int index : order) result.push_back(std::move(values[index]));
  return result;
}

// Lists the actions in the order in which they start. Happens-before is kept: what happens before
// starts no later, and where it starts at the same time (it takes no time) the draft's order
// decides.
void sort_by_start(std::vector<Action>& actions, Simulation& simulation) {
  std::vector<int> order(actions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto& start = simulation.start_seconds;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return start[a] < start[b]; });
  actions = permuted(actions, order);
  std::vector<ActionId> place(order.size());
  for (std::size_t a = 0; a < order.size(); ++a) place[order[a]] = static_cast<ActionId>(a);
  for (Action& action : actions) {
    for (ActionId& earlier : action.after) earlier = place[earlier];
  }
  simulation.start_seconds = permuted(simulation.start_seconds, order);
  simulation.seconds = permuted(simulation.seconds, order);
}

void set_arenas(const Problem& problem, const std::vector<std::int64_t>& arenas,
                Schedule& schedule) {
  std::vector<bool> used(arenas.size(), false);
  for (const Buffer& buffer : schedule.buffers) used[buffer.memory] = true;
  for (std::size_t m = 0; m < arenas.size(); ++m) {
    const std::string name = memory_name(problem.platform(), static_cast<MemoryId>(m));
    if (used[m]) schedule.arenas[name] = arenas[m];
  }
}

void set_derived(Schedule& schedule, const std::string& strategy) {
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b)
    schedule.buffers[b].id = static_cast<std::int64_t>(b);
  const Simulation simulation = simulate(schedule);
  for (std::size_t a = 0; a < schedule.actions.size(); ++a) {
    Action& action = schedule.actions[a];
    action.id = static_cast<std::int64_t>(a);
    action.start_seconds = simulation.start_seconds[a];
    action.seconds = simulation.seconds[a];
    action.joules = simulation.joules[a];
  }
  schedule.numerics_sha256 = numerics_sha256(schedule, schedule.model_sha256);
  schedule.predicted = predict(schedule, simulation);
  schedule.predicted.strategy = strategy;
}

}  // namespace

bool pays_to_sleep(double gap_seconds, const Device& device, double on_watts) {
  const double measured_seconds = hand_over_seconds(device, Wait::sleep);
  const double wake_seconds = measured_seconds > 0 ? measured_seconds : usual_wake_seconds;
  const double saved_joules = device.wait_watts * (gap_seconds - wake_seconds);
  return gap_seconds >= longest_spin_seconds || saved_joules > on_watts * wake_seconds;
}

std::optional<DraftCost> cost_of(const Problem& problem, const Draft& draft, Schedule& scratch) {
  if (total_bytes(problem, draft) >= huge_bytes) return std::nullopt;
  const Simulation simulation = set_times(problem, draft, scratch);
  DraftCost cost{simulation.makespan_seconds, simulation.joules_by.total(), 0};
  for (std::size_t m = 0; m < simulation.peak_bytes.size(); ++m) {
    if (simulation.peak_bytes[m] > problem.capacity_bytes[m]) cost.fits = false;
    if (problem.platform().memories[m].kind != MemoryKind::storage)
      cost.live_bytes += simulation.peak_bytes[m];
  }
  if (!std::isfinite(cost.seconds * cost.joules)) return std::nullopt;
  return cost;
}

Schedule finish(const Problem& problem, const Draft& draft, const std::string& strategy,
                double address_effort) {
  Schedule schedule = problem.blank;
  Simulation simulation = set_times(problem, draft, schedule);
  sort_by_start(schedule.actions, simulation);
  const Lifetimes lifetimes =
      lifetimes_of(problem, schedule.buffers, schedule.actions, draft.kept, simulation);
  set_arenas(problem,
             set_offsets(problem, lifetimes, schedule.actions, schedule.buffers, address_effort),
             schedule);
  Edges edges;
  for (const Action& action : schedule.actions) edges.push_back(action.after);
  add_reuse_edges(problem, schedule.buffers, schedule.actions, by_begin(lifetimes), edges);
  set_after(problem, edges, schedule.actions);
  set_derived(schedule, strategy);
  return schedule;
}

void reprice(const Problem& problem, Schedule& schedule) {
  set_waits(problem, simulate(schedule), schedule.actions);
  set_derived(schedule, schedule.predicted.strategy);
}

}  // namespace stint

#include "planner/power/schedule_power.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "planner/draft.hpp"
#include "planner/power/power_relaxation.hpp"
#include "planner/strategy.hpp"
#include "schedules/cache_traffic.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"
#include "schedules/happens_before.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

constexpr int product_rounds = 4;  // at weighing joules and seconds where their product is the aim

class Describing {
 public:
  Describing(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        schedule_(schedule),
        devices_(problem.platform().devices),
        order_(stint::order(schedule, static_cast<int>(problem.workers.size()))),
        simulation_(simulate(schedule, problem.workers, order_)),
        caches_(cache_joules(schedule, problem.workers, order_.lanes)),
        busy_workers_(devices_.size(), 0),
        place_(schedule.actions.size(), 0) {
    for (std::size_t w = 0; w < problem.workers.size(); ++w) {
      const bool works = !problem.workers[w].is_link() && !order_.lanes.lists[w].empty();
      if (works) ++busy_workers_[problem.workers[w].device];
    }
  }

  SchedulePower describe() {
    sort_actions();
    for (const ActionId id : power_.order) add_action(id);
    add_turns();
    add_units();
    add_groups();
    add_bill();
    return std::move(power_);
  }

 private:
  // By start: what happens before stands before, and so do earlier copies on a channel.
  void sort_actions() {
    for (std::size_t a = 0; a < schedule_.actions.size(); ++a)
      power_.order.push_back(static_cast<ActionId>(a));
    std::sort(power_.order.begin(), power_.order.end(), [&](ActionId a, ActionId b) {
      return std::tuple(simulation_.start_seconds[a], order_.rank[a]) <
             std::tuple(simulation_.start_seconds[b], order_.rank[b]);
    });
    for (std::size_t i = 0; i < power_.order.size(); ++i)
      place_[power_.order[i]] = static_cast<int>(i);
  }

  const Device& device_of(const Action& action) const { return problem_.device_of(action.worker); }
  int device_index(const Action& action) const { return problem_.workers[action.worker].device; }

  // While one worker is busy the device is; of several each has a share at least.
  double active_watts(int device) const {
    return devices_[device].active_watts / std::max(1, busy_workers_[device]);
  }

  void add_action(ActionId id) {
    const Action& action = schedule_.actions[id];
    PowerAction power;
    for_each_predecessor(schedule_, order_.lanes, id,
                         [&](ActionId earlier) { power.after.push_back(place_[earlier]); });
    std::sort(power.after.begin(), power.after.end());
    power.after.erase(std::unique(power.after.begin(), power.after.end()), power.after.end());
    if (action.what == Do::compute) {
      add_states(id, power);
    } else {
      const WorkerId held = action.occupies;
      const double watts = held == no_worker ? 0 : active_watts(problem_.workers[held].device);
      const double seconds = simulation_.seconds[id];
      power.choices = {{seconds, simulation_.joules[id] + watts * seconds}};
    }
    power_.problem.actions.push_back(std::move(power));
  }

  // Seconds as the simulator has them, traffic included; joules of bytes are the same in any state.
  void add_states(ActionId id, PowerAction& power) const {
    const Action& action = schedule_.actions[id];
    const Device& device = device_of(action);
    const int index = device_index(action);
    const Task& task = problem_.graph().tasks[action.task];
    const double at_speed_1 =
        simulation_.seconds[id] * device.states[std::max(0, action.state)].speed;
    const double fetching = caches_.empty() ? 0 : caches_[id];
    for (int s = 0; s < choosable_states(device); ++s) {
      const PowerState& state = device.states[s];
      const double seconds = at_speed_1 / state.speed;
      power.choices.push_back(
          {seconds, (busy_watts(task, state) + active_watts(index)) * seconds + fetching});
    }
  }

  // Copies on one channel go one after the other, in the order that they have.
  void add_turns() {
    const auto channel = channels(problem_.platform());
    std::map<int, int> last;
    for (std::size_t i = 0; i < power_.order.size(); ++i) {
      const Worker& worker = problem_.workers[schedule_.actions[power_.order[i]].worker];
      if (!worker.is_link()) continue;
      const auto [before, is_first] = last.try_emplace(channel[worker.link], static_cast<int>(i));
      if (!is_first) power_.problem.actions[i].after.push_back(before->second);
      before->second = static_cast<int>(i);
    }
  }

  bool is_chosen(const Action& action) const {
    return action.what == Do::compute && choosable_states(device_of(action)) > 1;
  }
  bool is_shared(const Device& device) const { return device.state_scope == StateScope::device; }

  template <typename Visit>
  void for_each_chosen(Visit visit) {
    for (std::size_t i = 0; i < power_.order.size(); ++i) {
      const Action& action = schedule_.actions[power_.order[i]];
      if (is_chosen(action)) visit(static_cast<int>(i), action, power_.problem.actions[i]);
    }
  }

  // A worker's states or a device's, the latter behind all workers.
  int unit_key(const Action& action) const {
    const int workers = static_cast<int>(problem_.workers.size());
    return is_shared(device_of(action)) ? workers + device_index(action)
                                        : static_cast<int>(action.worker);
  }

  void add_units() {
    std::map<int, int> units;
    for_each_chosen([&](int, const Action& action, PowerAction& power) {
      const int next = static_cast<int>(power_.problem.units.size());
      const auto [unit, is_new] = units.try_emplace(unit_key(action), next);
      power.unit = unit->second;
      if (!is_new) return;
      PowerUnit& entering = power_.problem.units.emplace_back();
      for (const PowerState& state : device_of(action).states)
        entering.entering.push_back({state.switch_seconds, state.switch_joules});
    });
  }

  void add_groups() {
    std::map<int, int> of_run;      // by unit
    std::map<int, int> of_overlap;  // by component
    const std::vector<int> component = overlaps();
    for_each_chosen([&](int i, const Action& action, PowerAction& power) {
      const Device& device = device_of(action);
      const int next = power_.problem.groups;
      if (device.settable == Settable::run) {
        power.group = of_run.try_emplace(unit_key(action), next).first->second;
      } else if (component[i] >= 0) {
        power.group = of_overlap.try_emplace(component[i], next).first->second;
      } else {
        power.group = next;
      }
      power_.problem.groups = std::max(next, power.group + 1);
    });
  }

  // By action a number that those share which must have one state because they may overlap on a
  // device with one; -1 where nothing can. Whatever is not ordered may overlap, and so may what
  // overlaps with that: together they are neighbours in every order.
  std::vector<int> overlaps() {
    std::vector<int> component(power_.order.size(), -1);
    if (!order_.topological) return component;
    const HappensBefore before(schedule_, order_.lanes, *order_.topological);
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const Device& device = devices_[d];
      const bool share = device.settable == Settable::action && is_shared(device);
      if (share && busy_workers_[d] > 1) find_overlaps(static_cast<int>(d), before, component);
    }
    return component;
  }

  void find_overlaps(int device, const HappensBefore& before, std::vector<int>& component) {
    std::vector<std::vector<int>> lists(problem_.workers.size());
    std::vector<int> all;
    for_each_chosen([&](int i, const Action& action, const PowerAction&) {
      if (device_index(action) != device) return;
      lists[action.worker].push_back(i);
      all.push_back(i);
    });
    std::vector<int> last(power_.order.size(), -1);  // that it may overlap with
    for (const auto& list : lists) {
      for (const auto& others : lists) {
        std::size_t after = 0;  // the first that comes after it; grows along the list
        for (const int i : list) {
          while (after < others.size() && !before(power_.order[i], power_.order[others[after]]))
            ++after;
          if (after > 0) last[i] = std::max(last[i], others[after - 1]);
        }
      }
    }
    int reach = -1;
    int number = -1;
    for (const int i : all) {
      if (i > reach) number = i;
      component[i] = number;
      reach = std::max(reach, last[i]);
    }
  }

  void add_bill() {
    const Request& request = problem_.request();
    const double watts = always_on_watts(problem_.platform());
    power_.problem.deadline_seconds = deadline_seconds(request);
    if (power_.problem.deadline_seconds) *power_.problem.deadline_seconds -= passing_seconds();
    if (request.bill == Bill::makespan)
      power_.problem.watts = watts;
    else
      power_.problem.fixed_joules = watts * billed_seconds(request, 0);
  }

  // What hand-overs take of the step as it is, which states do not change.
  double passing_seconds() const {
    if (HandOvers(schedule_, problem_.workers).are_free()) return 0;
    PowerChoices choices;
    for (const ActionId id : power_.order) {
      const Action& action = schedule_.actions[id];
      choices.push_back(is_chosen(action) ? std::max(0, action.state) : 0);
    }
    return std::max(0.0, simulation_.makespan_seconds - price(power_.problem, choices).seconds);
  }

  const Problem& problem_;
  const Schedule& schedule_;
  const std::vector<Device>& devices_;
  Order order_;
  Simulation simulation_;
  std::vector<double> caches_;     // joules by action, or none
  std::vector<int> busy_workers_;  // by device
  std::vector<int> place_;         // by action of the schedule
  SchedulePower power_;
};

bool is_better(const Problem& problem, const Schedule& schedule, const Schedule& than) {
  const auto deadline = deadline_seconds(problem.request());
  if (!meets(schedule.predicted.seconds, deadline)) return false;
  if (!meets(than.predicted.seconds, deadline)) return true;
  return schedule.predicted.objective.value < than.predicted.objective.value * (1 - 1e-12);
}

std::optional<Schedule> chosen(const Problem& problem, const Schedule& schedule,
                               const SchedulePower& power, double limit) {
  const auto plan = choose_power(power.problem, {limit});
  if (!plan) return std::nullopt;
  Schedule changed = schedule;
  for (std::size_t i = 0; i < power.order.size(); ++i) {
    if (power.problem.actions[i].group != no_power_group)
      changed.actions[power.order[i]].state = plan->choices[i];
  }
  reprice(problem, changed);
  return changed;
}

}  // namespace

SchedulePower schedule_power(const Problem& problem, const Schedule& schedule) {
  return Describing(problem, schedule).describe();
}

std::optional<Schedule> with_better_states(const Problem& problem, const Schedule& schedule,
                                           double limit) {
  const Objective objective = problem.request().objective;
  if (objective != Objective::energy && objective != Objective::edp) return std::nullopt;
  SchedulePower power = schedule_power(problem, schedule);
  if (power.problem.groups == 0) return std::nullopt;
  const double watts = power.problem.watts;
  std::optional<Schedule> best;
  const int rounds = objective == Objective::edp ? product_rounds : 1;
  for (int round = 0; round < rounds; ++round) {
    const Predicted& now = (best ? *best : schedule).predicted;
    if (objective == Objective::edp && now.seconds > 0)
      power.problem.watts = watts + now.joules / now.seconds;
    auto changed = chosen(problem, schedule, power, limit / rounds);
    if (!changed || !is_better(problem, *changed, best ? *best : schedule)) break;
    best = std::move(changed);
  }
  return best;
}

double worth_of_a_second(const Problem& problem, const Schedule& schedule) {
  const SchedulePower power = schedule_power(problem, schedule);
  const PowerRelaxation relaxation(power.problem);
  const PowerRelaxed relaxed = relaxation.solve(relaxation.all(), relaxation_work);
  return std::isfinite(relaxed.bound) ? relaxed.second_watts : relaxed.bound;
}

}  // namespace stint

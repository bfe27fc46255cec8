#include "executor/model_meter.hpp"

#include <algorithm>
#include <numeric>

#include "schedules/clock.hpp"
#include "schedules/prices.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

class Meter {
 public:
  Meter(const Schedule& schedule, const Lanes& lists, const MarginalJoules& marginal,
        const MeasuredStep& step)
      : schedule_(schedule),
        platform_(schedule.platform),
        lists_(lists),
        marginal_(marginal),
        step_(step),
        workers_(workers(schedule.platform)) {}

  JoulesBy add_up() {
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) bill_action(ActionId{i});
    for (int w = 0; w < static_cast<int>(workers_.size()); ++w) {
      if (!workers_[w].is_link()) bill_waiting(WorkerId{w});
    }
    bill_switches();
    bill_active_time();
    bill_what_is_always_on();
    return joules_;
  }

 private:
  double end_of(ActionId id) const { return step_.start_seconds[id] + step_.action_seconds[id]; }

  void bill_action(ActionId id) {
    const Worker& worker = workers_[schedule_.actions[id].worker];
    (worker.is_link() ? joules_.copy : joules_.compute) += marginal_(id, step_.action_seconds[id]);
  }

  const PowerState& state_of(const Action& action) const {
    return platform_.devices[workers_[action.worker].device].states[std::max(0, action.state)];
  }

  // Gaps before actions, and before the end of the step, that are to be awaited by spinning.
  void bill_waiting(WorkerId worker) {
    const Device& device = platform_.devices[workers_[worker].device];
    double free_since = 0;
    const auto bill_gap = [&](Wait wait, double until) {
      if (wait == Wait::spin) joules_.wait += device.wait_watts * std::max(0.0, until - free_since);
    };
    for (const ActionId id : lists_.lists[worker]) {
      bill_gap(schedule_.actions[id].wait, step_.start_seconds[id]);
      free_since = end_of(id);
    }
    bill_gap(wait_between_steps(schedule_, lists_.lists[worker]), step_.seconds);
  }

  // A worker, or a whole device, begins the step in the state in which it ended the one before.
  void bill_switches() {
    std::vector<int> state(workers_.size() + platform_.devices.size(), -1);
    const std::vector<ActionId> computes = computes_by_start();
    for (const ActionId id : computes) state[unit_of(id)] = state_index(id);
    for (const ActionId id : computes) {
      int& now = state[unit_of(id)];
      if (now != state_index(id)) joules_.switches += state_of(schedule_.actions[id]).switch_joules;
      now = state_index(id);
    }
  }

  std::vector<ActionId> computes_by_start() const {
    std::vector<ActionId> ids;
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      if (schedule_.actions[i].what == Do::compute) ids.push_back(ActionId{i});
    }
    std::stable_sort(ids.begin(), ids.end(), [&](ActionId a, ActionId b) {
      return step_.start_seconds[a] < step_.start_seconds[b];
    });
    return ids;
  }

  int state_index(ActionId id) const { return std::max(0, schedule_.actions[id].state); }
  int unit_of(ActionId id) const {
    const WorkerId worker = schedule_.actions[id].worker;
    const int device = workers_[worker].device;
    const bool shared = platform_.devices[device].state_scope == StateScope::device;
    return shared ? static_cast<int>(workers_.size()) + device : static_cast<int>(worker);
  }

  // The time in which a device has any busy worker: the union of its workers' busy spans.
  void bill_active_time() {
    struct Span {
      double begin, end;
    };
    std::vector<std::vector<Span>> busy(platform_.devices.size());
    for (int w = 0; w < static_cast<int>(workers_.size()); ++w) {
      if (workers_[w].is_link()) continue;
      for (const ActionId id : lists_.lists[w]) {
        busy[workers_[w].device].push_back({step_.start_seconds[id], end_of(id)});
      }
    }
    for (std::size_t d = 0; d < busy.size(); ++d) {
      std::sort(busy[d].begin(), busy[d].end(),
                [](const Span& a, const Span& b) { return a.begin < b.begin; });
      double covered_until = 0;
      double seconds = 0;
      for (const Span& span : busy[d]) {
        seconds += std::max(0.0, span.end - std::max(span.begin, covered_until));
        covered_until = std::max(covered_until, span.end);
      }
      joules_.active += platform_.devices[d].active_watts * seconds;
    }
  }

  // A step that overruns its deadline or period keeps the machine on for as long as it takes.
  double window_seconds() const {
    return std::max(step_.seconds, billed_seconds(schedule_.request, step_.seconds));
  }

  void bill_what_is_always_on() {
    const double window = window_seconds();
    for (const Node& node : platform_.nodes) joules_.base += node.base_watts * window;
    for (const Device& device : platform_.devices) joules_.idle += device.idle_watts * window;
    for (const Memory& memory : platform_.memories) joules_.memory += memory.static_watts * window;
  }

  const Schedule& schedule_;
  const Platform& platform_;
  const Lanes& lists_;
  const MarginalJoules& marginal_;
  const MeasuredStep& step_;
  std::vector<Worker> workers_;
  JoulesBy joules_;
};

}  // namespace

JoulesBy modelled_joules(const Schedule& schedule, const Lanes& lists, const MarginalJoules& joules,
                         const MeasuredStep& step) {
  return Meter(schedule, lists, joules, step).add_up();
}

// A plain number says nothing of where it comes from, so it is an assumption.
std::string model_basis(const Platform& platform) {
  bool all_calibrated = true;
  for (const Price& price : prices(platform)) {
    const Basis basis = price.quantity.basis;
    if (basis == Basis::assumed || basis == Basis::stated) return "modelled:assumed";
    all_calibrated = all_calibrated && basis != Basis::datasheet;
  }
  return all_calibrated ? "modelled:calibrated" : "modelled:datasheet";
}

}  // namespace stint

#include "schedules/energy_bill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "schedules/clock.hpp"
#include "schedules/cost.hpp"
#include "schedules/critical_path.hpp"
#include "schedules/describe.hpp"
#include "schedules/marginal_joules.hpp"

namespace stint {
namespace {

constexpr std::array classes = {"forward", "loss",      "backward", "update",
                                "other",   "recompute", "copy",     "load"};

// Sums by time model, whose errors are the same for all that it prices. By order of appearance.
class Spread {
 public:
  void add(const TimeModel* model, double seconds, double joules) {
    if (model == nullptr || !model->sigma) return;
    const auto [at, is_new] = index_.emplace(model, sums_.size());
    if (is_new) sums_.emplace_back();
    sums_[at->second].seconds += *model->sigma * seconds;
    sums_[at->second].joules += *model->sigma * joules;
  }

  SecondsAndJoules sigma() const {
    SecondsAndJoules square;
    for (const SecondsAndJoules& sum : sums_) {
      square.seconds += sum.seconds * sum.seconds;
      square.joules += sum.joules * sum.joules;
    }
    return {std::sqrt(square.seconds), std::sqrt(square.joules)};
  }

 private:
  std::map<const TimeModel*, std::size_t> index_;
  std::vector<SecondsAndJoules> sums_;
};

class BillMaker {
 public:
  BillMaker(const Schedule& schedule, const MeasuredStepTimes& measured)
      : schedule_(schedule),
        measured_(measured),
        workers_(workers(schedule.platform)),
        order_(order(schedule, static_cast<int>(workers_.size()))),
        simulation_(simulate(schedule, workers_, order_)),
        joules_(schedule, workers_, order_.lanes),
        times_(schedule.platform) {
    models_.reserve(schedule.actions.size());
    for (const Action& action : schedule.actions) models_.push_back(model_of(action));
    find_spread_of_the_step();
  }

  EnergyBill make(const std::string& part) {
    EnergyBill bill{.part = part};
    add_classes(bill);
    add_shared(bill);
    bill.total = {.name = "total",
                  .actions = std::ssize(schedule_.actions),
                  .predicted = {simulation_.makespan_seconds, 0},
                  .measured = {measured_.seconds, 0},
                  .sigma = step_.sigma()};
    for (const BillLine& line : bill.lines) {
      bill.total.predicted.joules += line.predicted.joules;
      bill.total.measured.joules += line.measured.joules;
    }
    return bill;
  }

 private:
  const TimeModel* model_of(const Action& action) const {
    if (action.what != Do::compute) return nullptr;
    const DeviceId device{workers_[action.worker].device};
    return times_.model_of(schedule_.graph.tasks[action.task], device);
  }

  // The step is longer where its critical path is; then what grows with it costs more, too.
  void find_spread_of_the_step() {
    std::vector<double> share(schedule_.actions.size(), 0);
    for (const ActionId id : critical_path(schedule_, workers_, order_.lanes, simulation_)) {
      share[id] = 1;
    }
    const double makespan = simulation_.makespan_seconds;
    const double active_watts = makespan > 0 ? simulation_.joules_by.active / makespan : 0;
    const double watts = watts_of_a_longer_step(schedule_) + active_watts;
    for (std::size_t i = 0; i < share.size(); ++i) {
      const double seconds = share[i] * simulation_.seconds[i];
      step_.add(models_[i], seconds, simulation_.joules[i] + watts * seconds);
    }
  }

  void add_classes(EnergyBill& bill) const {
    std::map<std::string, BillLine> lines;
    std::map<std::string, Spread> spreads;
    const std::vector<std::string> class_of = action_classes(schedule_);
    for (std::size_t i = 0; i < class_of.size(); ++i) {
      add_action(i, lines[class_of[i]]);
      spreads[class_of[i]].add(models_[i], simulation_.seconds[i], simulation_.joules[i]);
    }
    for (const char* const name : classes) {
      BillLine& line = lines[name];
      if (line.actions == 0) continue;
      line.name = name;
      line.sigma = spreads[name].sigma();
      bill.lines.push_back(line);
    }
  }

  void add_action(std::size_t i, BillLine& line) const {
    const double seconds = measured_.action_seconds[i];
    ++line.actions;
    line.predicted.seconds += simulation_.seconds[i];
    line.predicted.joules += simulation_.joules[i];
    line.measured.seconds += seconds;
    line.measured.joules += joules_(static_cast<ActionId>(i), seconds);
  }

  void add_shared(EnergyBill& bill) const {
    const JoulesBy& predicted = simulation_.joules_by;
    const JoulesBy& measured = measured_.shared;
    const auto add = [&](const char* name, double joules, double measured_joules) {
      bill.lines.push_back(
          {.name = name, .predicted = {0, joules}, .measured = {0, measured_joules}});
    };
    add("switch", predicted.switches, measured.switches);
    add("wait", predicted.wait, measured.wait);
    add("active", predicted.active, measured.active);
    add("idle", predicted.idle, measured.idle);
    add("memory", predicted.memory, measured.memory);
    add("base", predicted.base, measured.base);
    for (auto line = bill.lines.end() - 3; line != bill.lines.end(); ++line) add_window(*line);
  }

  // What is on for as long as is billed; a step that overruns its window is on for longer.
  void add_window(BillLine& line) const {
    const Request& request = schedule_.request;
    line.predicted.seconds = billed_seconds(request, simulation_.makespan_seconds);
    line.measured.seconds = std::max(measured_.seconds, billed_seconds(request, measured_.seconds));
    if (request.bill != Bill::makespan) return;
    line.sigma.seconds = step_.sigma().seconds;
    line.sigma.joules = line.predicted.watts().value_or(0) * line.sigma.seconds;
  }

  const Schedule& schedule_;
  const MeasuredStepTimes& measured_;
  std::vector<Worker> workers_;
  Order order_;
  Simulation simulation_;
  MarginalJoules joules_;
  TaskTimes times_;
  std::vector<const TimeModel*> models_;  // by action
  Spread step_;
};

}  // namespace

std::optional<double> SecondsAndJoules::watts() const {
  return seconds > 0 ? std::optional(joules / seconds) : std::nullopt;
}

std::optional<double> relative_error(double measured, double predicted) {
  if (predicted == 0) return std::nullopt;
  return (measured - predicted) / predicted;
}

std::optional<double> BillLine::error_seconds() const {
  return relative_error(measured.seconds, predicted.seconds);
}

std::optional<double> BillLine::error_watts() const {
  if (!measured.watts() || !predicted.watts()) return std::nullopt;
  return relative_error(*measured.watts(), *predicted.watts());
}

std::optional<double> BillLine::error_joules() const {
  return relative_error(measured.joules, predicted.joules);
}

EnergyBill energy_bill(const std::string& part, const Schedule& schedule,
                       const MeasuredStepTimes& measured) {
  return BillMaker(schedule, measured).make(part);
}

void add_unexplained(EnergyBill& bill, double counted_joules) {
  BillLine line{.name = "unexplained"};
  line.measured.joules = counted_joules - bill.total.measured.joules;
  bill.lines.push_back(line);
  bill.total.measured.joules = counted_joules;
}

std::vector<std::string> action_classes(const Schedule& schedule) {
  const std::vector<bool> again = recomputations(schedule);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Action& action = schedule.actions[i];
    if (action.what != Do::compute) {
      names.emplace_back(action.what == Do::copy ? "copy" : "load");
    } else {
      names.push_back(again[i] ? "recompute" : to_string(schedule.graph.tasks[action.task].phase));
    }
  }
  return names;
}

double watts_of_a_longer_step(const Schedule& schedule) {
  if (schedule.request.bill != Bill::makespan) return 0;
  double watts = 0;
  for (const Node& node : schedule.platform.nodes) watts += node.base_watts;
  for (const Device& device : schedule.platform.devices) watts += device.idle_watts;
  for (const Memory& memory : schedule.platform.memories) watts += memory.static_watts;
  return watts;
}

}  // namespace stint

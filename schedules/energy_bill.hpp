// Predicted next to measured, line by line: one for every class of actions, one for every term that
// actions share. Lines of a bill add up to its total, predicted and measured, to 1e-9.
//
// What an action adds (busy watts x seconds, joules of bytes: marginal_joules.hpp) is on the line
// of its class; what is on anyway or belongs to no single action (switch, wait, active, idle,
// memory, base) has lines of its own. Joules on the measured side are the platform's prices x
// measured times; counters see only sums, so what they say beyond that is a line too:
// `unexplained`.
//
// The spread of a prediction comes from `sigma` of the time models: errors of one model are taken
// to be the same for all its tasks, those of different models independent. Times that a task
// states, and measured kernels, have none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/simulate.hpp"

namespace stint {

struct SecondsAndJoules {
  double seconds = 0;
  double joules = 0;

  std::optional<double> watts() const;  // nothing without seconds
};

// (measured − predicted) / predicted; nothing if nothing was predicted.
std::optional<double> relative_error(double measured, double predicted);

struct BillLine {
  std::string name;          // `forward`, …, `recompute`, `copy`, `load`; `switch`, …, `base`
  std::int64_t actions = 0;  // of that class
  SecondsAndJoules predicted;
  SecondsAndJoules measured;
  SecondsAndJoules sigma;  // of the prediction: one standard deviation

  std::optional<double> error_seconds() const;
  std::optional<double> error_watts() const;  // (1 + seconds)(1 + watts) = 1 + joules
  std::optional<double> error_joules() const;
};

// Seconds of a class are those that its actions take, of idle, memory and base those that are
// billed, of the total those of the step; of other terms none.
struct EnergyBill {
  std::string part;  // `all` of the platform, or what counters see of it: `covered`, `uncovered`
  std::vector<BillLine> lines;
  BillLine total;
};

// What a step took.
struct MeasuredStepTimes {
  double seconds = 0;
  std::vector<double> action_seconds;  // by action
  JoulesBy shared;                     // but for compute and copy, which follow from the seconds
};

// At the prices of the schedule's platform.
EnergyBill energy_bill(const std::string& part, const Schedule& schedule,
                       const MeasuredStepTimes& measured);

// Adds the line `unexplained`, so that the total is what counters say.
void add_unexplained(EnergyBill& bill, double counted_joules);

// The classes of actions, by action: the phase of a task, `recompute` for every execution of a task
// but the first, `copy`, `load`.
std::vector<std::string> action_classes(const Schedule& schedule);

// What a second more of the step costs: idle, memory, base; 0 if a fixed window is billed.
double watts_of_a_longer_step(const Schedule& schedule);

// `+4.7 %`, or `-` without an error.
std::string error_text(const std::optional<double>& error);

// For people: the lines with seconds, watts, joules and their errors; the share of 1.645 sigma.
std::string bill_table(const EnergyBill& bill);

}  // namespace stint

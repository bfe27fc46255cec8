// What if the estimates are wrong? A schedule with its orders, simulated many times with random
// errors of its tasks' times: how long the step then takes and what it costs, what decides it, and
// how much a plan that had known the true times could gain by another order.
//
// Every task's time is multiplied by (1 + error)^u, u uniform between −1 and 1: as likely too long
// as too short, at most 1 + error times off. All executions of a task share its factor, tasks are
// independent; copies keep their times. Seeded: the same options give the same answer.
// Cost: a simulation for every sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

struct PerturbOptions {
  double error = 0.1;
  std::int64_t samples = 500;
  std::int64_t seed = 0;
};

struct Distribution {
  double planned = 0;  // without errors
  double least = 0;
  double low = 0;  // 5 % of the samples are below
  double median = 0;
  double high = 0;  // 95 % are below
  double greatest = 0;
  double mean = 0;
  double all_longest = 0;  // every task takes 1 + error times as long
};

struct CriticalAction {
  std::int64_t id = 0;
  std::string name;    // of its task, or `copy x1`
  std::string worker;  // or link
  double seconds = 0;  // planned
  double share = 0;    // of the samples in which it lies on the critical path
};

struct Perturbation {
  PerturbOptions options;
  Distribution seconds;
  Distribution joules;
  std::optional<double> late;            // share of the samples that miss the deadline, if any
  std::vector<CriticalAction> critical;  // most often first; those that ever are
  // By which share of the step the same actions in another order on their workers, memory being no
  // matter, would end earlier (reordered.hpp). The bound holds for all orders.
  Distribution gain;
  Distribution gain_bound;
};

// Of a schedule that can be simulated.
Perturbation perturb(const Schedule& schedule, const PerturbOptions& options);

// `10%` of the option --perturb; throws InputError unless it is more than 0 and at most 1000%.
double error_of(const std::string& text);

// For people, and as one object on one line.
std::string summary(const Perturbation& perturbation);
std::string summary_json(const Perturbation& perturbation);

}  // namespace stint

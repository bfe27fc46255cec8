// What `run` says of a replay, as data: predicted next to measured, for the step and for every
// action. Written by the executor, read by `show`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

struct SecondsAndJoules {
  double seconds = 0;
  double joules = 0;
};

// What one counter counted in a step: the mean over the measured ones.
struct DomainEnergy {
  std::string domain;
  double joules = 0;
  bool compared = false;  // the plan prices what it sees: part of `measured.joules`
};

// What counters saw of a step, and the same part of the prediction (schedules/covered.hpp). Compare
// `joules()` with `predicted_covered` alone; both predictions add up to that of the step, term by
// term. Watts are joules over `seconds`.
struct MeasuredEnergy {
  double seconds = 0;  // of the counters' windows: the step and a little more, the mean
  std::vector<DomainEnergy> domains;
  JoulesBy predicted_covered;
  JoulesBy predicted_uncovered;  // base, storage, …: no counter sees them

  double joules() const;  // of the compared domains
};

// Where the joules come from.
struct EnergyBasis {
  std::string basis;                 // `measured:…`, `modelled:…` or `unavailable`
  std::vector<std::string> domains;  // that counters counted
  std::optional<std::string> why_not_better;
  std::optional<MeasuredEnergy> measured;  // nothing where joules are modelled
};

// Over the measured steps.
struct StepSpread {
  double least_seconds = 0;
  double median_seconds = 0;
  double greatest_seconds = 0;
};

struct RunAction {
  std::int64_t id = 0;
  double start_seconds = 0;
  double predicted_seconds = 0;
  double measured_seconds = 0;
};

// The trained network on samples that it was not trained with.
struct Evaluation {
  std::int64_t batches = 0;
  std::int64_t samples = 0;        // the last batch may have fewer than the others
  std::int64_t left_out = 0;       // samples that were held out and not used
  double loss = 0;                 // the mean over all labels
  std::optional<double> accuracy;  // share of labels with the highest score; none without labels
};

struct RunReport {
  std::string schedule_sha256;
  std::string numerics_sha256;
  std::string name;  // of the model
  std::int64_t steps = 0;
  std::int64_t warmup_steps = 0;  // before the measured ones, and apart from them
  bool replayed_exactly = false;
  std::optional<std::string> degraded;  // power states were not set: why; predictions without them
  EnergyBasis energy;
  SecondsAndJoules predicted;
  SecondsAndJoules measured;    // medians; joules of counters: the mean, of compared domains
  JoulesBy measured_joules_by;  // of the median step, by the model from measured times
  StepSpread spread;
  std::vector<double> loss;  // by step; not a number where training failed
  std::optional<Evaluation> evaluation;
  std::string state_sha256;
  std::string results_sha256;
  std::map<std::string, std::int64_t> peak_bytes;  // highest byte touched, by memory name
  std::vector<RunAction> actions;                  // medians
  std::vector<std::string> notes;  // what a reader should know before believing the times

  // (measured − predicted) / predicted; nothing if nothing was predicted. Of joules that were
  // counted: next to the part of the prediction that the counters cover.
  std::optional<double> error_seconds() const;
  std::optional<double> error_joules() const;
};

// "the loss of step 3 is not a finite number…" for the first such step, counted from 0; "" if all
// are finite.
std::string loss_fault(const RunReport& report);

// Reads a "stint-run" file; throws InputError if it is not one.
RunReport parse_run_report(const std::string& text, const std::string& file);

std::string run_report_text(const RunReport& report);

// For people.
std::string summary(const RunReport& report);

// One object on one line.
std::string summary_json(const RunReport& report);

}  // namespace stint

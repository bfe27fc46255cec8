#include "executor/calibrate/judged_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "executor/calibrate/fit_correction.hpp"
#include "executor/calibrate/fit_time_model.hpp"
#include "executor/calibrate/known_models.hpp"
#include "executor/median.hpp"
#include "schedules/cost.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

using Observations = std::vector<Observation>;

// One held-out shape, as every model sees it.
struct Judged {
  double error = 0;
  double uncorrected = 0;
  double noise = 0;
  double log_residual = 0;
  double alone = 1;
  double history = 0;
  std::optional<double> power_law;
  double power_law_answers = 0;  // as a share
};

double off(double predicted, double measured) { return std::abs(predicted - measured) / measured; }

struct Models {
  TimeModel ours;
  TimeModel uncorrected;
  History history;
  PowerLaw power_law;
};

Models fit_models(const Observations& seen, const std::vector<std::int64_t>& knots) {
  std::vector<double> sizes;
  std::vector<double> seconds;
  for (const Observation& one : seen) {
    if (one.held_out || one.task.bytes_moved <= 0) continue;
    sizes.push_back(one.task.bytes_moved);
    seconds.push_back(one.seconds);
  }
  Models models{.uncorrected = fit_time_model(seen, knots),
                .history = History(sizes, seconds),
                .power_law = fit_power_law(sizes, seconds)};
  models.ours = models.uncorrected;
  models.ours.correction = fit_correction(seen, models.uncorrected);
  return models;
}

Judged judge(const Observation& seen, const Models& models) {
  const double measured = mean_seconds(seen);
  const double predicted = modelled_seconds(seen.task, models.ours);
  Judged judged{.error = off(predicted, measured),
                .uncorrected = off(modelled_seconds(seen.task, models.uncorrected), measured),
                .noise = std::abs(seen.seconds - seen.again_seconds) / measured,
                .log_residual = std::log(measured / predicted),
                .alone = seen.alone_seconds / measured,
                .history = off(models.history.at(seen.task.bytes_moved), measured)};
  if (const auto law = models.power_law.at(seen.task.bytes_moved)) {
    judged.power_law = off(*law, measured);
    judged.power_law_answers = 1;
  }
  return judged;
}

template <typename Field>
double median_of(const std::vector<Judged>& all, Field field) {
  std::vector<double> values;
  for (const Judged& one : all) values.push_back(one.*field);
  return median(values);
}

ModelErrors summed_up(const std::string& op, std::size_t shapes, const std::vector<Judged>& all) {
  ModelErrors errors{.op = op, .shapes = shapes, .held_out = all.size()};
  if (all.empty()) return errors;
  errors.error = median_of(all, &Judged::error);
  errors.uncorrected = median_of(all, &Judged::uncorrected);
  errors.noise_floor = median_of(all, &Judged::noise);
  errors.alone = median_of(all, &Judged::alone);
  errors.history = median_of(all, &Judged::history);
  double squares = 0;
  std::vector<double> answered;
  for (const Judged& one : all) {
    squares += one.log_residual * one.log_residual;
    if (one.power_law) answered.push_back(*one.power_law);
    errors.power_law_answers += one.power_law_answers / static_cast<double>(all.size());
  }
  errors.sigma = std::sqrt(squares / static_cast<double>(all.size()));
  if (!answered.empty()) errors.power_law = median(answered);
  return errors;
}

Quantity sigma_of(const ModelErrors& errors) {
  return {errors.sigma, Basis::measured,
          fmt::format("{} held-out shapes: median error {}, noise floor {}; alone {} of the time",
                      errors.held_out, percent_text(errors.error), percent_text(errors.noise_floor),
                      percent_text(errors.alone))};
}

std::size_t fitted_shapes(const Observations& seen) {
  return static_cast<std::size_t>(std::count_if(
      seen.begin(), seen.end(), [](const Observation& one) { return !one.held_out; }));
}

// What of a step is known by adding its tasks up.
struct StepSums {
  Observation measured;
  double predicted = 0;
  double uncorrected = 0;
  double history = 0;
  double power_law = 0;
  double answered = 0;  // measured seconds of the tasks that the power law answers for
};

void add(const Observation& seen, const Models& models, StepSums& sums) {
  const auto count = static_cast<double>(seen.tasks);
  for (const auto seconds :
       {&Observation::seconds, &Observation::again_seconds, &Observation::alone_seconds})
    sums.measured.*seconds += count * seen.*seconds;
  sums.predicted += count * modelled_seconds(seen.task, models.ours);
  sums.uncorrected += count * modelled_seconds(seen.task, models.uncorrected);
  sums.history += count * models.history.at(seen.task.bytes_moved);
  if (const auto law = models.power_law.at(seen.task.bytes_moved)) {
    sums.power_law += count * *law;
    sums.answered += count * mean_seconds(seen);
  }
}

Judged judged(const StepSums& sums) {
  const double measured = mean_seconds(sums.measured);
  Judged judged{.error = off(sums.predicted, measured),
                .uncorrected = off(sums.uncorrected, measured),
                .noise = std::abs(sums.measured.seconds - sums.measured.again_seconds) / measured,
                .log_residual = std::log(measured / sums.predicted),
                .alone = sums.measured.alone_seconds / measured,
                .history = off(sums.history, measured),
                .power_law_answers = sums.answered / measured};
  if (sums.answered > 0) judged.power_law = off(sums.power_law, sums.answered);
  return judged;
}

// Of held-out steps.
class Judging {
 public:
  void add(const Observation& seen, const Models& models) {
    of_op_.push_back(judge(seen, models));
    stint::add(seen, models, steps_[seen.step]);
  }
  std::vector<Judged> take_op() {
    all_.insert(all_.end(), of_op_.begin(), of_op_.end());
    return std::exchange(of_op_, {});
  }
  const std::vector<Judged>& all() const { return all_; }
  std::vector<Judged> steps() const {
    std::vector<Judged> found;
    for (const auto& [step, sums] : steps_) found.push_back(judged(sums));
    return found;
  }

 private:
  std::vector<Judged> of_op_;
  std::vector<Judged> all_;
  std::map<std::size_t, StepSums> steps_;
};

std::size_t fitted_steps(const Observations& seen) {
  std::set<std::size_t> steps;
  for (const Observation& one : seen) {
    if (!one.held_out) steps.insert(one.step);
  }
  return steps.size();
}

}  // namespace

JudgedModels fit_and_judge(const std::vector<Observation>& seen,
                           const std::vector<std::int64_t>& knots) {
  std::map<std::string, Observations> by_op;
  for (const Observation& one : seen) by_op[one.task.op].push_back(one);
  JudgedModels found;
  Judging judging;
  for (const auto& [op, of_op] : by_op) {
    if (fitted_shapes(of_op) < fewest_fitted_shapes) continue;
    const Models models = fit_models(of_op, knots);
    for (const Observation& one : of_op) {
      if (one.held_out) judging.add(one, models);
    }
    const std::vector<Judged> of_this_op = judging.take_op();
    found.errors.push_back(summed_up(op, fitted_shapes(of_op), of_this_op));
    found.time_model[op] = models.ours;
    if (!of_this_op.empty()) found.time_model[op].sigma = sigma_of(found.errors.back());
  }
  found.time_model["*"] = fit_time_model(seen, knots);
  found.errors.push_back(summed_up("*", fitted_shapes(seen), judging.all()));
  found.errors.push_back(summed_up("step", fitted_steps(seen), judging.steps()));
  return found;
}

}  // namespace stint

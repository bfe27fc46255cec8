#include "planner/solver/cp_sat.hpp"

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>
#include <thread>

#include "planner/solver/linear_program.hpp"

// Of OR-Tools, whose headers are not installed with its wheel. Answers are the caller's to free.
extern "C" {
void* SolveCpNewEnv();
void SolveCpDestroyEnv(void* env);
void SolveCpStopSearch(void* env);
void SolveCpInterruptible(void* env, const void* model, int model_bytes, const void* parameters,
                          int parameters_bytes, void** response, int* response_bytes);
}

namespace stint {
namespace {

constexpr int cut_rounds = 10;
constexpr int quick_restarts = 5;       // of its ways to branch
constexpr int root_iterations = 20000;  // of the simplex method, before the first branch

using Message = protozero::pbf_writer;
using Tag = protozero::pbf_tag_type;
using Integers = std::vector<std::int64_t>;

// Field numbers of cp_model.proto and sat_parameters.proto.
namespace field {
enum Variable : Tag { variable_domain = 2 };
enum Expression : Tag { expression_vars = 1, expression_coeffs = 2, expression_offset = 3 };
enum Linear : Tag { linear_vars = 1, linear_coeffs = 2, linear_domain = 3 };
enum Clause : Tag { clause_literals = 1 };
enum Interval : Tag { interval_start = 4, interval_end = 5, interval_size = 6 };
enum NoOverlap : Tag { no_overlap_intervals = 1 };
enum NoOverlap2d : Tag { no_overlap_2d_x = 1, no_overlap_2d_y = 2 };
enum Cumulative : Tag { cumulative_capacity = 1, cumulative_intervals = 2, cumulative_demands = 3 };
enum Reservoir : Tag {
  reservoir_least = 1,
  reservoir_most = 2,
  reservoir_times = 3,
  reservoir_active = 5,
  reservoir_changes = 6
};
enum Constraint : Tag {
  constraint_if_all = 2,
  constraint_clause = 3,
  constraint_linear = 12,
  constraint_interval = 19,
  constraint_no_overlap = 20,
  constraint_no_overlap_2d = 21,
  constraint_cumulative = 22,
  constraint_reservoir = 24
};
enum Objective : Tag { objective_vars = 1, objective_coeffs = 4 };
enum Hint : Tag { hint_vars = 1, hint_values = 2 };
enum Model : Tag {
  model_variables = 2,
  model_constraints = 3,
  model_objective = 4,
  model_hint = 6
};
enum Parameters : Tag {
  random_seed = 31,
  max_deterministic_time = 67,
  search_branching = 82,
  linearization_level = 90,
  catch_sigint_signal = 135,
  interleave_search = 136,
  max_cut_rounds_at_level_zero = 154,
  absolute_gap_limit = 159,
  relative_gap_limit = 160,
  num_workers = 206,
  subsolvers = 207,
  root_lp_iterations = 227
};
enum Response : Tag {
  status = 1,
  solution = 2,
  objective_value = 3,
  best_objective_bound = 4,
  deterministic_time = 17
};
}  // namespace field

void add_integers(Message& message, Tag tag, const Integers& values) {
  message.add_packed_int64(tag, values.begin(), values.end());
}

template <typename Ids>
Integers integers(const Ids& ids) {
  return Integers(ids.begin(), ids.end());
}

void add_terms(Message& message, Tag vars, Tag coeffs, const LinearSum& sum) {
  Integers variables;
  Integers coefficients;
  for (const auto& [variable, coefficient] : sum.terms) {
    variables.push_back(variable);
    coefficients.push_back(coefficient);
  }
  add_integers(message, vars, variables);
  add_integers(message, coeffs, coefficients);
}

void add_expression(Message& message, Tag tag, const LinearSum& sum) {
  Message expression(message, tag);
  add_terms(expression, field::expression_vars, field::expression_coeffs, sum);
  expression.add_int64(field::expression_offset, sum.constant);
}

void add_conditions(Message& constraint, std::span<const VariableId> if_all) {
  if (!if_all.empty()) add_integers(constraint, field::constraint_if_all, integers(if_all));
}

// Solutions are short of what the linear relaxation says only by rounding: linear programs at every
// node, and reduced costs, prove most; and cuts before the first branch, of which the solver makes
// one round by itself.
void add_strong_relaxation(const CpOptions& options, Message& parameters) {
  parameters.add_int32(field::linearization_level, 2);
  parameters.add_int32(field::max_cut_rounds_at_level_zero, cut_rounds);
  parameters.add_int32(field::root_lp_iterations, root_iterations);
  if (options.workers < 2) return;
  parameters.add_string(field::subsolvers, "max_lp");
  parameters.add_string(field::subsolvers, "reduced_costs");
}

std::string parameters_message(const CpOptions& options) {
  std::string bytes;
  Message parameters(bytes);
  parameters.add_int32(field::random_seed, options.seed);
  parameters.add_double(field::max_deterministic_time, options.work);
  parameters.add_bool(field::catch_sigint_signal, false);
  parameters.add_int32(field::num_workers, options.workers);
  if (options.workers > 1) parameters.add_bool(field::interleave_search, true);
  if (options.gap > 0) parameters.add_double(field::relative_gap_limit, options.gap);
  if (options.absolute_gap > 0)
    parameters.add_double(field::absolute_gap_limit, options.absolute_gap);
  if (options.strong_relaxation) add_strong_relaxation(options, parameters);
  if (options.is_timetable) {
    parameters.add_enum(field::search_branching, quick_restarts);
    parameters.add_int32(field::linearization_level, 0);
  }
  return bytes;
}

// A running search that ends soon after the flag is set. The flag is all that a signal may touch,
// so somebody has to look at it.
class Search {
 public:
  explicit Search(const std::atomic<bool>* interrupted) : env_(SolveCpNewEnv()) {
    if (interrupted != nullptr)
      watcher_ = std::thread([this, interrupted] { watch(*interrupted); });
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    if (watcher_.joinable()) watcher_.join();
    SolveCpDestroyEnv(env_);
  }

  std::string run(const std::string& model, const std::string& parameters) {
    void* response = nullptr;
    int bytes = 0;
    SolveCpInterruptible(env_, model.data(), static_cast<int>(model.size()), parameters.data(),
                         static_cast<int>(parameters.size()), &response, &bytes);
    std::string answer(static_cast<const char*>(response), static_cast<std::size_t>(bytes));
    std::free(response);
    return answer;
  }

 private:
  void watch(const std::atomic<bool>& interrupted) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(20), [this] { return done_; })) {
      if (interrupted.load()) SolveCpStopSearch(env_);
    }
  }

  void* env_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread watcher_;
};

CpStatus status_of(int code) {
  constexpr int model_invalid = 1, feasible = 2, infeasible = 3, optimal = 4;
  if (code == model_invalid) throw std::logic_error("the solver does not understand its model");
  if (code == optimal) return CpStatus::optimal;
  if (code == feasible) return CpStatus::feasible;
  return code == infeasible ? CpStatus::infeasible : CpStatus::unknown;
}

// Bounds are whole numbers; the solver tells them as doubles.
std::int64_t rounded_up(double bound) {
  if (!(std::abs(bound) < 0x1p62)) return INT64_MIN;
  return static_cast<std::int64_t>(std::ceil(bound - 1e-6));
}

CpAnswer read_answer(const std::string& response) {
  CpAnswer answer;
  for (protozero::pbf_reader message(response); message.next();) {
    switch (message.tag()) {
      case field::status:
        answer.status = status_of(message.get_enum());
        break;
      case field::solution:
        for (const std::int64_t value : message.get_packed_int64()) answer.values.push_back(value);
        break;
      case field::objective_value:
        answer.value = static_cast<std::int64_t>(std::llround(message.get_double()));
        break;
      case field::best_objective_bound:
        answer.bound = rounded_up(message.get_double());
        break;
      case field::deterministic_time:
        answer.work = message.get_double();
        break;
      default:
        message.skip();
    }
  }
  return answer;
}

using Reader = protozero::pbf_reader;

Integers list(Reader& message) {
  const auto range = message.get_packed_int64();
  return {range.begin(), range.end()};
}

// The three lists of a linear constraint, or the two of an objective.
struct Terms {
  Integers variables, coefficients, domain;

  Terms(Reader message, Tag vars, Tag coeffs, Tag limits) {
    while (message.next()) {
      if (message.tag() == vars)
        variables = list(message);
      else if (message.tag() == coeffs)
        coefficients = list(message);
      else if (message.tag() == limits)
        domain = list(message);
      else
        message.skip();
    }
  }
};

LinearProgram::Row linear_row(Reader message) {
  const Terms terms(message, field::linear_vars, field::linear_coeffs, field::linear_domain);
  LinearProgram::Row row{{}, terms.domain.front(), terms.domain.back()};
  for (std::size_t i = 0; i < terms.variables.size(); ++i)
    row.terms.push_back({static_cast<int>(terms.variables[i]), terms.coefficients[i]});
  return row;
}

LinearProgram::Row clause_row(Reader message) {
  LinearProgram::Row row{{}, 1, INT64_MAX};
  while (message.next(field::clause_literals)) {
    for (const std::int64_t literal : list(message)) {
      const bool is_negated = literal < 0;
      row.terms.push_back(
          {static_cast<int>(is_negated ? -literal - 1 : literal), is_negated ? -1 : 1});
      row.least -= is_negated ? 1 : 0;
    }
  }
  return row;
}

// False if it is of another kind.
bool add_constraint(Reader message, LinearProgram& program) {
  while (message.next()) {
    if (message.tag() == field::constraint_linear)
      program.rows.push_back(linear_row(message.get_message()));
    else if (message.tag() == field::constraint_clause)
      program.rows.push_back(clause_row(message.get_message()));
    else
      return false;
  }
  return true;
}

}  // namespace

VariableId CpModel::add_variable(std::int64_t least, std::int64_t most) {
  Message model(bytes_);
  Message variable(model, field::model_variables);
  add_integers(variable, field::variable_domain, {least, most});
  return static_cast<VariableId>(variables_++);
}

void CpModel::add_linear(const LinearSum& sum, std::int64_t least, std::int64_t most,
                         std::span<const VariableId> if_all) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  add_conditions(constraint, if_all);
  Message linear(constraint, field::constraint_linear);
  add_terms(linear, field::linear_vars, field::linear_coeffs, sum);
  add_integers(linear, field::linear_domain, {least - sum.constant, most - sum.constant});
  ++constraints_;
}

void CpModel::add_clause(std::span<const VariableId> literals) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  Message clause(constraint, field::constraint_clause);
  add_integers(clause, field::clause_literals, integers(literals));
  ++constraints_;
}

IntervalId CpModel::add_interval(const LinearSum& start, const LinearSum& size,
                                 const LinearSum& end, std::span<const VariableId> if_all) {
  LinearSum difference = start;  // the solver itself does not tie the three together
  for (const auto& [variable, coefficient] : size.terms) difference.add(variable, coefficient);
  for (const auto& [variable, coefficient] : end.terms) difference.add(variable, -coefficient);
  difference.constant += size.constant - end.constant;
  add_linear(difference, 0, 0, if_all);
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  add_conditions(constraint, if_all);
  Message interval(constraint, field::constraint_interval);
  add_expression(interval, field::interval_start, start);
  add_expression(interval, field::interval_end, end);
  add_expression(interval, field::interval_size, size);
  return static_cast<IntervalId>(constraints_++);
}

void CpModel::add_no_overlap(std::span<const IntervalId> intervals) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  Message no_overlap(constraint, field::constraint_no_overlap);
  add_integers(no_overlap, field::no_overlap_intervals, integers(intervals));
  ++constraints_;
}

void CpModel::add_no_overlap_2d(std::span<const IntervalId> x, std::span<const IntervalId> y) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  Message no_overlap(constraint, field::constraint_no_overlap_2d);
  add_integers(no_overlap, field::no_overlap_2d_x, integers(x));
  add_integers(no_overlap, field::no_overlap_2d_y, integers(y));
  ++constraints_;
}

void CpModel::add_cumulative(std::span<const IntervalId> intervals,
                             std::span<const LinearSum> demands, std::int64_t capacity) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  Message cumulative(constraint, field::constraint_cumulative);
  add_expression(cumulative, field::cumulative_capacity, capacity);
  add_integers(cumulative, field::cumulative_intervals, integers(intervals));
  for (const LinearSum& demand : demands)
    add_expression(cumulative, field::cumulative_demands, demand);
  ++constraints_;
}

void CpModel::add_reservoir(std::span<const Change> changes, std::int64_t least,
                            std::int64_t most) {
  Message model(bytes_);
  Message constraint(model, field::model_constraints);
  Message reservoir(constraint, field::constraint_reservoir);
  reservoir.add_int64(field::reservoir_least, least);
  reservoir.add_int64(field::reservoir_most, most);
  Integers active;
  for (const Change& change : changes) {
    add_expression(reservoir, field::reservoir_times, change.time);
    add_expression(reservoir, field::reservoir_changes, change.amount);
    active.push_back(change.happens);
  }
  add_integers(reservoir, field::reservoir_active, active);
  ++constraints_;
}

void CpModel::add_hint(VariableId variable, std::int64_t value) {
  hinted_variables_.push_back(variable);
  hinted_values_.push_back(value);
}

void CpModel::minimise(const LinearSum& sum) {
  Message model(bytes_);
  Message objective(model, field::model_objective);
  add_terms(objective, field::objective_vars, field::objective_coeffs, sum);
}

std::string CpModel::message() const {
  std::string bytes = bytes_;
  if (hinted_variables_.empty()) return bytes;
  Message model(bytes);
  Message hint(model, field::model_hint);
  add_integers(hint, field::hint_vars, hinted_variables_);
  add_integers(hint, field::hint_values, hinted_values_);
  return bytes;
}

bool has_cp_sat() { return true; }

CpAnswer solve(const CpModel& model, const CpOptions& options) {
  const bool late = options.interrupted != nullptr && options.interrupted->load();
  const std::string message = model.message();
  if (late || message.size() > INT32_MAX) return {};
  return read_answer(Search(options.interrupted).run(message, parameters_message(options)));
}

std::optional<LinearProgram> linear_program(const CpModel& model) {
  LinearProgram program;
  const std::string bytes = model.message();
  for (Reader message(bytes); message.next();) {
    if (message.tag() == field::model_variables) {
      Integers domain;
      for (Reader variable = message.get_message(); variable.next(field::variable_domain);)
        domain = list(variable);
      program.columns.push_back({domain.front(), domain.back(), 0});
    } else if (message.tag() == field::model_constraints) {
      if (!add_constraint(message.get_message(), program)) return std::nullopt;
    } else if (message.tag() == field::model_objective) {
      const Terms terms(message.get_message(), field::objective_vars, field::objective_coeffs, 0);
      for (std::size_t i = 0; i < terms.variables.size(); ++i)
        program.columns[terms.variables[i]].cost += terms.coefficients[i];
    } else {
      message.skip();
    }
  }
  return program;
}

}  // namespace stint

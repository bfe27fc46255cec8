#include "planner/solver/highs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "planner/solver/linear_program.hpp"
#include "planner/solver/silent_output.hpp"

// Of HiGHS 1.12, as its headers have it.
extern "C" {
struct HighsProgress {
  void* internal;
  int log_type;
  double seconds;
  int simplex_iterations, interior_iterations, first_order_iterations;
  double value;
  std::int64_t nodes;
  std::int64_t iterations;  // of all linear programs
};
struct HighsWish {
  int interrupt;
};
using HighsCallback = void (*)(int kind, const char* message, const HighsProgress* progress,
                               HighsWish* wish, void* data);
void* Highs_create();
void Highs_destroy(void* highs);
int Highs_run(void* highs);
int Highs_passMip(void* highs, int columns, int rows, int entries, int format, int sense,
                  double offset, const double* cost, const double* lower, const double* upper,
                  const double* row_lower, const double* row_upper, const int* starts,
                  const int* indices, const double* values, const int* integrality);
int Highs_setBoolOptionValue(void* highs, const char* option, int value);
int Highs_setIntOptionValue(void* highs, const char* option, int value);
int Highs_setDoubleOptionValue(void* highs, const char* option, double value);
int Highs_setCallback(void* highs, HighsCallback callback, void* data);
int Highs_startCallback(void* highs, int kind);
int Highs_getModelStatus(const void* highs);
int Highs_getDoubleInfoValue(const void* highs, const char* info, double* value);
int Highs_getIntInfoValue(const void* highs, const char* info, int* value);
int Highs_getSolution(const void* highs, double* columns, double* column_duals, double* rows,
                      double* row_duals);
}

namespace stint {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double endless = 0x1p61;           // of bounds that mean none
constexpr double largest_coefficient = 1e3;  // of a row and of the costs: tolerances are absolute
constexpr double longest_range = 1e3;        // of a column: likewise, those of prices too
constexpr double margin = 1e-6;              // of what is proved
constexpr double work_of_iteration = 1e-8;   // units, times the size
constexpr int by_rows = 2;
constexpr int minimise = 1;
constexpr int before_limits = 6;  // the kind of callback
constexpr int is_optimal = 7;     // of model statuses
constexpr int is_feasible = 2;    // of solution statuses

using Term = LinearProgram::Term;

// The program as HiGHS reads it.
struct Matrix {
  std::vector<double> cost, lower, upper;
  std::vector<double> unit;  // by column: what it counts in
  std::vector<int> integrality;
  std::vector<double> row_lower, row_upper;
  std::vector<int> starts{0};
  std::vector<int> indices;
  std::vector<double> values;
  double cost_unit = 1;

  // Rows and columns, or, where rows are long, half of what is in them.
  double size() const {
    const auto entries = static_cast<double>(values.size());
    return std::max(static_cast<double>(cost.size() + row_lower.size()), entries / 2);
  }
};

double limit(std::int64_t value) {
  const auto real = static_cast<double>(value);
  return std::abs(real) < endless ? real : std::copysign(infinite, real);
}

// Each column once, in order.
std::vector<Term> merged(std::vector<Term> terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.column < b.column; });
  std::vector<Term> all;
  for (const Term& term : terms) {
    if (!all.empty() && all.back().column == term.column)
      all.back().factor += term.factor;
    else
      all.push_back(term);
  }
  return all;
}

// The row without limits that the columns' ranges imply. With booleans whose sum was to be at most
// 2^40, HiGHS called 4 % more than a solution costs the optimum.
LinearProgram::Row without_implied_limits(LinearProgram::Row row, const LinearProgram& program) {
  double least = 0;
  double most = 0;
  for (const Term& term : row.terms) {
    const auto& column = program.columns[term.column];
    const auto factor = static_cast<double>(term.factor);
    const double ends[] = {factor * static_cast<double>(column.least),
                           factor * static_cast<double>(column.most)};
    least += std::min(ends[0], ends[1]);
    most += std::max(ends[0], ends[1]);
  }
  if (static_cast<double>(row.least) <= least) row.least = INT64_MIN;
  if (static_cast<double>(row.most) >= most) row.most = INT64_MAX;
  return row;
}

void add_row(const LinearProgram::Row& row, Matrix& matrix) {
  const std::vector<Term> terms = merged(row.terms);
  double most = 0;
  const auto factor = [&](const Term& term) {
    return static_cast<double>(term.factor) * matrix.unit[term.column];
  };
  for (const Term& term : terms) most = std::max(most, std::abs(factor(term)));
  const double scale = most > largest_coefficient ? largest_coefficient / most : 1;
  for (const Term& term : terms) {
    matrix.indices.push_back(term.column);
    matrix.values.push_back(factor(term) * scale);
  }
  matrix.starts.push_back(static_cast<int>(matrix.indices.size()));
  matrix.row_lower.push_back(limit(row.least) * scale);
  matrix.row_upper.push_back(limit(row.most) * scale);
}

// A price may be wrong by HiGHS's tolerance for every unit of a column's range: with times in
// millions of units, what was proved was once 0.06 % above a solution.
double unit_of(const LinearProgram::Column& column) {
  return std::max(1.0, static_cast<double>(column.most - column.least) / longest_range);
}

// A variable of many values may be a fraction: that costs a bound next to nothing.
Matrix matrix_of(const LinearProgram& program) {
  Matrix matrix;
  double most = 0;
  for (const auto& column : program.columns) {
    matrix.unit.push_back(unit_of(column));
    matrix.cost.push_back(static_cast<double>(column.cost) * matrix.unit.back());
    most = std::max(most, std::abs(matrix.cost.back()));
  }
  if (most > 0) matrix.cost_unit = most / largest_coefficient;
  for (std::size_t c = 0; c < program.columns.size(); ++c) {
    const auto& column = program.columns[c];
    matrix.cost[c] /= matrix.cost_unit;
    matrix.lower.push_back(static_cast<double>(column.least) / matrix.unit[c]);
    matrix.upper.push_back(static_cast<double>(column.most) / matrix.unit[c]);
    matrix.integrality.push_back(column.most - column.least <= 1 ? 1 : 0);
  }
  for (const auto& row : program.rows) add_row(without_implied_limits(row, program), matrix);
  return matrix;
}

struct Watch {
  double most_iterations = 0;
  const std::atomic<bool>* interrupted = nullptr;
  std::int64_t iterations = 0;

  static void look(int, const char*, const HighsProgress* progress, HighsWish* wish, void* data) {
    auto& watch = *static_cast<Watch*>(data);
    watch.iterations = std::max(watch.iterations, progress->iterations);
    const bool is_over = static_cast<double>(watch.iterations) > watch.most_iterations;
    const bool is_interrupted = watch.interrupted != nullptr && watch.interrupted->load();
    if (wish != nullptr) wish->interrupt = is_over || is_interrupted ? 1 : 0;
  }
};

using Highs = std::unique_ptr<void, decltype(&Highs_destroy)>;

// With a margin, so that what costs just as much is found.
double most_cost(const Matrix& matrix, const CpOptions& options) {
  if (options.most == INT64_MAX) return infinite;
  const double most = static_cast<double>(options.most) / matrix.cost_unit;
  return most + margin * std::max(std::abs(most), 1.0);
}

void set_options(const Highs& highs, const Matrix& matrix, const CpOptions& options) {
  const double absolute_gap = options.absolute_gap / matrix.cost_unit;
  Highs_setBoolOptionValue(highs.get(), "output_flag", 0);
  Highs_setIntOptionValue(highs.get(), "threads", 1);
  Highs_setIntOptionValue(highs.get(), "random_seed", 1);
  // Programs within the program are not interrupted.
  Highs_setBoolOptionValue(highs.get(), "mip_heuristic_run_rins", 0);
  Highs_setDoubleOptionValue(highs.get(), "mip_rel_gap", 0);
  Highs_setDoubleOptionValue(highs.get(), "mip_abs_gap", std::max(margin, absolute_gap));
  Highs_setDoubleOptionValue(highs.get(), "objective_bound", most_cost(matrix, options));
}

void pass(const Highs& highs, const Matrix& matrix) {
  Highs_passMip(highs.get(), static_cast<int>(matrix.cost.size()),
                static_cast<int>(matrix.row_lower.size()), static_cast<int>(matrix.values.size()),
                by_rows, minimise, 0, matrix.cost.data(), matrix.lower.data(), matrix.upper.data(),
                matrix.row_lower.data(), matrix.row_upper.data(), matrix.starts.data(),
                matrix.indices.data(), matrix.values.data(), matrix.integrality.data());
}

void read_solution(const Highs& highs, const LinearProgram& program, const Matrix& matrix,
                   CpAnswer& answer) {
  std::vector<double> columns(program.columns.size()), column_duals(program.columns.size());
  std::vector<double> rows(program.rows.size()), row_duals(program.rows.size());
  Highs_getSolution(highs.get(), columns.data(), column_duals.data(), rows.data(),
                    row_duals.data());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    answer.values.push_back(std::llround(columns[c] * matrix.unit[c]));
    answer.value += answer.values.back() * program.columns[c].cost;
  }
}

// Where everything was looked through up to the most that a solution may cost, that is proved.
double proved_bound(const Highs& highs, const Matrix& matrix, const CpOptions& options) {
  double bound = infinite;
  Highs_getDoubleInfoValue(highs.get(), "mip_dual_bound", &bound);
  bound = std::min(bound, static_cast<double>(options.most) / matrix.cost_unit);
  return (bound - margin * std::max(std::abs(bound), 1.0)) * matrix.cost_unit;
}

}  // namespace

bool has_highs() { return true; }

CpAnswer solve_by_highs(const CpModel& model, const CpOptions& options) {
  const std::optional<LinearProgram> program = linear_program(model);
  if (!program) return {};
  const Matrix matrix = matrix_of(*program);
  const Highs highs(Highs_create(), Highs_destroy);
  const double work = work_of_iteration * matrix.size();
  Watch watch{options.work / work, options.interrupted};
  set_options(highs, matrix, options);
  Highs_setCallback(highs.get(), Watch::look, &watch);
  Highs_startCallback(highs.get(), before_limits);
  pass(highs, matrix);
  const SilentOutput silent;
  Highs_run(highs.get());
  CpAnswer answer;
  answer.work = static_cast<double>(watch.iterations) * work;
  const double bound = proved_bound(highs, matrix, options);
  if (std::abs(bound) < endless / 2) answer.bound = static_cast<std::int64_t>(std::floor(bound));
  int solution = 0;
  Highs_getIntInfoValue(highs.get(), "primal_solution_status", &solution);
  if (solution != is_feasible) return answer;
  const bool is_solved = Highs_getModelStatus(highs.get()) == is_optimal;
  answer.status = is_solved ? CpStatus::optimal : CpStatus::feasible;
  read_solution(highs, *program, matrix, answer);
  return answer;
}

}  // namespace stint

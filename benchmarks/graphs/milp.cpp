#include "benchmarks/graphs/milp.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>

// Of OR-Tools, whose headers are not installed with its wheel.
extern "C" {
int MathOptSolve(const void* model, std::size_t model_bytes, int solver, void* interrupter,
                 void** result, std::size_t* result_bytes, char** fault);
}

namespace stint {

namespace {

using Message = protozero::pbf_writer;
using Reader = protozero::pbf_reader;

constexpr int highs = 10;  // of the solvers that MathOpt knows

// Field numbers of MathOpt's model, sparse containers and result.
namespace field {
enum Model { variables = 2, objective = 3, rows = 4, matrix = 5 };
enum Range { ids = 1, lower = 2, upper = 3, integers = 4 };
enum Objective { objective_terms = 3 };
enum Vector { vector_ids = 1, vector_values = 2 };
enum Matrix { matrix_rows = 1, matrix_columns = 2, matrix_values = 3 };
enum Result { termination = 2 };
enum Termination { reason = 1, bounds = 5 };
enum Bounds { primal_bound = 2, dual_bound = 3 };
}  // namespace field

constexpr int reason_optimal = 1;
constexpr int reason_infeasible = 2;

std::vector<std::int64_t> ids_of(std::size_t count) {
  std::vector<std::int64_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int64_t>(i);
  return ids;
}

void add_range(Message& model, int tag, const std::vector<double>& lower,
               const std::vector<double>& upper, const std::vector<bool>& integers) {
  Message range(model, tag);
  const auto ids = ids_of(lower.size());
  range.add_packed_int64(field::ids, ids.begin(), ids.end());
  range.add_packed_double(field::lower, lower.begin(), lower.end());
  range.add_packed_double(field::upper, upper.begin(), upper.end());
  if (!integers.empty()) range.add_packed_bool(field::integers, integers.begin(), integers.end());
}

void add_objective(Message& model, const Milp& milp) {
  Message objective(model, field::objective);
  Message terms(objective, field::objective_terms);
  const auto ids = ids_of(milp.cost.size());
  terms.add_packed_int64(field::vector_ids, ids.begin(), ids.end());
  terms.add_packed_double(field::vector_values, milp.cost.begin(), milp.cost.end());
}

void add_matrix(Message& model, const Milp& milp) {
  Message matrix(model, field::matrix);
  matrix.add_packed_int64(field::matrix_rows, milp.entry_rows.begin(), milp.entry_rows.end());
  matrix.add_packed_int64(field::matrix_columns, milp.entry_columns.begin(),
                          milp.entry_columns.end());
  matrix.add_packed_double(field::matrix_values, milp.entries.begin(), milp.entries.end());
}

std::string text_of(const Milp& milp) {
  std::string text;
  Message model(text);
  add_range(model, field::variables, milp.column_lower, milp.column_upper, milp.is_integer);
  add_objective(model, milp);
  add_range(model, field::rows, milp.row_lower, milp.row_upper, {});
  add_matrix(model, milp);
  return text;
}

std::optional<MilpAnswer> answer_of(Reader result) {
  MilpAnswer answer;
  int reason = 0;
  while (result.next(field::termination)) {
    Reader termination = result.get_message();
    while (termination.next()) {
      if (termination.tag() == field::reason) {
        reason = termination.get_int32();
      } else if (termination.tag() == field::bounds) {
        Reader bounds = termination.get_message();
        while (bounds.next()) {
          if (bounds.tag() == field::primal_bound)
            answer.value = bounds.get_double();
          else if (bounds.tag() == field::dual_bound)
            answer.bound = bounds.get_double();
          else
            bounds.skip();
        }
      } else {
        termination.skip();
      }
    }
  }
  if (reason == reason_infeasible) return std::nullopt;
  answer.is_proved = reason == reason_optimal;
  return answer;
}

// Never comes back: the answer goes through the pipe.
[[noreturn]] void solve_and_tell(const std::string& model, double seconds, int pipe) {
  const auto most = static_cast<rlim_t>(std::ceil(seconds));
  const rlimit limit{most, most};
  setrlimit(RLIMIT_CPU, &limit);
  void* result = nullptr;
  std::size_t bytes = 0;
  const int fault =
      MathOptSolve(model.data(), model.size(), highs, nullptr, &result, &bytes, nullptr);
  if (fault != 0) _exit(1);
  const auto answer = answer_of(Reader(static_cast<const char*>(result), bytes));
  if (answer && write(pipe, &*answer, sizeof *answer) != static_cast<ssize_t>(sizeof *answer))
    _exit(1);
  _exit(0);
}

}  // namespace

int Milp::add_column(double lower, double upper, double column_cost, bool integer) {
  column_lower.push_back(lower);
  column_upper.push_back(upper);
  cost.push_back(column_cost);
  is_integer.push_back(integer);
  return static_cast<int>(cost.size()) - 1;
}

void Milp::add_row(double lower, double upper, const std::vector<MilpTerm>& terms) {
  std::vector<MilpTerm> sorted = terms;
  std::sort(sorted.begin(), sorted.end(),
            [](const MilpTerm& a, const MilpTerm& b) { return a.column < b.column; });
  const auto row = static_cast<std::int64_t>(row_lower.size());
  row_lower.push_back(lower);
  row_upper.push_back(upper);
  for (const MilpTerm& term : sorted) {
    entry_rows.push_back(row);
    entry_columns.push_back(term.column);
    entries.push_back(term.factor);
  }
}

std::optional<MilpAnswer> solve_by_highs(const Milp& milp, double seconds) {
  const std::string model = text_of(milp);
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t solver = fork();
  if (solver == 0) solve_and_tell(model, seconds, ends[1]);
  close(ends[1]);
  MilpAnswer answer;  // or the end of the process: then there is nothing to read
  const bool has_answer =
      solver > 0 && read(ends[0], &answer, sizeof answer) == static_cast<ssize_t>(sizeof answer);
  close(ends[0]);
  if (solver > 0) waitpid(solver, nullptr, 0);
  return has_answer ? std::optional(answer) : std::nullopt;
}

}  // namespace stint

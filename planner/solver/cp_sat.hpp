// CP-SAT, the constraint solver of OR-Tools, behind the few words that our models need: integer
// variables, linear constraints, clauses, intervals that must not overlap or share a resource,
// levels that must stay within limits, hints, and a sum to minimise.
//
// A model is written as the solver's protocol buffer while it is built, so building costs no more
// than its bytes. Answers are deterministic: one seed, one worker or several that take turns, and a
// limit in the solver's own units of work, never in seconds. What the solver says is checked by
// whoever uses it; nothing here proves it right. Built without OR-Tools there is no solver, and
// every answer is `unknown`.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stint {

// A variable; of a boolean one also the literal that it is true.
enum VariableId : int {};
enum IntervalId : int {};

// The literal that the boolean is false.
constexpr VariableId no(VariableId boolean) { return static_cast<VariableId>(-boolean - 1); }

// Sum of coefficients times variables, plus a constant. No literals that are negated.
struct LinearSum {
  std::vector<std::pair<VariableId, std::int64_t>> terms;
  std::int64_t constant = 0;

  LinearSum() = default;
  LinearSum(std::int64_t value) : constant(value) {}
  LinearSum(VariableId variable) : terms{{variable, 1}} {}
  void add(VariableId variable, std::int64_t coefficient) {
    terms.emplace_back(variable, coefficient);
  }
};

class CpModel {
 public:
  VariableId add_variable(std::int64_t least, std::int64_t most);
  VariableId add_boolean() { return add_variable(0, 1); }
  int variables() const { return variables_; }

  // least <= sum <= most, if all the literals are true.
  void add_linear(const LinearSum& sum, std::int64_t least, std::int64_t most,
                  std::span<const VariableId> if_all = {});
  // At least one of the literals is true.
  void add_clause(std::span<const VariableId> literals);
  void add_clause(std::initializer_list<VariableId> literals) {
    add_clause(std::span(literals.begin(), literals.size()));
  }

  // start + size = end, with size at least 0, if all the literals are true; else it is not there.
  IntervalId add_interval(const LinearSum& start, const LinearSum& size, const LinearSum& end,
                          std::span<const VariableId> if_all = {});
  void add_no_overlap(std::span<const IntervalId> intervals);
  // No two of the rectangles share a point of their insides; each is an interval in both
  // directions.
  void add_no_overlap_2d(std::span<const IntervalId> x, std::span<const IntervalId> y);
  // At no time do the intervals that are there demand more than the capacity.
  void add_cumulative(std::span<const IntervalId> intervals, std::span<const LinearSum> demands,
                      std::int64_t capacity);
  // The sum of all changes up to any time stays between the limits.
  struct Change {
    LinearSum time;
    std::int64_t amount = 0;
    VariableId happens{0};  // a literal
  };
  void add_reservoir(std::span<const Change> changes, std::int64_t least, std::int64_t most);

  // Where to look first; need not be a solution.
  void add_hint(VariableId variable, std::int64_t value);
  void minimise(const LinearSum& sum);

  // The model in the solver's format.
  std::string message() const;

 private:
  std::string bytes_;  // variables, constraints, objective
  std::vector<std::int64_t> hinted_variables_;
  std::vector<std::int64_t> hinted_values_;
  int variables_ = 0;
  int constraints_ = 0;
};

struct CpOptions {
  double work = 1;  // the solver's deterministic units, about seconds
  int workers = 1;  // more than one take turns
  int seed = 1;
  bool strong_relaxation = false;  // linear programs at every step: for knapsacks, not for time
  bool is_timetable = false;       // no linear programs, quick restarts: for intervals alone
  double gap = 0;                  // relative; good enough
  double absolute_gap = 0;         // the same in units of the sum
  std::int64_t most = INT64_MAX;   // to HiGHS: no solution is looked for whose sum is larger
  const std::atomic<bool>* interrupted = nullptr;
};

enum class CpStatus { optimal, feasible, infeasible, unknown };

struct CpAnswer {
  CpStatus status = CpStatus::unknown;
  std::vector<std::int64_t> values;  // by variable, if there is a solution
  std::int64_t value = 0;            // of the sum, without its constant
  std::int64_t bound = INT64_MIN;    // proved by the solver: no solution is below
  double work = 0;                   // that it took

  bool has_solution() const { return status == CpStatus::optimal || status == CpStatus::feasible; }
  bool is_true(VariableId boolean) const { return values[boolean] != 0; }
};

// Whether there is a solver in this build.
bool has_cp_sat();

// Throws std::logic_error if the model makes no sense to the solver.
CpAnswer solve(const CpModel& model, const CpOptions& options);

}  // namespace stint

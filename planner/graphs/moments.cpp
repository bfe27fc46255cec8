#include "planner/graphs/moments.hpp"

#include <algorithm>

#include "planner/graphs/moment_memory.hpp"
#include "planner/graphs/moment_model.hpp"
#include "planner/graphs/moment_time.hpp"
#include "planner/solver/highs.hpp"

namespace stint {
namespace {

bool holds(const CpAnswer& answer, const Fact& fact) {
  if (fact.kind != Fact::open) return fact.kind == Fact::yes;
  return answer.is_true(fact.literal);
}

void read_presence(const MomentModel& m, const CpAnswer& answer, MomentSolution& solution) {
  for (int k = 1; k <= m.moments; ++k) {
    auto& there = solution.there.emplace_back();
    for (const Fact& fact : m.after[k]) there.push_back(holds(answer, fact));
  }
}

void read_runs(const MomentModel& m, const CpAnswer& answer, MomentSolution& solution) {
  const FirstRuns& first = m.problem.first;
  for (std::size_t t = 0; t < m.graph.tasks.size(); ++t) {
    int& k = solution.first.emplace_back(first.earliest[t]);
    while (!m.is_idle(t) && k < first.latest[t] && !holds(answer, m.run[k][t])) ++k;
    int& last = solution.last.emplace_back(k);
    for (int later = k + 1; later <= m.moments; ++later) {
      if (holds(answer, m.run[later][t])) last = later;
    }
  }
}

// Where time counts too, numbers are too far apart for floating point.
bool is_for_highs(const MomentProblem& problem) {
  return problem.by_highs && has_highs() && problem.spare_times.empty() && problem.moves.empty();
}

// Solutions that cost more than what is known are of no use to anybody.
CpAnswer solve_by_highs(const MomentModel& m, CpOptions options) {
  if (m.problem.most_cost < INT64_MAX / 4) options.most = m.problem.most_cost - m.cost.constant;
  return solve_by_highs(m.model, options);
}

}  // namespace

MomentSolution solve_moments(const MomentProblem& problem, const CpOptions& options,
                             std::int64_t known_bound) {
  MomentModel m(problem);
  require_memory(m);
  require_time(m);
  MomentSolution solution{CpStatus::infeasible, known_bound, false, 0, 0, {}, {}, {}};
  if (m.impossible) return solution;
  m.model.minimise(m.cost);
  CpAnswer answer;
  if (is_for_highs(problem)) answer = solve_by_highs(m, options);
  solution.is_rounded = answer.bound > INT64_MIN;
  if (!solution.is_rounded) {
    m.model.add_linear(m.cost, known_bound, std::max(known_bound, problem.most_cost));
    answer = solve(m.model, options);
  }
  solution.status = answer.status;
  solution.value = answer.value + m.cost.constant;
  solution.work = answer.work;
  const bool has_bound = answer.bound > INT64_MIN / 2 && answer.status != CpStatus::infeasible;
  if (has_bound) solution.bound = std::max(known_bound, answer.bound + m.cost.constant);
  if (!answer.has_solution()) return solution;
  read_presence(m, answer, solution);
  read_runs(m, answer, solution);
  return solution;
}

}  // namespace stint

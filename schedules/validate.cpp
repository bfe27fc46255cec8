#include "schedules/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedules/clock.hpp"
#include "schedules/rules.hpp"

namespace stint {
namespace {

bool broken(const std::vector<Violation>& violations, int first_rule, int last_rule) {
  return std::any_of(violations.begin(), violations.end(), [&](const Violation& violation) {
    return violation.rule >= first_rule && violation.rule <= last_rule;
  });
}

// The rules that need names, an acyclic order and sound buffers.
void judge_the_step(const Judge& judge, const Order& order, const Layout& layout) {
  const HappensBefore before(judge.schedule, order.lanes, *order.topological);
  const StateVersions versions(judge.schedule.graph, layout.segments);
  judge_step_end(judge, layout, versions,
                 judge_contents(judge, layout, versions, before, *order.topological));
  judge_power_states(judge, order.lanes, before);
}

void judge_the_bill(const Judge& judge, const Order& order) {
  const Simulation simulation = simulate(judge.schedule, judge.workers, order);
  judge_request(judge, simulation);
  judge_predicted(judge, simulation);
  judge_derived_fields(judge, simulation);
  judge_proof(judge, simulation);
}

void judge_everything(const Judge& judge) {
  judge_names(judge);
  judge_graph(judge);
  if (broken(judge.violations, 1, 1)) return;
  const Order of_actions = order(judge.schedule, static_cast<int>(judge.workers.size()));
  if (!of_actions.topological) judge_order(judge, of_actions.lanes);
  judge_actions(judge);
  judge_places(judge);
  judge_arenas(judge);
  judge_executions(judge);
  judge_double_buffers(judge);
  {
    const Layout cells = layout(judge.schedule);
    judge_buffers(judge, cells);
    if (!can_be_simulated(judge.violations)) return;
    judge_the_step(judge, of_actions, cells);
  }
  judge_the_bill(judge, of_actions);
}

std::vector<Violation> judged(const Schedule& schedule, const Graph* lowered) {
  std::vector<Violation> violations;
  judge_everything(Judge{schedule, workers(schedule.platform), violations, lowered});
  std::stable_sort(violations.begin(), violations.end(),
                   [](const Violation& a, const Violation& b) { return a.rule < b.rule; });
  return violations;
}

}  // namespace

std::vector<Violation> validate(const Schedule& schedule) { return judged(schedule, nullptr); }

std::vector<Violation> validate(const Schedule& schedule, const Graph& lowered) {
  return judged(schedule, &lowered);
}

bool can_be_simulated(const std::vector<Violation>& violations) {
  return !broken(violations, 1, 2) && !broken(violations, 4, 7);
}

std::string to_string(const Violation& violation) {
  return fmt::format("R{} {}: {}", violation.rule, violation.where, violation.what);
}

std::string action_path(ActionId id, const std::string& key) {
  return fmt::format("/actions/{}{}{}", static_cast<int>(id), key.empty() ? "" : "/", key);
}

std::string buffer_path(BufferId id, const std::string& key) {
  return fmt::format("/buffers/{}{}{}", static_cast<int>(id), key.empty() ? "" : "/", key);
}

bool same_number(double a, double b, double scale) {
  constexpr double tolerance = 1e-9;
  constexpr double rounding = 1e-12;  // of sums taken in another order
  return std::abs(a - b) <=
         std::max(tolerance * std::max(std::abs(a), std::abs(b)), rounding * std::abs(scale));
}

}  // namespace stint

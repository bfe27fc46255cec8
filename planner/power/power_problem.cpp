#include "planner/power/power_problem.hpp"

#include <algorithm>

namespace stint {
namespace {

constexpr double span_tolerance = 1e-12;

// The state of every unit before its first action: that of its last.
std::vector<int> last_choices(const PowerProblem& problem, const PowerChoices& choices) {
  std::vector<int> last(problem.units.size(), 0);
  for (std::size_t a = 0; a < choices.size(); ++a) {
    if (problem.actions[a].unit != no_power_unit) last[problem.actions[a].unit] = choices[a];
  }
  return last;
}

// Units that are in a state, or about to be.
class EnteredStates {
 public:
  EnteredStates(const PowerProblem& problem, const PowerChoices& choices)
      : problem_(problem),
        now_(last_choices(problem, choices)),
        since_(problem.units.size(), 0.0) {}

  // When an action that could start then can do so in its state.
  double start(const PowerAction& action, int choice, double seconds) {
    if (action.unit == no_power_unit) return seconds;
    if (now_[action.unit] != choice) {
      const auto& entering = problem_.units[action.unit].entering;
      now_[action.unit] = choice;
      since_[action.unit] = seconds + (entering.empty() ? 0 : entering[choice].seconds);
      joules_ += entering.empty() ? 0 : entering[choice].joules;
    }
    return std::max(seconds, since_[action.unit]);
  }
  double joules() const { return joules_; }

 private:
  const PowerProblem& problem_;
  std::vector<int> now_;
  std::vector<double> since_;
  double joules_ = 0;
};

}  // namespace

PowerPrice price(const PowerProblem& problem, const PowerChoices& choices) {
  PowerPrice price;
  EnteredStates states(problem, choices);
  std::vector<double> end(problem.actions.size(), 0.0);
  for (std::size_t a = 0; a < problem.actions.size(); ++a) {
    const PowerAction& action = problem.actions[a];
    double ready = 0;
    for (const int before : action.after) ready = std::max(ready, end[before]);
    const PowerChoice& choice = action.choices[choices[a]];
    end[a] = states.start(action, choices[a], ready) + choice.seconds;
    price.seconds = std::max(price.seconds, end[a]);
    price.joules += choice.joules;
  }
  price.joules += states.joules() + problem.watts * price.seconds + problem.fixed_joules;
  return price;
}

PowerTimes power_times(const PowerProblem& problem, const std::vector<double>& seconds) {
  PowerTimes times{std::vector<double>(seconds.size(), 0.0),
                   std::vector<double>(seconds.size(), 0.0), 0};
  for (std::size_t a = 0; a < seconds.size(); ++a) {
    for (const int before : problem.actions[a].after)
      times.start[a] = std::max(times.start[a], times.start[before] + seconds[before]);
    times.seconds = std::max(times.seconds, times.start[a] + seconds[a]);
  }
  for (std::size_t a = seconds.size(); a-- > 0;) {
    for (const int before : problem.actions[a].after)
      times.rest[before] = std::max(times.rest[before], times.rest[a] + seconds[a]);
  }
  return times;
}

std::vector<std::vector<int>> power_groups(const PowerProblem& problem) {
  std::vector<std::vector<int>> groups(problem.groups);
  for (std::size_t a = 0; a < problem.actions.size(); ++a) {
    const int group = problem.actions[a].group;
    if (group != no_power_group) groups[group].push_back(static_cast<int>(a));
  }
  return groups;
}

bool switches_cost(const PowerProblem& problem) {
  return std::any_of(problem.units.begin(), problem.units.end(), [](const PowerUnit& unit) {
    return std::any_of(unit.entering.begin(), unit.entering.end(),
                       [](const PowerChoice& c) { return c.seconds > 0 || c.joules > 0; });
  });
}

bool meets_deadline(const PowerProblem& problem, double seconds) {
  return !problem.deadline_seconds || seconds <= *problem.deadline_seconds * (1 + span_tolerance);
}

}  // namespace stint

#include "planner/power/power_rounding.hpp"

#include <algorithm>
#include <limits>

namespace stint {
namespace {

constexpr double bound_rounding = 1e-13;

double group_joules(const PowerProblem& problem, const std::vector<int>& group, int choice) {
  double joules = 0;
  for (const int action : group) joules += problem.actions[action].choices[choice].joules;
  return joules;
}

// One pass of slack; forwards, starts are of the choices made so far and the rest is as it was,
// backwards the other way round.
class SlackPass {
 public:
  SlackPass(const PowerProblem& problem, const PowerRelaxation& relaxation, double limit_seconds,
            std::vector<int>& places)
      : problem_(problem), relaxation_(relaxation), limit_(limit_seconds), places_(places) {
    for (const PowerAction& action : problem_.actions) seconds_.push_back(seconds_of(action));
    times_ = power_times(problem_, seconds_);
  }

  void forwards() {
    std::vector<double>& start = times_.start;
    std::fill(start.begin(), start.end(), 0.0);
    for (std::size_t a = 0; a < seconds_.size(); ++a) {
      for (const int before : problem_.actions[a].after)
        start[a] = std::max(start[a], start[before] + seconds_[before]);
      slow_down(a);
    }
  }

  void backwards() {
    std::vector<double>& rest = times_.rest;
    std::fill(rest.begin(), rest.end(), 0.0);
    for (std::size_t a = seconds_.size(); a-- > 0;) {
      slow_down(a);
      for (const int before : problem_.actions[a].after)
        rest[before] = std::max(rest[before], rest[a] + seconds_[a]);
    }
  }

 private:
  int choice_of(const PowerAction& action) const {
    return action.group == no_power_group
               ? 0
               : relaxation_.sorted()[action.group][places_[action.group]];
  }
  double seconds_of(const PowerAction& action) const {
    return action.choices[choice_of(action)].seconds;
  }

  void slow_down(std::size_t a) {
    const PowerAction& action = problem_.actions[a];
    if (action.group == no_power_group || relaxation_.groups()[action.group].size() > 1) return;
    const double room = limit_ * (1 + bound_rounding) - times_.start[a] - times_.rest[a];
    const auto& sorted = relaxation_.sorted()[action.group];
    int& place = places_[action.group];
    for (int p = 0; p < static_cast<int>(sorted.size()); ++p) {
      const PowerChoice& choice = action.choices[sorted[p]];
      if (choice.seconds <= room && choice.joules < action.choices[sorted[place]].joules) place = p;
    }
    seconds_[a] = seconds_of(action);
  }

  const PowerProblem& problem_;
  const PowerRelaxation& relaxation_;
  double limit_;
  std::vector<int>& places_;
  std::vector<double> seconds_;
  PowerTimes times_;
};

// Groups that follow each other in a unit, each once.
std::vector<std::vector<int>> groups_by_unit(const PowerProblem& problem) {
  std::vector<std::vector<int>> units(problem.units.size());
  for (const PowerAction& action : problem.actions) {
    if (action.unit == no_power_unit || action.group == no_power_group) continue;
    auto& list = units[action.unit];
    if (list.empty() || list.back() != action.group) list.push_back(action.group);
  }
  return units;
}

// Changes that are kept if they are better altogether.
class Trials {
 public:
  Trials(const PowerProblem& problem, const PowerRelaxation& relaxation, int most,
         std::vector<int>& places)
      : problem_(problem),
        relaxation_(relaxation),
        left_(most),
        places_(places),
        best_(price(problem, choices_of(problem, relaxation, places))) {}

  bool are_over() const { return left_ <= 0; }
  void attempt(std::vector<int> changed) {
    if (are_over() || changed == places_) return;
    --left_;
    const PowerPrice now = price(problem_, choices_of(problem_, relaxation_, changed));
    if (!meets_deadline(problem_, now.seconds) || now.joules >= best_.joules) return;
    best_ = now;
    places_ = std::move(changed);
  }

 private:
  const PowerProblem& problem_;
  const PowerRelaxation& relaxation_;
  int left_;
  std::vector<int>& places_;
  PowerPrice best_;
};

}  // namespace

std::vector<int> fitting(const PowerProblem& problem, const PowerRelaxation& relaxation,
                         const std::vector<PowerRange>& ranges,
                         const std::vector<double>& room_seconds) {
  double longest = 0;
  for (const double room : room_seconds) longest = std::max(longest, room);
  std::vector<int> places;
  for (std::size_t g = 0; g < ranges.size(); ++g) {
    const auto& sorted = relaxation.sorted()[g];
    const auto& group = relaxation.groups()[g];
    const auto fits = [&](int place) {
      return std::all_of(group.begin(), group.end(), [&](int a) {
        return problem.actions[a].choices[sorted[place]].seconds <=
               room_seconds[a] + bound_rounding * longest;
      });
    };
    int best = ranges[g].first;
    double least = std::numeric_limits<double>::infinity();
    for (int place = ranges[g].first; place <= ranges[g].last; ++place) {
      const double joules = group_joules(problem, group, sorted[place]);
      if (joules < least && fits(place)) best = place, least = joules;
    }
    places.push_back(best);
  }
  return places;
}

PowerChoices choices_of(const PowerProblem& problem, const PowerRelaxation& relaxation,
                        const std::vector<int>& places) {
  PowerChoices choices(problem.actions.size(), 0);
  for (std::size_t g = 0; g < places.size(); ++g) {
    for (const int action : relaxation.groups()[g])
      choices[action] = relaxation.sorted()[g][places[g]];
  }
  return choices;
}

void use_slack(const PowerProblem& problem, const PowerRelaxation& relaxation, double limit_seconds,
               std::vector<int>& places) {
  SlackPass(problem, relaxation, limit_seconds, places).forwards();
  SlackPass(problem, relaxation, limit_seconds, places).backwards();
}

void change_groups(const PowerProblem& problem, const PowerRelaxation& relaxation, int most,
                   std::vector<int>& places) {
  Trials trials(problem, relaxation, most, places);
  for (std::size_t g = 0; g < places.size(); ++g) {
    if (relaxation.groups()[g].size() == 1) continue;
    for (int place = 0; place < static_cast<int>(relaxation.sorted()[g].size()); ++place) {
      std::vector<int> changed = places;
      changed[g] = place;
      trials.attempt(std::move(changed));
    }
  }
}

void merge_runs(const PowerProblem& problem, const PowerRelaxation& relaxation, int most,
                std::vector<int>& places) {
  Trials trials(problem, relaxation, most, places);
  const auto give = [&](const std::vector<int>& list, std::size_t from, std::size_t to,
                        int choice) {
    std::vector<int> changed = places;
    for (std::size_t i = from; i < to; ++i) {
      const auto& sorted = relaxation.sorted()[list[i]];
      changed[list[i]] =
          static_cast<int>(std::find(sorted.begin(), sorted.end(), choice) - sorted.begin());
    }
    trials.attempt(std::move(changed));
  };
  for (const auto& list : groups_by_unit(problem)) {
    const auto choice = [&](std::size_t i) {
      return relaxation.sorted()[list[i % list.size()]][places[list[i % list.size()]]];
    };
    for (std::size_t from = 0; from < list.size() && !trials.are_over();) {
      std::size_t to = from + 1;
      while (to < list.size() && choice(to) == choice(from)) ++to;
      const int after = choice(to);
      if (from > 0) give(list, from, to, choice(from - 1));
      give(list, from, to, after);
      from = to;
    }
  }
}

}  // namespace stint

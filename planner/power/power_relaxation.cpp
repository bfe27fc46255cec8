#include "planner/power/power_relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "planner/infinity.hpp"
#include "planner/power/network_simplex.hpp"

namespace stint {
namespace {

constexpr double whole_seconds = 0x1p57;  // all actions one after the other
constexpr double whole_watts = 0x1p50;    // the highest price of a second
constexpr double relaxation_rounding = 1e-12;

double total(const PowerProblem& problem, const std::vector<int>& group, int choice,
             double PowerChoice::*what) {
  double sum = 0;
  for (const int action : group) sum += problem.actions[action].choices[choice].*what;
  return sum;
}

// By seconds; without those that are slower than another in every action and save nothing, unless
// staying in a state can save the cost of entering one.
std::vector<int> sorted_choices(const PowerProblem& problem, const std::vector<int>& group,
                                bool keeps_all) {
  std::vector<int> all(problem.actions[group.front()].choices.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
  const auto seconds = [&](int c) { return total(problem, group, c, &PowerChoice::seconds); };
  const auto joules = [&](int c) { return total(problem, group, c, &PowerChoice::joules); };
  std::stable_sort(all.begin(), all.end(), [&](int a, int b) {
    return std::pair(seconds(a), joules(a)) < std::pair(seconds(b), joules(b));
  });
  if (keeps_all) return all;
  const auto slower = [&](int a, int b) {
    return std::all_of(group.begin(), group.end(), [&](int action) {
      const auto& choices = problem.actions[action].choices;
      return choices[a].seconds >= choices[b].seconds;
    });
  };
  std::vector<int> kept;
  for (const int c : all) {
    const bool is_worse = std::any_of(kept.begin(), kept.end(), [&](int other) {
      return joules(c) >= joules(other) && slower(c, other);
    });
    if (!is_worse) kept.push_back(c);
  }
  return kept;
}

// The lower convex hull of an action's choices, from the fastest to the most frugal.
std::vector<PowerChoice> hull_of(std::vector<PowerChoice> points) {
  std::sort(points.begin(), points.end(), [](const PowerChoice& a, const PowerChoice& b) {
    return std::pair(a.seconds, a.joules) < std::pair(b.seconds, b.joules);
  });
  std::vector<PowerChoice> hull;
  const auto is_above = [](const PowerChoice& a, const PowerChoice& b, const PowerChoice& c) {
    return (b.joules - a.joules) * (c.seconds - a.seconds) >=
           (c.joules - a.joules) * (b.seconds - a.seconds);
  };
  for (const PowerChoice& point : points) {
    if (!hull.empty() && point.joules >= hull.back().joules) continue;
    while (hull.size() > 1 && is_above(hull[hull.size() - 2], hull.back(), point)) hull.pop_back();
    hull.push_back(point);
  }
  return hull;
}

// Watts that are saved by going from one point to the next.
double slope(const std::vector<PowerChoice>& hull, std::size_t i) {
  return (hull[i].joules - hull[i + 1].joules) / (hull[i + 1].seconds - hull[i].seconds);
}

// One network: a node for the start and one for the end of every action, then source and sink.
class TimeNetwork {
 public:
  TimeNetwork(const PowerProblem& problem, const std::vector<std::vector<PowerChoice>>& hulls)
      : problem_(problem), hulls_(hulls), actions_(static_cast<int>(hulls.size())) {
    for (const auto& hull : hulls_) slow_.push_back(hull.back().seconds);
    times_ = power_times(problem, slow_);
    set_scales();
  }

  // Nothing is to be gained by time: everything as slow as it likes.
  bool is_free() const {
    return watts_unit_ == 0 || seconds_unit_ == 0 || (problem_.watts == 0 && !is_tight());
  }

  Circulation solve(std::int64_t work) {
    add_actions();
    add_order();
    for (int a = 0; a < actions_; ++a) {
      if (problem_.actions[a].after.empty()) add(source(), start(a), most_watts_, 0);
    }
    set_tree();
    if (const std::int64_t price = watts(problem_.watts); price > 0)
      add(sink(), source(), price, 0);
    first_return_ = static_cast<int>(arcs_.size()) - (watts(problem_.watts) > 0 ? 1 : 0);
    if (is_tight()) add(sink(), source(), most_watts_, seconds(*problem_.deadline_seconds));
    return least_cost_circulation(arcs_, parent_, work);
  }

  // Watts through every action, and through all.
  std::vector<double> action_watts(const Circulation& circulation) const {
    std::vector<double> all(actions_, 0.0);
    for (int a = 0; a < actions_; ++a) {
      for (int arc = first_arc_[a]; arc < first_arc_[a + 1]; ++arc)
        all[a] += static_cast<double>(circulation.flow[arc]) * watts_unit_;
    }
    return all;
  }
  double all_watts(const Circulation& circulation) const {
    double sum = 0;
    for (std::size_t arc = first_return_; arc < arcs_.size(); ++arc)
      sum += static_cast<double>(circulation.flow[arc]) * watts_unit_;
    return sum;
  }
  double room(const Circulation& circulation, int a) const {
    const auto& potential = circulation.potential;
    return static_cast<double>(potential[start(a)] - potential[end(a)]) * seconds_unit_;
  }

 private:
  static int start(int action) { return 2 * action; }
  static int end(int action) { return 2 * action + 1; }
  int source() const { return 2 * actions_; }
  int sink() const { return 2 * actions_ + 1; }
  bool is_tight() const {
    return problem_.deadline_seconds && *problem_.deadline_seconds < times_.seconds;
  }

  void set_scales() {
    double all_seconds = 0;
    double all_watts = problem_.watts;
    for (const auto& hull : hulls_) {
      all_seconds += hull.back().seconds;
      if (hull.size() > 1) all_watts += slope(hull, 0);
    }
    seconds_unit_ = all_seconds / whole_seconds;
    watts_unit_ = all_watts / whole_watts;
    most_watts_ = static_cast<std::int64_t>(whole_watts) * 2;
  }
  std::int64_t seconds(double value) const {
    return static_cast<std::int64_t>(std::llround(value / seconds_unit_));
  }
  std::int64_t watts(double value) const {
    return static_cast<std::int64_t>(std::floor(value / watts_unit_));
  }
  void add(int from, int to, std::int64_t capacity, std::int64_t cost) {
    arcs_.push_back({from, to, capacity, cost});
  }

  // The more a second is worth, the faster: up to the last slope the most frugal point is best.
  void add_actions() {
    for (int a = 0; a < actions_; ++a) {
      const auto& hull = hulls_[a];
      first_arc_.push_back(static_cast<int>(arcs_.size()));
      std::int64_t taken = 0;
      for (std::size_t i = hull.size(); i-- > 0;) {
        const std::int64_t most =
            i == 0 ? most_watts_ : std::min(watts(slope(hull, i - 1)), most_watts_);
        if (most > taken) add(start(a), end(a), most - taken, -seconds(hull[i].seconds));
        taken = std::max(taken, most);
      }
    }
    first_arc_.push_back(static_cast<int>(arcs_.size()));
  }

  void add_order() {
    for (int a = 0; a < actions_; ++a) {
      for (const int before : problem_.actions[a].after) add(end(before), start(a), most_watts_, 0);
      add(end(a), sink(), most_watts_, 0);
    }
  }

  // The longest ways to the sink with everything slow.
  void set_tree() {
    parent_.assign(2 * actions_ + 2, -1);
    std::vector<std::int64_t> rest(parent_.size(), -1);
    rest[sink()] = 0;
    const auto try_arc = [&](int arc) {
      const FlowArc& it = arcs_[arc];
      if (rest[it.to] - it.cost <= rest[it.from]) return;
      rest[it.from] = rest[it.to] - it.cost;
      parent_[it.from] = arc;
    };
    std::vector<std::vector<int>> leaving(parent_.size());
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc)
      leaving[arcs_[arc].from].push_back(static_cast<int>(arc));
    for (int a = actions_; a-- > 0;) {
      for (const int arc : leaving[end(a)]) try_arc(arc);
      for (const int arc : leaving[start(a)]) try_arc(arc);
    }
    for (const int arc : leaving[source()]) try_arc(arc);
  }

  const PowerProblem& problem_;
  const std::vector<std::vector<PowerChoice>>& hulls_;
  int actions_;
  std::vector<double> slow_;
  PowerTimes times_;
  double seconds_unit_ = 0;
  double watts_unit_ = 0;
  std::int64_t most_watts_ = 0;
  std::vector<FlowArc> arcs_;
  std::vector<int> first_arc_;  // by action
  int first_return_ = 0;
  std::vector<int> parent_;
};

// Whether every action waits for the one before it.
bool is_sequence(const PowerProblem& problem) {
  for (std::size_t a = 1; a < problem.actions.size(); ++a) {
    const auto& after = problem.actions[a].after;
    if (std::find(after.begin(), after.end(), static_cast<int>(a) - 1) == after.end()) return false;
  }
  return true;
}

// A sequence has one price of a second for all: what is worth less than what is always on is sped
// up anyway, and what is cheapest of the rest until the deadline is met.
struct SequencePrice {
  double watts = 0;
  std::vector<double> room_seconds;
};

SequencePrice sequence_price(const PowerProblem& problem,
                             const std::vector<std::vector<PowerChoice>>& hulls) {
  struct Step {
    double watts;
    std::size_t action;
    double seconds;
  };
  SequencePrice price{problem.watts, {}};
  std::vector<Step> steps;
  double sum = 0;
  for (std::size_t a = 0; a < hulls.size(); ++a) {
    std::size_t point = 0;
    while (point + 1 < hulls[a].size() && slope(hulls[a], point) > problem.watts) ++point;
    price.room_seconds.push_back(hulls[a][point].seconds);
    sum += price.room_seconds.back();
    for (; point > 0; --point)
      steps.push_back(
          {slope(hulls[a], point - 1), a, hulls[a][point].seconds - hulls[a][point - 1].seconds});
  }
  if (!problem.deadline_seconds) return price;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.watts < b.watts; });
  for (const Step& step : steps) {
    const double excess = sum - *problem.deadline_seconds;
    if (excess <= 0) break;
    const double taken = std::min(excess, step.seconds);
    price.room_seconds[step.action] -= taken;
    sum -= taken;
    price.watts = step.watts;
  }
  return price;
}

double fastest_seconds(const PowerProblem& problem,
                       const std::vector<std::vector<PowerChoice>>& hulls) {
  std::vector<double> seconds;
  for (const auto& hull : hulls) seconds.push_back(hull.front().seconds);
  return power_times(problem, seconds).seconds;
}

}  // namespace

PowerRelaxation::PowerRelaxation(const PowerProblem& problem)
    : problem_(problem), groups_(power_groups(problem)), is_sequence_(is_sequence(problem)) {
  const bool keeps_all = switches_cost(problem);
  for (const auto& group : groups_) sorted_.push_back(sorted_choices(problem, group, keeps_all));
}

std::vector<PowerRange> PowerRelaxation::all() const {
  std::vector<PowerRange> ranges;
  for (const auto& choices : sorted_) ranges.push_back({0, static_cast<int>(choices.size()) - 1});
  return ranges;
}

std::vector<PowerChoice> PowerRelaxation::hull(int action, const PowerRange& range) const {
  const PowerAction& it = problem_.actions[action];
  if (it.group == no_power_group) return {it.choices.front()};
  std::vector<PowerChoice> points;
  for (int i = range.first; i <= range.last; ++i)
    points.push_back(it.choices[sorted_[it.group][i]]);
  return hull_of(std::move(points));
}

double PowerRelaxation::relaxed_joules(int action, const PowerRange& range, double seconds) const {
  const auto points = hull(action, range);
  if (seconds <= points.front().seconds) return points.front().joules;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (seconds <= points[i + 1].seconds)
      return points[i].joules - slope(points, i) * (seconds - points[i].seconds);
  }
  return points.back().joules;
}

double PowerRelaxation::bound(const std::vector<PowerRange>& ranges, const Prices& prices) const {
  const double over = problem_.watts - prices.all_watts;
  const double shared = over * (over >= 0 ? prices.fastest_seconds : *problem_.deadline_seconds);
  double sum = problem_.fixed_joules + shared;
  double size = std::abs(problem_.fixed_joules) + std::abs(shared);
  const auto add = [&](double joules) { sum += joules, size += std::abs(joules); };
  const auto cost = [&](int action, int choice) {
    const PowerChoice& it = problem_.actions[action].choices[choice];
    return it.joules + prices.watts[action] * it.seconds;
  };
  for (std::size_t a = 0; a < prices.watts.size(); ++a) {
    if (problem_.actions[a].group == no_power_group) add(cost(static_cast<int>(a), 0));
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double least = infinity;
    for (int i = ranges[g].first; i <= ranges[g].last; ++i) {
      double joules = 0;
      for (const int action : groups_[g]) joules += cost(action, sorted_[g][i]);
      least = std::min(least, joules);
    }
    add(least);
  }
  return sum - relaxation_rounding * size;
}

PowerRelaxed PowerRelaxation::solve(const std::vector<PowerRange>& ranges,
                                    std::int64_t work) const {
  std::vector<std::vector<PowerChoice>> hulls;
  for (std::size_t a = 0; a < problem_.actions.size(); ++a) {
    const int group = problem_.actions[a].group;
    hulls.push_back(hull(static_cast<int>(a), group < 0 ? PowerRange{} : ranges[group]));
  }
  PowerRelaxed relaxed;
  relaxed.is_solved = true;
  Prices prices{std::vector<double>(hulls.size(), 0.0), 0, fastest_seconds(problem_, hulls)};
  relaxed.bound = infinity;
  if (!meets_deadline(problem_, prices.fastest_seconds)) return relaxed;
  if (is_sequence_) {
    SequencePrice price = sequence_price(problem_, hulls);
    prices.watts.assign(hulls.size(), price.watts);
    prices.all_watts = price.watts;
    relaxed.room_seconds = std::move(price.room_seconds);
  } else if (TimeNetwork network(problem_, hulls); network.is_free()) {
    for (const auto& points : hulls) relaxed.room_seconds.push_back(points.back().seconds);
  } else {
    const Circulation circulation = network.solve(work);
    for (std::size_t a = 0; a < hulls.size(); ++a)
      relaxed.room_seconds.push_back(network.room(circulation, static_cast<int>(a)));
    prices.watts = network.action_watts(circulation);
    prices.all_watts = network.all_watts(circulation);
    relaxed.is_solved = circulation.is_optimal;
    relaxed.work = circulation.work;
  }
  relaxed.bound = bound(ranges, prices);
  relaxed.second_watts = std::max(0.0, prices.all_watts - problem_.watts);
  return relaxed;
}

}  // namespace stint

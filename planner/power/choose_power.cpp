#include "planner/power/choose_power.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "planner/infinity.hpp"
#include "planner/power/power_relaxation.hpp"
#include "planner/power/power_rounding.hpp"

namespace stint {
namespace {

constexpr double deadline_tolerance = 1e-9;
constexpr double branching_per_unit = 2e7;     // elementary steps of branching
constexpr double combinations_per_unit = 1e5;  // × actions, that are all tried
constexpr double trial_work = 2e7;             // actions × changes that are tried

class Choosing {
 public:
  Choosing(const PowerProblem& problem, const PowerOptions& options)
      : problem_(problem),
        relaxation_(problem),
        work_left_(static_cast<std::int64_t>(branching_per_unit * options.limit)),
        combinations_(combinations_per_unit * options.limit) {}

  std::optional<PowerPlan> choose() {
    is_few() ? try_all() : branch();
    if (best_.choices.empty() && !problem_.actions.empty()) return std::nullopt;
    best_.lower_bound = std::min(best_.lower_bound, best_.price.joules);
    best_.is_optimal = best_.price.joules <= best_.lower_bound + slack();
    return std::move(best_);
  }

 private:
  double slack() const { return deadline_tolerance * std::abs(best_.price.joules); }
  bool is_found() const { return !best_.choices.empty(); }

  void note(const std::vector<int>& places) {
    PowerChoices choices = choices_of(problem_, relaxation_, places);
    const PowerPrice now = price(problem_, choices);
    if (!meets_deadline(problem_, now.seconds)) return;
    if (is_found() && now.joules >= best_.price.joules) return;
    best_.choices = std::move(choices);
    best_.price = now;
  }

  bool is_few() const {
    double count = static_cast<double>(problem_.actions.size());
    for (const auto& choices : relaxation_.sorted()) {
      count *= static_cast<double>(choices.size());
      if (count > combinations_) return false;
    }
    return true;
  }

  // Counts through all combinations like through digits.
  void try_all() {
    std::vector<int> places(relaxation_.sorted().size(), 0);
    std::size_t digit = 0;
    do {
      note(places);
      for (digit = 0; digit < places.size(); ++digit) {
        if (++places[digit] < static_cast<int>(relaxation_.sorted()[digit].size())) break;
        places[digit] = 0;
      }
    } while (digit < places.size());
    best_.lower_bound = best_.price.joules;
  }

  struct Node {
    std::vector<PowerRange> ranges;
    double bound = -infinity;  // of what it is a part of
  };

  // Depth first, the part that is nearer to the relaxation's times first.
  void branch() {
    std::vector<Node> open{{relaxation_.all(), -infinity}};
    double closed = infinity;  // least bound of parts that were given up for good
    while (!open.empty() && (work_left_ > 0 || !is_found())) {
      Node node = std::move(open.back());
      open.pop_back();
      if (is_found() && node.bound >= best_.price.joules - slack()) {
        closed = std::min(closed, node.bound);
        continue;
      }
      closed = std::min(closed, divide(std::move(node), open));
    }
    for (const Node& node : open) closed = std::min(closed, node.bound);
    best_.lower_bound = closed;
  }

  // Returns the bound of what is not divided further.
  double divide(Node node, std::vector<Node>& open) {
    const bool is_first = node.bound == -infinity;
    const PowerRelaxed relaxed = relaxation_.solve(
        node.ranges, is_first ? relaxation_work : std::max<std::int64_t>(work_left_, 1));
    if (!is_first)
      work_left_ -= relaxed.work + static_cast<std::int64_t>(problem_.actions.size()) * 20;
    if (relaxed.bound == infinity) return infinity;
    node.bound = std::max(node.bound, relaxed.bound);
    const auto places = round(node, relaxed);
    if (!relaxed.is_solved) return node.bound;
    if (is_found() && node.bound >= best_.price.joules - slack()) return node.bound;
    const int group = widest(node, relaxed, places);
    if (group < 0) return node.bound;
    Node slow = node;
    const PowerRange range = node.ranges[group];
    const int last = std::clamp(places[group], range.first, range.last - 1);
    node.ranges[group].last = last;
    slow.ranges[group].first = last + 1;
    open.push_back(std::move(slow));
    open.push_back(std::move(node));
    return infinity;
  }

  // Notes what the times of the relaxation lead to; returns the places that fit into them.
  std::vector<int> round(const Node& node, const PowerRelaxed& relaxed) {
    std::vector<int> fastest;
    for (const PowerRange& range : node.ranges) fastest.push_back(range.first);
    const auto places = relaxed.is_solved
                            ? fitting(problem_, relaxation_, node.ranges, relaxed.room_seconds)
                            : fastest;
    note(places);
    improve(places);
    if (!is_found()) improve(fastest);
    return places;
  }

  // Slack is used up to where the plan ends as it is, and to where it may end.
  void improve(const std::vector<int>& places) {
    const PowerPrice now = price(problem_, choices_of(problem_, relaxation_, places));
    if (!meets_deadline(problem_, now.seconds)) return;
    const auto within = [&](double seconds) {
      std::vector<int> slower = places;
      use_slack(problem_, relaxation_, seconds, slower);
      change_groups(problem_, relaxation_, trials(), slower);
      if (switches_cost(problem_)) merge_runs(problem_, relaxation_, trials(), slower);
      note(slower);
    };
    within(now.seconds);
    if (problem_.deadline_seconds && problem_.watts == 0) within(*problem_.deadline_seconds);
  }

  int trials() const {
    const double most = trial_work / static_cast<double>(problem_.actions.size() + 1);
    return static_cast<int>(std::clamp(most, 10.0, 1000.0));
  }

  // The group that loses most by taking a choice instead of a mixture; -1 if none loses anything.
  int widest(const Node& node, const PowerRelaxed& relaxed, const std::vector<int>& places) const {
    int widest = -1;
    double most = switches_cost(problem_) ? -1 : 1e-12 * std::abs(relaxed.bound);
    for (std::size_t g = 0; g < places.size(); ++g) {
      const PowerRange& range = node.ranges[g];
      if (range.first == range.last) continue;
      double loss = 0;
      for (const int action : relaxation_.groups()[g]) {
        const int choice = relaxation_.sorted()[g][places[g]];
        loss += problem_.actions[action].choices[choice].joules -
                relaxation_.relaxed_joules(action, range, relaxed.room_seconds[action]);
      }
      if (loss > most) most = loss, widest = static_cast<int>(g);
    }
    return widest;
  }

  const PowerProblem& problem_;
  PowerRelaxation relaxation_;
  std::int64_t work_left_;
  double combinations_;
  PowerPlan best_;
};

}  // namespace

std::optional<PowerPlan> choose_power(const PowerProblem& problem, const PowerOptions& options) {
  return Choosing(problem, options).choose();
}

}  // namespace stint

// The relaxation of choosing power states on a fixed order: every action may take any point on the
// lower convex hull of its choices, a mixture of two states. Then the least energy is a linear
// program whose dual is a flow in the network of the order (Fulkerson 1961; the cuts of Phillips
// and Dessouky are the cuts of that flow): an action carries as many watts as a second less of it
// would be worth. One network simplex instead of a cut for every corner of the frontier; where all
// actions stand in one sequence, sorting is enough.
//
// The bound is computed from the flow by weak duality, in the joules of the choices themselves, so
// that neither rounding nor an early end can make it wrong: f(a) being the flow through action a
// and F that of all, no plan on this order takes less than
//   sum over groups of min over choices of (joules + f · seconds) + (watts − F) · (seconds of all),
// the latter at most the deadline and at least the critical path. Costs of entering states are left
// out, they only add to it.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/power/power_problem.hpp"

namespace stint {

// Of the choices of a group, in the order of their seconds, those from `first` to `last`.
struct PowerRange {
  int first = 0;
  int last = 0;
};

struct PowerRelaxed {
  double bound = 0;                  // joules; infinite: nothing meets the deadline
  std::vector<double> room_seconds;  // by action: what it may take for all to end in time
  double second_watts = 0;  // what a later deadline would save, at first; 0: it is no matter
  std::int64_t work = 0;
  bool is_solved = false;  // or the work ran out: then there is only the bound
};

// Elementary steps that are enough for 10^4 actions, some seconds at most.
inline constexpr std::int64_t relaxation_work = 1'500'000'000;

class PowerRelaxation {
 public:
  explicit PowerRelaxation(const PowerProblem& problem);

  // By group the choices that are worth having, from the fastest on; each saves joules on the one
  // before or is faster for one of the actions.
  const std::vector<std::vector<int>>& sorted() const { return sorted_; }
  const std::vector<std::vector<int>>& groups() const { return groups_; }
  std::vector<PowerRange> all() const;

  PowerRelaxed solve(const std::vector<PowerRange>& ranges, std::int64_t work) const;

  // Joules of the action on its hull when it takes so long.
  double relaxed_joules(int action, const PowerRange& range, double seconds) const;

 private:
  // What a second is worth, in watts: of every action, and of all together.
  struct Prices {
    std::vector<double> watts;
    double all_watts = 0;
    double fastest_seconds = 0;
  };
  std::vector<PowerChoice> hull(int action, const PowerRange& range) const;
  double bound(const std::vector<PowerRange>& ranges, const Prices& prices) const;

  const PowerProblem& problem_;
  std::vector<std::vector<int>> groups_;
  bool is_sequence_;
  std::vector<std::vector<int>> sorted_;
};

}  // namespace stint

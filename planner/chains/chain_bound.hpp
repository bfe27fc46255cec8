// What a schedule still costs from a state on, at least: the guide of the exact search. Never more
// than the truth.
//
// Every backward that is left runs. A forward certainly runs if what it makes is needed, by a
// backward or by a forward that certainly runs, and is stored nowhere; what is stored in slow
// memories only is fetched or made again. And in one memory: when B_l runs, little else fits beside
// it, so whatever is not worth its bytes there is made again after it, besides what must be made
// before it; the best choice of what stays is a knapsack, here with fractions.
//
// Cost: O(n) for a state, O(n² log n) beforehand.
#pragma once

#include <vector>

#include "planner/chains/chain_states.hpp"

namespace stint {

// In one memory, what any schedule of the whole chain recomputes at least.
double least_recomputed(const ChainArrays& chain, std::int64_t fast_bytes);

class ChainBound {
 public:
  explicit ChainBound(const ChainSpace& space);

  // Infinite if the step cannot be finished from here.
  double operator()(const ChainState& state) const;

 private:
  struct Needs;

  bool stored(const ChainState& state, ItemId item) const;
  bool stored_value(const ChainState& state, int i) const;
  double fetching(const ChainState& state, int i, const Needs& needs) const;
  double fetch_cost(const ChainState& state, ItemId item) const;

  const ChainSpace& space_;
  std::vector<double> backward_below_;  // cost of B_0 … B_{d-1}
  std::vector<double> after_;           // by l: forwards after B_l, at least
};

}  // namespace stint

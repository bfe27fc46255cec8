#include "planner/chains/chain_bound.hpp"

#include <algorithm>
#include <limits>

namespace stint {
namespace {

// Forwards of stages before l whose result must be there after B_l, less the most valuable that
// can be stored while it runs.
double least_after(const ChainArrays& c, std::int64_t fast_bytes, int l) {
  const bool output = c.reads_output[l] || c.kind[l] == Tape::holds_output;
  std::int64_t room = fast_bytes - c.gradient[l + 1] - c.backward_extra[l] - c.extra[l] -
                      (output ? c.x[l + 1] : 0) - (c.reads_input[l] ? c.x[l] : 0);
  if (l > 0 && c.reads_input[0]) room -= c.x[0];
  struct Thing {
    double cost;
    std::int64_t bytes;
  };
  std::vector<Thing> things;
  double sum = 0;
  for (int i = 0; i < l; ++i) {
    const bool value_needed = c.reads_output[i] || (i + 1 < l && c.reads_input[i + 1]);
    if (!value_needed && !c.has_tape(i)) continue;
    // Beside x_l, which is there anyway.
    const std::int64_t bytes =
        c.has_tape(i) ? (i + 1 == l ? c.extra[i] : c.tape[i]) : (i + 1 == l ? 0 : c.x[i + 1]);
    things.push_back({c.forward[i], bytes});
    sum += c.forward[i];
  }
  std::stable_sort(things.begin(), things.end(), [](const Thing& a, const Thing& b) {
    return a.cost * static_cast<double>(b.bytes) > b.cost * static_cast<double>(a.bytes);
  });
  for (const Thing& thing : things) {
    if (thing.bytes > 0 && thing.bytes > room) {
      const double share =
          static_cast<double>(std::max<std::int64_t>(room, 0)) / static_cast<double>(thing.bytes);
      return std::max(0.0, sum - thing.cost * share);
    }
    sum -= thing.cost;
    room -= thing.bytes;
  }
  return 0;
}

}  // namespace

double least_recomputed(const ChainArrays& chain, std::int64_t fast_bytes) {
  double most = 0;
  for (int l = 0; l < chain.stages; ++l) most = std::max(most, least_after(chain, fast_bytes, l));
  return most;
}

// What stage i has to deliver from a state on.
struct ChainBound::Needs {
  bool value = false;  // x_{i+1}
  bool tape = false;
  bool run = false;  // the forward certainly runs
};

ChainBound::ChainBound(const ChainSpace& space) : space_(space), backward_below_{0} {
  for (const double cost : space.chain().backward) {
    backward_below_.push_back(backward_below_.back() + cost);
  }
  for (int l = 0; l < space.chain().stages; ++l) {
    after_.push_back(space.memories() == 1 ? least_after(space.chain(), space.fast_bytes(), l) : 0);
  }
}

bool ChainBound::stored(const ChainState& state, ItemId item) const {
  for (int memory = 0; memory < space_.memories(); ++memory) {
    if (space_.has(state, memory, item)) return true;
  }
  return false;
}

bool ChainBound::stored_value(const ChainState& state, int i) const {
  return stored(state, space_.value(i)) ||
         (space_.chain().tape_gives(i) && stored(state, space_.tape(i - 1)));
}

double ChainBound::fetch_cost(const ChainState& state, ItemId item) const {
  double least = std::numeric_limits<double>::infinity();
  for (int memory = 1; memory < space_.memories(); ++memory) {
    if (!space_.has(state, memory, item)) continue;
    least = std::min(least, copy_cost_back(space_.slow()[memory - 1], space_.bytes(item)));
  }
  return least;
}

// Stored, but perhaps not in the fast memory: then fetched, or made again by the forward.
double ChainBound::fetching(const ChainState& state, int i, const Needs& needs) const {
  const ChainArrays& c = space_.chain();
  double cost = 0;
  const bool fetches_tape = needs.tape && !space_.has(state, 0, space_.tape(i));
  if (fetches_tape) cost += fetch_cost(state, space_.tape(i));
  const bool tape_gives = c.tape_gives(i + 1);
  if (needs.value && !space_.has_value(state, 0, i + 1) && !(fetches_tape && tape_gives)) {
    double least = fetch_cost(state, space_.value(i + 1));
    if (tape_gives) least = std::min(least, fetch_cost(state, space_.tape(i)));
    cost += least;
  }
  return std::min(cost, c.forward[i]);
}

double ChainBound::operator()(const ChainState& state) const {
  const ChainArrays& c = space_.chain();
  const int next = state.backwards;
  std::vector<double> to_reach(next + 1, 0);  // x_i, from the nearest that is stored
  for (int i = 1; i <= next; ++i) {
    to_reach[i] = stored_value(state, i) ? 0 : to_reach[i - 1] + c.forward[i - 1];
  }
  double certain = 0;
  double best = 0;
  bool needed_above = false;  // x_{i+1}, by stage i+1
  for (int i = next - 1; i >= 0; --i) {
    Needs needs{needed_above || c.reads_output[i] != 0, c.has_tape(i), false};
    needs.run = (needs.tape && !stored(state, space_.tape(i))) ||
                (needs.value && !stored_value(state, i + 1));
    if (needs.run) certain += c.forward[i];
    if (!needs.run && space_.memories() > 1) certain += fetching(state, i, needs);
    needed_above = c.reads_input[i] || needs.run;
    best = std::max(best, certain + (needed_above ? to_reach[i] : 0) + after_[i]);
  }
  const bool needs_input = needed_above || (c.keep_input && next >= 0);
  if (needs_input && !stored(state, space_.value(0))) {
    return std::numeric_limits<double>::infinity();
  }
  return backward_below_[next] + std::max(best, certain);
}

}  // namespace stint

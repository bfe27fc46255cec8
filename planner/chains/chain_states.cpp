#include "planner/chains/chain_states.hpp"

#include <algorithm>

namespace stint {

bool ChainSpace::can_hold(int stages, int memories) {
  return (2 * std::int64_t{stages} + 1) * memories <= 256;
}

ChainSpace::ChainSpace(const ChainArrays& chain, std::int64_t fast_bytes,
                       const std::vector<SlowMemory>& slow, bool pinned)
    : chain_(chain), slow_(slow), capacity_{fast_bytes}, pinned_(pinned) {
  for (const SlowMemory& memory : slow) capacity_.push_back(memory.bytes);
}

ChainState ChainSpace::start() const {
  ChainState state;
  state.backwards = chain_.stages;
  set(state, 0, value(0), true);
  drop_useless(state);
  return state;
}

bool ChainSpace::has(const ChainState& state, int memory, ItemId item) const {
  const int bit = memory * items() + item;
  return (state.stored[bit / 64] >> (bit % 64) & 1) != 0;
}

void ChainSpace::set(ChainState& state, int memory, ItemId item, bool stored) const {
  const int bit = memory * items() + item;
  const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
  if (stored) {
    state.stored[bit / 64] |= mask;
  } else {
    state.stored[bit / 64] &= ~mask;
  }
}

bool ChainSpace::has_value(const ChainState& state, int memory, int i) const {
  return has(state, memory, value(i)) || (chain_.tape_gives(i) && has(state, memory, tape(i - 1)));
}

std::int64_t ChainSpace::used(const ChainState& state, int memory) const {
  std::int64_t sum = memory == 0 ? chain_.gradient[state.backwards] : 0;
  for (ItemId item{}; item < items(); item = ItemId{item + 1}) {
    if (has(state, memory, item)) sum += bytes(item);
  }
  return sum;
}

bool ChainSpace::is_useful(const ChainState& state, ItemId item) const {
  const int next = state.backwards;
  const int i = index(item);
  if (is_tape(item)) return i < next;
  if (i == 0 && chain_.keep_input) return true;
  return i < next || (i == next && next > 0 && chain_.reads_output[next - 1]);
}

void ChainSpace::drop_useless(ChainState& state) const {
  for (ItemId item{}; item < items(); item = ItemId{item + 1}) {
    if (is_useful(state, item)) continue;
    for (int memory = 0; memory < memories(); ++memory) set(state, memory, item, false);
  }
}

bool ChainSpace::respects_pins(const ChainState& state) const {
  if (!pinned_) return true;
  for (int i = 0; i < chain_.stages; ++i) {
    if (has(state, 0, tape(i)) && !has_value(state, 0, i)) return false;
  }
  return true;
}

// Finds the smallest sets of items to drop from one memory: sets of which every item is needed to
// free `excess` bytes, or cannot stay without the others.
class ChainSpace::Room {
 public:
  Room(const ChainSpace& space, int memory, std::int64_t excess, const Legal& legal,
       const Visit& visit)
      : space_(space), memory_(memory), excess_(excess), legal_(legal), visit_(visit) {}

  void find(const ChainState& state) {
    for (ItemId item{}; item < space_.items(); item = ItemId{item + 1}) {
      if (space_.has(state, memory_, item) && space_.bytes(item) > 0) items_.push_back(item);
    }
    left_.assign(items_.size() + 1, 0);
    for (int k = static_cast<int>(items_.size()) - 1; k >= 0; --k) {
      left_[k] = left_[k + 1] + space_.bytes(items_[k]);
    }
    choose(state, 0, 0);
  }

 private:
  void choose(const ChainState& state, std::size_t k, std::int64_t freed) {
    if (space_.looks_ <= 0) return;
    --space_.looks_;
    if (freed >= excess_ && legal_(state)) {
      if (is_smallest(state, freed)) visit_(state);
      return;
    }
    if (k == items_.size() || freed + left_[k] < excess_) return;
    ChainState without = state;
    space_.set(without, memory_, items_[k], false);
    dropped_.push_back(items_[k]);
    choose(without, k + 1, freed + space_.bytes(items_[k]));
    dropped_.pop_back();
    choose(state, k + 1, freed);
  }

  bool is_smallest(const ChainState& state, std::int64_t freed) const {
    return std::none_of(dropped_.begin(), dropped_.end(), [&](ItemId item) {
      if (freed - space_.bytes(item) < excess_) return false;
      ChainState with = state;
      space_.set(with, memory_, item, true);
      return legal_(with);
    });
  }

  const ChainSpace& space_;
  int memory_;
  std::int64_t excess_;
  const Legal& legal_;
  const Visit& visit_;
  std::vector<ItemId> items_, dropped_;
  std::vector<std::int64_t> left_;  // bytes of items from k on
};

void ChainSpace::make_room(const ChainState& state, int memory, std::int64_t excess,
                           const Legal& legal, const Visit& visit) const {
  if (excess <= 0) {
    if (legal(state)) visit(state);
    return;
  }
  Room(*this, memory, excess, legal, visit).find(state);
}

bool ChainSpace::can_run_backward(const ChainState& state) const {
  const int i = state.backwards - 1;
  return (!chain_.has_tape(i) || has(state, 0, tape(i))) &&
         (!chain_.reads_input[i] || has_value(state, 0, i)) &&
         (!chain_.reads_output[i] || has(state, 0, value(i + 1)));
}

std::int64_t ChainSpace::backward_excess(const ChainState& state) const {
  return used(state, 0) + chain_.backward_extra[state.backwards - 1] - capacity_[0];
}

void ChainSpace::visit_backward(const ChainState& state,
                                const std::function<void(const ChainStep&)>& visit) const {
  if (!can_run_backward(state)) return;
  const int i = state.backwards - 1;
  const auto legal = [&](const ChainState& s) { return can_run_backward(s) && respects_pins(s); };
  make_room(state, 0, backward_excess(state), legal, [&](const ChainState& before) {
    ChainStep step{{ChainAction::backward, i}, chain_.backward[i], before, before, before};
    step.after.backwards = i;
    drop_useless(step.after);
    visit(step);
  });
}

void ChainSpace::visit_forward(const ChainState& state, int i, bool saving,
                               const std::function<void(const ChainStep&)>& visit) const {
  const bool writes_value = !saving || chain_.kind[i] == Tape::beside;
  const ItemId output = value(i + 1);
  std::int64_t more = saving ? chain_.forward_extra[i] : chain_.unsaved_extra[i];
  if (saving) more += bytes(tape(i));
  ChainState without = state;  // its outputs are written anew
  if (writes_value) set(without, 0, output, false), more += bytes(output);
  const auto legal = [&](const ChainState& s) { return has_value(s, 0, i) && respects_pins(s); };
  if (!has_value(state, 0, i)) return;
  make_room(without, 0, used(without, 0) + more - capacity_[0], legal,
            [&](const ChainState& before) {
              const auto action = saving ? ChainAction::forward_saving : ChainAction::forward;
              ChainStep step{{action, i}, chain_.forward[i], before, before, {}};
              if (writes_value) set(step.written, 0, output, true);
              if (saving) set(step.written, 0, tape(i), true);
              step.after = step.written;
              drop_useless(step.after);
              if (respects_pins(step.after)) visit(step);
            });
}

void ChainSpace::visit_sending(const ChainState& state, ItemId item, int memory,
                               const std::function<void(const ChainStep&)>& visit) const {
  const std::int64_t excess = used(state, memory) + bytes(item) - capacity_[memory];
  if (bytes(item) > capacity_[memory]) return;
  const auto legal = [](const ChainState&) { return true; };
  make_room(state, memory, excess, legal, [&](const ChainState& before) {
    const double cost = copy_cost_out(slow_[memory - 1], bytes(item));
    ChainStep step{
        {ChainAction::copy, index(item), is_tape(item), 0, memory}, cost, before, before, {}};
    set(step.written, memory, item, true);
    step.after = step.written;
    set(step.after, 0, item, false);
    if (respects_pins(step.after)) visit(step);
  });
}

void ChainSpace::visit_fetching(const ChainState& state, ItemId item, int memory,
                                const std::function<void(const ChainStep&)>& visit) const {
  const std::int64_t excess = used(state, 0) + bytes(item) - capacity_[0];
  const auto legal = [&](const ChainState& s) { return respects_pins(s); };
  make_room(state, 0, excess, legal, [&](const ChainState& before) {
    const double cost = copy_cost_back(slow_[memory - 1], bytes(item));
    ChainStep step{
        {ChainAction::copy, index(item), is_tape(item), memory, 0}, cost, before, before, {}};
    set(step.written, 0, item, true);
    step.after = step.written;
    if (respects_pins(step.after)) visit(step);
  });
}

void ChainSpace::for_each_step(const ChainState& state,
                               const std::function<void(const ChainStep&)>& visit) const {
  const int next = state.backwards;
  visit_backward(state, visit);
  // Whatever else could come first could as well come after it, in at least as much memory.
  const bool backward_is_free = can_run_backward(state) && backward_excess(state) <= 0 &&
                                chain_.gradient[next - 1] <= chain_.gradient[next];
  if (backward_is_free) return;
  for (int i = 0; i < next; ++i) {
    const bool tape_missing = chain_.has_tape(i) && !has(state, 0, tape(i));
    if (tape_missing) visit_forward(state, i, true, visit);
    const bool value_useful = is_useful(state, value(i + 1));
    if (value_useful && !has_value(state, 0, i + 1)) visit_forward(state, i, false, visit);
  }
  for (int memory = 1; memory < memories(); ++memory) {
    for (ItemId item{}; item < items(); item = ItemId{item + 1}) {
      const bool fast = has(state, 0, item);
      const bool slow = has(state, memory, item);
      if (fast && !slow && bytes(item) > 0) visit_sending(state, item, memory, visit);
      if (!fast && slow) visit_fetching(state, item, memory, visit);
    }
  }
}

namespace {

void append_drops(const ChainSpace& space, const ChainState& from, const ChainState& to,
                  ChainOperations& operations) {
  for (int memory = 0; memory < space.memories(); ++memory) {
    for (ItemId item{}; item < space.items(); item = ItemId{item + 1}) {
      if (!space.has(from, memory, item) || space.has(to, memory, item)) continue;
      operations.push_back({ChainAction::drop, space.index(item), space.is_tape(item), memory, 0});
    }
  }
}

}  // namespace

void append_operations(const ChainSpace& space, const ChainState& from, const ChainStep& step,
                       ChainOperations& operations) {
  append_drops(space, from, step.before, operations);
  operations.push_back(step.step);
  append_drops(space, step.written, step.after, operations);
}

}  // namespace stint

// The states of a chain between two operations, and every way from one to the next: what the exact
// search walks over. A state is the next backward and what is stored where.
//
// Two facts keep them few. Having more stored is never worse, since dropping is free: so things are
// dropped only where room is needed, and then no more than needed; what nobody will read again goes
// at once. And a copy to a slow memory can wait until its item leaves the fast one: so copying out
// and leaving are one step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

// x_0 … x_n, then the tapes of stages 0 … n-1.
enum ItemId : int {};

struct ChainState {
  std::array<std::uint64_t, 4> stored{};  // a bit for each memory and item
  int backwards = 0;                      // still to run: the next is B_{backwards-1}
  friend bool operator==(const ChainState&, const ChainState&) = default;
};

// A way from a state to another. `step` is a computation or a copy; a copy from the fast memory
// leaves it.
struct ChainStep {
  ChainOperation step;
  double cost = 0;
  ChainState before;   // once there is room
  ChainState written;  // with what the step writes
  ChainState after;    // without what is of no more use
};

class ChainSpace {
 public:
  // `pinned`: a tape in the fast memory keeps its stage's input there, for tapes that refer to it.
  ChainSpace(const ChainArrays& chain, std::int64_t fast_bytes, const std::vector<SlowMemory>& slow,
             bool pinned);

  // Whether states of this chain fit in ChainState.
  static bool can_hold(int stages, int memories);

  ChainState start() const;
  bool is_goal(const ChainState& state) const { return state.backwards == 0; }
  void for_each_step(const ChainState& state,
                     const std::function<void(const ChainStep&)>& visit) const;

  const ChainArrays& chain() const { return chain_; }
  const std::vector<SlowMemory>& slow() const { return slow_; }
  int memories() const { return static_cast<int>(slow_.size()) + 1; }
  int items() const { return 2 * chain_.stages + 1; }
  ItemId value(int i) const { return ItemId{i}; }
  ItemId tape(int i) const { return ItemId{chain_.stages + 1 + i}; }
  bool is_tape(ItemId item) const { return item > chain_.stages; }
  int index(ItemId item) const { return is_tape(item) ? item - chain_.stages - 1 : item; }
  std::int64_t bytes(ItemId item) const {
    return is_tape(item) ? chain_.tape[index(item)] : chain_.x[index(item)];
  }
  std::int64_t fast_bytes() const { return capacity_[0]; }

  // The ways to make room are many where there is much to drop. Looking for them ends after so many
  // looks in all; then steps may be missing, and is_exhausted says so.
  void set_looks(std::int64_t looks) { looks_ = looks; }
  bool is_exhausted() const { return looks_ <= 0; }

  bool has(const ChainState& state, int memory, ItemId item) const;
  bool has_value(const ChainState& state, int memory, int i) const;  // x_i, also inside a tape

 private:
  using Legal = std::function<bool(const ChainState&)>;
  using Visit = std::function<void(const ChainState&)>;
  class Room;

  void set(ChainState& state, int memory, ItemId item, bool stored) const;
  std::int64_t used(const ChainState& state, int memory) const;
  bool is_useful(const ChainState& state, ItemId item) const;
  void drop_useless(ChainState& state) const;
  bool respects_pins(const ChainState& state) const;
  bool can_run_backward(const ChainState& state) const;
  std::int64_t backward_excess(const ChainState& state) const;
  void make_room(const ChainState& state, int memory, std::int64_t excess, const Legal& legal,
                 const Visit& visit) const;

  void visit_backward(const ChainState& state, const std::function<void(const ChainStep&)>&) const;
  void visit_forward(const ChainState& state, int i, bool saving,
                     const std::function<void(const ChainStep&)>&) const;
  void visit_sending(const ChainState& state, ItemId item, int memory,
                     const std::function<void(const ChainStep&)>&) const;
  void visit_fetching(const ChainState& state, ItemId item, int memory,
                      const std::function<void(const ChainStep&)>&) const;

  ChainArrays chain_;
  std::vector<SlowMemory> slow_;
  std::vector<std::int64_t> capacity_;  // by memory
  bool pinned_ = false;
  mutable std::int64_t looks_ = std::numeric_limits<std::int64_t>::max();
};

// The operations of one step, with every drop.
void append_operations(const ChainSpace& space, const ChainState& from, const ChainStep& step,
                       ChainOperations& operations);

}  // namespace stint

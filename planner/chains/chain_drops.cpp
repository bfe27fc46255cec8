// with_drops: the lifetime of every instance, from the operation that writes it to the last that
// reads it.
#include <algorithm>
#include <map>
#include <tuple>

#include "planner/chains/chain_problem.hpp"

namespace stint {
namespace {

using Place = std::tuple<int, bool, int>;  // memory, whether a tape, index

struct Instance {
  int written = -1;
  int last_use = -1;
};

class Lifetimes {
 public:
  explicit Lifetimes(const ChainArrays& chain, int operations)
      : chain_(chain), drops_(operations + 1) {
    live_[{0, false, 0}] = {};
  }

  void follow(int at, const ChainOperation& op) {
    const int i = op.index;
    switch (op.action) {
      case ChainAction::forward:
        read_value(at, i), write(at, {0, false, i + 1});
        break;
      case ChainAction::forward_saving:
        read_value(at, i);
        write(at, {0, true, i});
        if (chain_.kind[i] == Tape::beside) write(at, {0, false, i + 1});
        break;
      case ChainAction::backward:
        read_for_backward(at, i);
        break;
      case ChainAction::copy:
        read(at, {op.memory, op.of_tape, i});
        write(at, {op.to, op.of_tape, i});
        break;
      case ChainAction::drop:
        break;
    }
  }

  // What to drop before the first operation, and after each.
  const std::vector<std::vector<Place>>& end() {
    for (const auto& [place, instance] : live_) {
      if (!chain_.keep_input || place != Place{0, false, 0}) close(place, instance);
    }
    return drops_;
  }

 private:
  void read(int at, const Place& place) { live_.at(place).last_use = at; }

  // From the tape before it, if that is the later instance.
  void read_value(int at, int i) {
    const auto plain = live_.find({0, false, i});
    const auto taped = chain_.tape_gives(i) ? live_.find({0, true, i - 1}) : live_.end();
    const bool from_tape = taped != live_.end() &&
                           (plain == live_.end() || taped->second.written > plain->second.written);
    (from_tape ? taped : plain)->second.last_use = at;
  }

  void read_for_backward(int at, int i) {
    if (chain_.reads_input[i]) read_value(at, i);
    if (chain_.reads_output[i]) read(at, {0, false, i + 1});
    if (chain_.has_tape(i)) read(at, {0, true, i});
  }

  void write(int at, const Place& place) {
    if (const auto old = live_.find(place); old != live_.end()) close(place, old->second);
    live_[place] = {at, at};
  }

  void close(const Place& place, const Instance& instance) {
    drops_[instance.last_use + 1].push_back(place);
  }

  const ChainArrays& chain_;
  std::map<Place, Instance> live_;
  std::vector<std::vector<Place>> drops_;
};

}  // namespace

ChainOperations with_drops(const ChainArrays& chain, const ChainOperations& operations) {
  const int count = static_cast<int>(operations.size());
  Lifetimes lifetimes(chain, count);
  for (int at = 0; at < count; ++at) lifetimes.follow(at, operations[at]);
  const auto& drops = lifetimes.end();
  ChainOperations all;
  for (int at = 0; at <= count; ++at) {
    if (at > 0) all.push_back(operations[at - 1]);
    for (const auto& [memory, of_tape, index] : drops[at]) {
      all.push_back({ChainAction::drop, index, of_tape, memory, 0});
    }
  }
  return with_last_output_dropped(chain, all);
}

ChainOperations with_last_output_dropped(const ChainArrays& chain,
                                         const ChainOperations& operations) {
  if (!chain.last_output_unread) return operations;
  const ChainOperation drop{ChainAction::drop, chain.stages};
  ChainOperations all;
  for (const ChainOperation& op : operations) {
    if (op == drop) continue;
    all.push_back(op);
    if (op == ChainOperation{ChainAction::forward, chain.stages - 1}) all.push_back(drop);
  }
  return all;
}

}  // namespace stint

#include "planner/chains/chain_memory.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace stint {
namespace {

class Contents {
 public:
  Contents(const ChainArrays& chain, int memories)
      : chain_(chain), used_(memories), peak_(memories), next_(chain.stages) {
    put(0, false, 0);
  }

  void perform(const ChainOperation& op) {
    const int i = op.index;
    switch (op.action) {
      case ChainAction::forward:
        put(0, false, i + 1), pass(chain_.unsaved_extra[i]);
        break;
      case ChainAction::forward_saving:
        put(0, true, i);
        if (chain_.kind[i] == Tape::beside) put(0, false, i + 1);
        pass(chain_.forward_extra[i]);
        break;
      case ChainAction::backward:
        pass(chain_.backward_extra[i]), next_ = i;
        break;
      case ChainAction::copy:
        put(op.to, op.of_tape, i);
        break;
      case ChainAction::drop:
        take(op.memory, op.of_tape, i);
        break;
    }
  }

  const std::vector<std::int64_t>& peak() const { return peak_; }

 private:
  std::int64_t bytes(bool of_tape, int i) const { return of_tape ? chain_.tape[i] : chain_.x[i]; }

  // More bytes for a moment, beside the gradient.
  void pass(std::int64_t more) {
    peak_[0] = std::max(peak_[0], used_[0] + chain_.gradient[next_] + more);
  }

  void put(int memory, bool of_tape, int i) {
    if (there_.insert({memory, of_tape, i}).second) used_[memory] += bytes(of_tape, i);
    peak_[memory] = std::max(peak_[memory], used_[memory]);
    pass(0);
  }

  void take(int memory, bool of_tape, int i) {
    if (there_.erase({memory, of_tape, i}) > 0) used_[memory] -= bytes(of_tape, i);
  }

  const ChainArrays& chain_;
  std::set<std::tuple<int, bool, int>> there_;
  std::vector<std::int64_t> used_, peak_;
  int next_;  // the live gradient
};

}  // namespace

std::vector<std::int64_t> peak_bytes(const ChainArrays& chain, int memories,
                                     const ChainOperations& operations) {
  Contents contents(chain, memories);
  for (const ChainOperation& op : operations) contents.perform(op);
  return contents.peak();
}

ChainOperations keep_everything(const ChainArrays& chain) {
  ChainOperations all;
  for (int i = 0; i < chain.stages; ++i) {
    if (i + 1 == chain.stages && !chain.needs_forward[i]) break;
    all.push_back({chain.has_tape(i) ? ChainAction::forward_saving : ChainAction::forward, i});
  }
  for (int i = chain.stages - 1; i >= 0; --i) all.push_back({ChainAction::backward, i});
  return with_drops(chain, all);
}

std::int64_t full_memory_bytes(const ChainArrays& chain) {
  return peak_bytes(chain, 1, keep_everything(chain)).front();
}

std::int64_t largest_operation_bytes(const ChainArrays& chain) {
  std::int64_t largest = chain.x[0] + chain.gradient[chain.stages];  // before the first
  for (int i = 0; i < chain.stages; ++i) {
    const bool output = chain.reads_output[i] || chain.kind[i] == Tape::holds_output;
    const std::int64_t back = (chain.reads_input[i] ? chain.x[i] : 0) + chain.extra[i] +
                              (output ? chain.x[i + 1] : 0) + chain.gradient[i + 1] +
                              chain.backward_extra[i];
    const bool runs = i + 1 < chain.stages || chain.needs_forward[i];
    const std::int64_t least_gradient =
        *std::min_element(chain.gradient.begin() + i + 1, chain.gradient.end());
    const std::int64_t forth =
        runs ? chain.x[i] + chain.x[i + 1] + chain.unsaved_extra[i] + least_gradient : 0;
    largest = std::max({largest, back, forth});
  }
  return largest;
}

}  // namespace stint

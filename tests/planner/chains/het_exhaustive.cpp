#include "tests/planner/chains/het_exhaustive.hpp"

#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace stint {
namespace {

// Bits: x_0 … x_n and the tapes of 0 … n-1 in each memory, then whether the last forward has run,
// then the index of the live gradient.
using State = std::uint64_t;

class Walk {
 public:
  Walk(const ChainProblem& problem, std::int64_t fast_bytes, const std::vector<SlowMemory>& slow)
      : problem_(problem), slow_(slow), n_(static_cast<int>(problem.stages.size())) {
    capacities_.push_back(fast_bytes);
    for (const SlowMemory& memory : slow) capacities_.push_back(memory.bytes);
    flag_ = static_cast<int>(capacities_.size()) * (2 * n_ + 1);
  }

  std::optional<double> cost() {
    const State start = State{1} | State(n_) << (flag_ + 1);
    if (used(start, 0) <= capacities_[0]) reach(start, 0);
    while (!open_.empty()) {
      const auto [cost, state] = open_.top();
      open_.pop();
      if (cost > best_[state]) continue;
      if (gradient(state) == 0 && (!problem_.keep_input || input_somewhere(state))) return cost;
      expand(state, cost);
    }
    return std::nullopt;
  }

 private:
  int bit(int memory, bool of_tape, int i) const {
    return memory * (2 * n_ + 1) + (of_tape ? n_ + 1 + i : i);
  }
  bool has(State s, int memory, bool of_tape, int i) const {
    return s >> bit(memory, of_tape, i) & 1;
  }
  State with(State s, int memory, bool of_tape, int i) const {
    return s | State{1} << bit(memory, of_tape, i);
  }
  int gradient(State s) const { return static_cast<int>(s >> (flag_ + 1)); }

  std::int64_t bytes(bool of_tape, int i) const {
    if (of_tape) return problem_.stages[i].tape_bytes;
    return i == 0 ? problem_.input_bytes : problem_.stages[i - 1].output_bytes;
  }

  std::int64_t used(State s, int memory) const {
    std::int64_t sum = 0;
    for (int i = 0; i <= n_; ++i) sum += has(s, memory, false, i) ? bytes(false, i) : 0;
    for (int i = 0; i < n_; ++i) sum += has(s, memory, true, i) ? bytes(true, i) : 0;
    if (memory > 0) return sum;
    const int g = gradient(s);
    for (int i = g; i < n_; ++i) sum += problem_.stages[i].backward_leaves_bytes;
    return sum + (g == n_ ? problem_.seed_gradient_bytes : problem_.stages[g].gradient_bytes);
  }

  bool available(State s, int i) const {
    return has(s, 0, false, i) ||
           (i > 0 && problem_.stages[i - 1].tape == Tape::holds_output && has(s, 0, true, i - 1));
  }

  bool input_somewhere(State s) const {
    for (int memory = 0; memory < static_cast<int>(capacities_.size()); ++memory) {
      if (has(s, memory, false, 0)) return true;
    }
    return false;
  }

  void reach(State state, double cost) {
    const auto [known, is_new] = best_.try_emplace(state, cost);
    if (!is_new && known->second <= cost) return;
    known->second = cost;
    open_.push({cost, state});
  }

  void expand(State s, double cost) {
    for (int b = 0; b < flag_; ++b) {
      if (s >> b & 1) reach(s & ~(State{1} << b), cost);
    }
    for (int i = 0; i < n_; ++i) {
      forward(s, cost, i, false);
      if (problem_.stages[i].tape != Tape::none) forward(s, cost, i, true);
    }
    if (gradient(s) > 0) backward(s, cost, gradient(s) - 1);
    for (int memory = 1; memory < static_cast<int>(capacities_.size()); ++memory) {
      for (int i = 0; i <= n_; ++i) copies(s, cost, memory, false, i);
      for (int i = 0; i < n_; ++i) copies(s, cost, memory, true, i);
    }
  }

  void forward(State s, double cost, int i, bool saving) {
    const ChainStage& stage = problem_.stages[i];
    if (!available(s, i) || (i + 1 == n_ && !problem_.last_forward)) return;
    State t = s;
    if (saving) t = with(t, 0, true, i);
    if (!saving || stage.tape == Tape::beside) t = with(t, 0, false, i + 1);
    if (i + 1 == n_) t |= State{1} << flag_;
    const std::int64_t unsaved = saving ? 0 : stage.unsaved_workspace_bytes;
    if (used(t, 0) + stage.forward_workspace_bytes + unsaved > capacities_[0]) return;
    reach(t, cost + stage.forward_cost);
  }

  void backward(State s, double cost, int i) {
    const ChainStage& stage = problem_.stages[i];
    if (stage.tape != Tape::none && !has(s, 0, true, i)) return;
    if (stage.backward_reads_input && !available(s, i)) return;
    if (stage.backward_reads_output && !available(s, i + 1)) return;
    if (i + 1 == n_ && problem_.last_forward && !(s >> flag_ & 1)) return;
    const std::int64_t more = (stage.gradient_in_place ? 0 : stage.gradient_bytes) +
                              stage.backward_workspace_bytes + stage.backward_leaves_bytes;
    if (used(s, 0) + more > capacities_[0]) return;
    reach(s - (State{1} << (flag_ + 1)), cost + stage.backward_cost);
  }

  void copies(State s, double cost, int memory, bool of_tape, int i) {
    const bool fast = has(s, 0, of_tape, i);
    const bool slow = has(s, memory, of_tape, i);
    if (fast == slow) return;
    const State t = with(s, fast ? memory : 0, of_tape, i);
    if (used(t, fast ? memory : 0) > capacities_[fast ? memory : 0]) return;
    const SlowMemory& m = slow_[memory - 1];
    const auto size = static_cast<double>(bytes(of_tape, i));
    reach(t, cost + (fast ? m.write_cost + m.write_cost_per_byte * size
                          : m.read_cost + m.read_cost_per_byte * size));
  }

  using Open = std::pair<double, State>;
  const ChainProblem& problem_;
  const std::vector<SlowMemory>& slow_;
  int n_;
  int flag_ = 0;
  std::vector<std::int64_t> capacities_;
  std::unordered_map<State, double> best_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

std::optional<double> exhaustive_cost(const ChainProblem& problem, std::int64_t fast_bytes,
                                      const std::vector<SlowMemory>& slow) {
  return Walk(problem, fast_bytes, slow).cost();
}

}  // namespace stint

#include "tests/planner/chains/het_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace stint {
namespace {

using Item = std::tuple<int, bool, int>;  // memory, whether a tape, index

class Player {
 public:
  Player(const ChainProblem& problem, const std::vector<std::int64_t>& capacities,
         const std::vector<SlowMemory>& slow, bool pinned)
      : problem_(problem), capacities_(capacities), slow_(slow), pinned_(pinned) {
    stored_.insert({0, false, 0});
    gradient_ = static_cast<int>(problem.stages.size());
    result_.peak_bytes.assign(capacities.size(), 0);
    charge(0);
  }

  ChainReplay play(const ChainOperations& operations) {
    for (const ChainOperation& op : operations) {
      perform(op);
      if (pinned_) check_pins();
    }
    if (gradient_ != 0) fault("the first gradient is missing");
    if (problem_.keep_input && !anywhere(false, 0)) fault("the input is gone");
    return result_;
  }

 private:
  void perform(const ChainOperation& op) {
    switch (op.action) {
      case ChainAction::forward:
        return forward(op.index, false);
      case ChainAction::forward_saving:
        return forward(op.index, true);
      case ChainAction::backward:
        return backward(op.index);
      case ChainAction::copy:
        return copy(op);
      case ChainAction::drop:
        if (stored_.erase({op.memory, op.of_tape, op.index}) == 0) fault("drops what is not there");
    }
  }

  void forward(int i, bool saving) {
    const ChainStage& stage = problem_.stages.at(i);
    const bool is_last = i + 1 == static_cast<int>(problem_.stages.size());
    if (is_last && !problem_.last_forward) fault("runs a forward that does not exist");
    if (!available(i)) fault(fmt::format("F{} finds no input", i));
    if (saving && stage.tape == Tape::none) fault("saves a tape that does not exist");
    if (saving) store({0, true, i});
    if (!saving || stage.tape == Tape::beside) store({0, false, i + 1});
    charge(stage.forward_workspace_bytes + (saving ? 0 : stage.unsaved_workspace_bytes));
    result_.cost += stage.forward_cost;
    last_ran_ = last_ran_ || is_last;
  }

  void backward(int i) {
    const ChainStage& stage = problem_.stages.at(i);
    const bool is_last = i + 1 == static_cast<int>(problem_.stages.size());
    if (gradient_ != i + 1) fault(fmt::format("B{} is not next", i));
    if (is_last && problem_.last_forward && !last_ran_) fault("the last forward never ran");
    if (stage.tape != Tape::none && !stored_.contains({0, true, i})) fault("a tape is missing");
    if (stage.backward_reads_input && !available(i)) fault(fmt::format("B{} finds no input", i));
    if (stage.backward_reads_output && !available(i + 1)) fault("an output is missing");
    charge((stage.gradient_in_place ? 0 : stage.gradient_bytes) + stage.backward_workspace_bytes +
           stage.backward_leaves_bytes);
    left_ += stage.backward_leaves_bytes;
    gradient_ = i;
    charge(0);
    result_.cost += stage.backward_cost;
  }

  void copy(const ChainOperation& op) {
    if (!stored_.contains({op.memory, op.of_tape, op.index})) fault("copies what is not there");
    if ((op.memory == 0) == (op.to == 0)) fault("copies between slow memories");
    const auto size = static_cast<double>(bytes({0, op.of_tape, op.index}));
    if (op.to > 0) {
      const SlowMemory& memory = slow_.at(op.to - 1);
      result_.cost += memory.write_cost + memory.write_cost_per_byte * size;
    } else {
      const SlowMemory& memory = slow_.at(op.memory - 1);
      result_.cost += memory.read_cost + memory.read_cost_per_byte * size;
    }
    store({op.to, op.of_tape, op.index});
  }

  void store(const Item& item) {
    if (!stored_.insert(item).second) fault("writes what is there already");
    charge(0);
  }

  bool available(int i) const {
    const bool in_tape = i > 0 && problem_.stages[i - 1].tape == Tape::holds_output &&
                         stored_.contains({0, true, i - 1});
    return in_tape || stored_.contains({0, false, i});
  }

  bool anywhere(bool of_tape, int i) const {
    for (int memory = 0; memory < static_cast<int>(capacities_.size()); ++memory) {
      if (stored_.contains({memory, of_tape, i})) return true;
    }
    return false;
  }

  std::int64_t bytes(const Item& item) const {
    const auto [memory, of_tape, i] = item;
    if (of_tape) return problem_.stages[i].tape_bytes;
    return i == 0 ? problem_.input_bytes : problem_.stages[i - 1].output_bytes;
  }

  void charge(std::int64_t more) {
    const int n = static_cast<int>(problem_.stages.size());
    std::vector<std::int64_t> used(capacities_.size());
    for (const Item& item : stored_) used[std::get<0>(item)] += bytes(item);
    used[0] +=
        more + left_ +
        (gradient_ == n ? problem_.seed_gradient_bytes : problem_.stages[gradient_].gradient_bytes);
    for (std::size_t k = 0; k < used.size(); ++k) {
      result_.peak_bytes[k] = std::max(result_.peak_bytes[k], used[k]);
      if (used[k] > capacities_[k]) fault(fmt::format("memory {} holds {}", k, used[k]));
    }
  }

  void check_pins() {
    for (int i = 0; i < static_cast<int>(problem_.stages.size()); ++i) {
      if (i < gradient_ && stored_.contains({0, true, i}) && !available(i)) fault("a pin is gone");
    }
  }

  void fault(const std::string& what) {
    if (result_.fault.empty()) result_.fault = what;
  }

  const ChainProblem& problem_;
  const std::vector<std::int64_t>& capacities_;
  const std::vector<SlowMemory>& slow_;
  bool pinned_;
  std::set<Item> stored_;
  int gradient_ = 0;
  std::int64_t left_ = 0;
  bool last_ran_ = false;
  ChainReplay result_;
};

}  // namespace

ChainReplay replay(const ChainProblem& problem, const std::vector<std::int64_t>& capacities,
                   const std::vector<SlowMemory>& slow, const ChainOperations& operations,
                   bool pinned) {
  return Player(problem, capacities, slow, pinned).play(operations);
}

}  // namespace stint

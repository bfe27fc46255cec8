#include "tests/planner/chains/sync_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stint {

namespace {

class Machine {
 public:
  explicit Machine(const SyncProblem& problem)
      : problem_(problem), next_(problem.length), held_(problem.levels.size()) {}

  SyncReplay run(const std::vector<SyncStep>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string fault = obey(steps[i]);
      if (!fault.empty()) {
        replay_.fault = fmt::format("step {}: {}", i, fault);
        return replay_;
      }
    }
    if (next_ != -1) replay_.fault = fmt::format("backward {} is missing", next_);
    return replay_;
  }

 private:
  std::string obey(const SyncStep& step) {
    switch (step.action) {
      case SyncAction::forward:
        return forward(step);
      case SyncAction::backward:
        return backward(step);
      default:
        break;
    }
    if (step.level < 0 || step.level >= static_cast<int>(held_.size())) return "no such level";
    if (step.action == SyncAction::write) return write(step);
    if (!held_[step.level].contains(step.index)) return fmt::format("{} not held", step.index);
    if (step.action == SyncAction::read) {
      read(step);
    } else {
      held_[step.level].erase(step.index);
    }
    return "";
  }

  std::string forward(const SyncStep& step) {
    if (buffer_ != step.index) return "forward without its input";
    if (step.until <= step.index || step.until > problem_.length) return "no such forward";
    buffer_ = step.until;
    replay_.cost += static_cast<double>(step.until - step.index) * problem_.forward_cost;
    return "";
  }

  std::string backward(const SyncStep& step) {
    if (buffer_ != step.index) return "backward without its input";
    if (next_ != step.index) return "backward out of order";
    buffer_ = -1;
    --next_;
    replay_.cost += problem_.backward_cost;
    return "";
  }

  std::string write(const SyncStep& step) {
    auto& held = held_[step.level];
    if (buffer_ != step.index) return "write of what is not in the buffer";
    if (held.contains(step.index)) return "written twice";
    if (static_cast<std::int64_t>(held.size()) >= problem_.levels[step.level].slots) return "full";
    held[step.index] = 0;
    replay_.cost += problem_.levels[step.level].write_cost;
    return "";
  }

  void read(const SyncStep& step) {
    buffer_ = step.index;
    const int reads = ++held_[step.level][step.index];
    if (step.level > 0) replay_.most_reads = std::max(replay_.most_reads, reads);
    replay_.cost += problem_.levels[step.level].read_cost;
  }

  const SyncProblem& problem_;
  std::int64_t buffer_ = 0;
  std::int64_t next_;
  std::vector<std::map<std::int64_t, int>> held_;  // reads by index
  SyncReplay replay_;
};

}  // namespace

SyncReplay replay_sync(const SyncProblem& problem, const std::vector<SyncStep>& steps) {
  return Machine(problem).run(steps);
}

}  // namespace stint

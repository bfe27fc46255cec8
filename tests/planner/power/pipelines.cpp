#include "tests/planner/power/pipelines.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace stint {
namespace {

using OpKey = std::tuple<char, int, int>;  // kind, micro-batch, stage

OpKey key(const PipelineOp& op) { return {op.kind, op.microbatch, op.stage}; }

// What the operation waits for beside the one before it in its stage, and whether a message comes
// between.
std::optional<std::pair<OpKey, bool>> need(const PipelineOp& op, int stages) {
  if (op.kind == 'W') return std::pair(OpKey{'B', op.microbatch, op.stage}, false);
  if (op.kind == 'B' && op.stage == stages - 1)
    return std::pair(OpKey{'F', op.microbatch, op.stage}, false);
  const int from = op.kind == 'F' ? op.stage - 1 : op.stage + 1;
  if (from < 0) return std::nullopt;
  return std::pair(OpKey{op.kind, op.microbatch, from}, true);
}

class Building {
 public:
  Building(const Pipeline& pipeline, double message_seconds, const PipelineChoices& choices)
      : pipeline_(pipeline), message_seconds_(message_seconds), choices_(choices) {
    built_.place.resize(pipeline.stages);
  }

  PipelinePower build() {
    std::size_t left = 0;
    for (const auto& list : pipeline_.order) left += list.size();
    while (left > 0) {
      const std::size_t before = left;
      for (int stage = 0; stage < pipeline_.stages; ++stage) {
        while (add_next(stage)) --left;
      }
      if (left == before) throw std::logic_error("the pipeline's order has a cycle");
    }
    return std::move(built_);
  }

 private:
  bool add_next(int stage) {
    auto& place = built_.place[stage];
    const auto& list = pipeline_.order[stage];
    if (place.size() == list.size()) return false;
    const PipelineOp& op = list[place.size()];
    PowerAction action;
    if (const auto other = need(op, pipeline_.stages)) {
      const auto known = added_.find(other->first);
      if (known == added_.end()) return false;
      const bool is_message = other->second && message_seconds_ > 0;
      action.after.push_back(is_message ? message(known->second) : known->second);
    }
    if (!place.empty()) action.after.push_back(place.back());
    action.choices = choices_(op);
    if (action.choices.size() > 1) action.group = built_.problem.groups++;
    place.push_back(add(std::move(action)));
    added_[key(op)] = place.back();
    return true;
  }

  int message(int from) {
    PowerAction action;
    action.choices = {{message_seconds_, 0}};
    action.after = {from};
    return add(std::move(action));
  }
  int add(PowerAction action) {
    built_.problem.actions.push_back(std::move(action));
    return static_cast<int>(built_.problem.actions.size()) - 1;
  }

  const Pipeline& pipeline_;
  double message_seconds_;
  const PipelineChoices& choices_;
  std::map<OpKey, int> added_;
  PipelinePower built_;
};

}  // namespace

Pipeline gpipe(int stages, int microbatches) {
  Pipeline pipeline{stages, {}};
  for (int stage = 0; stage < stages; ++stage) {
    auto& list = pipeline.order.emplace_back();
    for (int m = 0; m < microbatches; ++m) list.push_back({'F', m, stage});
    for (int m = microbatches; m-- > 0;) list.push_back({'B', m, stage});
  }
  return pipeline;
}

Pipeline one_forward_one_backward(int stages, int microbatches) {
  Pipeline pipeline{stages, {}};
  for (int stage = 0; stage < stages; ++stage) {
    auto& list = pipeline.order.emplace_back();
    int forward = 0;
    const int ahead = std::min(microbatches, stages - stage);
    while (forward < ahead) list.push_back({'F', forward++, stage});
    for (int backward = 0; backward < microbatches; ++backward) {
      list.push_back({'B', backward, stage});
      if (forward < microbatches) list.push_back({'F', forward++, stage});
    }
  }
  return pipeline;
}

PipelinePower pipeline_power(const Pipeline& pipeline, double message_seconds,
                             const PipelineChoices& choices) {
  return Building(pipeline, message_seconds, choices).build();
}

}  // namespace stint

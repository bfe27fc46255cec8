#include "models/training/weight_versions.hpp"

#include <algorithm>

namespace stint {
WeightVersions::WeightVersions(const Training& training, const PipelinedOrder& order) {
  for (std::size_t i = 0; i < training.operations.size(); ++i) {
    if (!is_update(training.operations[i])) continue;
    const ValueId weight = training.operations[i].updates[0];
    behind_[weight] = order.stages - 1 - order.stage[i];
    newest_[weight] = 0;
  }
  find_stashed(training, order);
  for (auto& [weight, version] : newest_) version = 0;
}

std::int64_t WeightVersions::version(ValueId weight, std::int64_t microbatch) const {
  return std::max<std::int64_t>(0, microbatch - behind_.at(weight));
}

// The whole order once, as if all versions were kept.
void WeightVersions::find_stashed(const Training& training, const PipelinedOrder& order) {
  for (const StageTurn& turn : order.turns) {
    for (const int i : order.operations_of(turn)) {
      const Operation& operation = training.operations[i];
      for (const ValueId read : operation.reads) {
        if (!is_updated(read)) continue;
        const std::int64_t seen = version(read, turn.microbatch);
        if (seen != newest(read)) stashed_.emplace(read, seen);
      }
      if (is_update(operation)) update(operation.updates[0]);
    }
  }
}

}  // namespace stint

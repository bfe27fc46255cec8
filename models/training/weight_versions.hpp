// Which version of its weights a micro-batch sees where stages run ahead (pipelined_order.hpp), and
// which versions must be stashed for it: copied before the update that replaces them, because a
// backward, or a later stage that shares the weight, still reads them. A weight belongs to the
// stage that updates it; version k of it has seen the updates of micro-batches 0 … k − 1.
//
// With d stages behind its own, micro-batch j reads version max(0, j − d) everywhere. The newest
// version is the state itself, so d + 1 versions are there at most. Followed along the listed
// order: read() and update() are asked in the order of the tasks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "models/training/pipelined_order.hpp"

namespace stint {

class WeightVersions {
 public:
  WeightVersions(const Training& training, const PipelinedOrder& order);

  bool is_updated(ValueId weight) const { return behind_.contains(weight); }

  std::int64_t version(ValueId weight, std::int64_t microbatch) const;
  std::int64_t newest(ValueId weight) const { return newest_.at(weight); }
  // Somebody reads the newest version after the next update.
  bool must_be_stashed(ValueId weight) const { return stashed_.contains({weight, newest(weight)}); }
  void update(ValueId weight) { ++newest_.at(weight); }

 private:
  void find_stashed(const Training& training, const PipelinedOrder& order);

  std::map<ValueId, std::int64_t> behind_;  // d, by weight
  std::map<ValueId, std::int64_t> newest_;
  std::set<std::pair<ValueId, std::int64_t>> stashed_;
};

}  // namespace stint

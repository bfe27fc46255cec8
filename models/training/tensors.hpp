// The tensors that values become: bytes, names, and which are parts of which.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/lowering.hpp"
#include "models/training/layer_pieces.hpp"
#include "models/training/training.hpp"

namespace stint {

// Samples of a micro-batch, half-open.
struct SampleRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - begin; }
};

class StepTensors {
 public:
  StepTensors(const Training& training, const Lowering& lowering, Graph& graph);

  std::int64_t samples() const { return samples_; }  // of a micro-batch

  bool has_samples(ValueId id) const { return product(value(id).shape).per_sample; }
  // Whether it can be done for some samples at a time: there are any, side by side in memory.
  bool can_be_cut(const Operation& operation) const;

  // The tensor of a value in a micro-batch; state has one per replica, whichever computes that
  // micro-batch. Made when first asked for.
  TensorId of(ValueId id, std::int64_t microbatch);
  TensorId state_of(ValueId id, std::int64_t replica);
  TensorId part(ValueId id, std::int64_t microbatch, SampleRange samples);

  // So many elements of a tensor of floats, whatever their order. Made when first asked for.
  TensorId range(TensorId whole, ElementRange elements);
  std::int64_t elements(TensorId tensor) const;
  static std::string text(ElementRange range);

  // A tensor like the value's, under a name of its own.
  TensorId add_like(ValueId id, const std::string& name);

  // Makes the pieces parts of the whole, one after the other, if they are not parts of anything yet
  // and their bytes lie side by side along that dimension; else does nothing and says so.
  bool try_views(const std::vector<ValueId>& pieces, ValueId whole, std::size_t axis,
                 std::int64_t microbatch);

  // "conv1#1": the name in a micro-batch, if there are several.
  std::string name_in(const std::string& name, std::int64_t microbatch) const;
  static std::string name_at(const std::string& name, std::int64_t replica);

 private:
  // Rows are made when first asked for: there may be many micro-batches that are never lowered.
  TensorId& entry(std::vector<TensorId>& row, ValueId id) const;
  const Value& value(ValueId id) const { return training_.values[id]; }
  ValueId root_of(ValueId id) const;
  std::int64_t bytes_of_samples(ValueId id, std::int64_t samples) const;
  bool lie_side_by_side(ValueId whole, std::size_t axis) const;
  TensorId add(Tensor tensor);

  const Training& training_;
  const Lowering& lowering_;
  Graph& graph_;
  std::int64_t samples_;
  std::vector<std::vector<TensorId>> tensors_;  // [micro-batch, or replica for state][root value]
  std::vector<std::vector<TensorId>> state_;
  std::map<std::tuple<TensorId, std::int64_t, std::int64_t>, TensorId> parts_;
  std::map<std::tuple<TensorId, std::int64_t, std::int64_t>, TensorId> ranges_;
};

}  // namespace stint

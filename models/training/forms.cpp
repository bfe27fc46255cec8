// Layers that put the same elements together in another way: copies, unless bytes allow a view.
#include <algorithm>

#include "models/training/kinds.hpp"

namespace stint {
namespace {

// A permutation that only moves dimensions of 1 leaves the bytes where they are.
bool keeps_bytes(const Transpose& layer, const Shape& input) {
  std::vector<std::int64_t> moved;
  for (const std::int64_t from : layer.order) {
    if (input[from] != Dimension{1}) moved.push_back(from);
  }
  return std::is_sorted(moved.begin(), moved.end());
}

void emit_copies(Operation operation, std::vector<ValueId> reads, std::vector<ValueId> writes,
                 TrainingBuilder& builder) {
  operation.reads = std::move(reads);
  operation.writes = std::move(writes);
  builder.emit(std::move(operation));
}

// The reverse of a copy, likewise from the output's gradient to the input's.
void emit_copy_back(const AppliedLayer& at, TrainingBuilder& builder) {
  if (!builder.wants_gradient(at.inputs[0])) return;
  emit_copies(operation_of(at, "backward", Phase::backward), at.output_gradients,
              {builder.new_gradient(at.inputs[0], at)}, builder);
}

}  // namespace

bool is_view(const LayerKind& kind, const std::vector<Shape>& inputs) {
  if (const auto* transpose = std::get_if<Transpose>(&kind))
    return keeps_bytes(*transpose, inputs[0]);
  if (const auto* dropout = std::get_if<Dropout>(&kind)) return dropout->probability == 0;
  if (const auto* affine = std::get_if<Affine>(&kind)) return *affine == Affine{};
  if (std::holds_alternative<Concat>(kind)) return inputs.size() == 1;
  if (const auto* split = std::get_if<Split>(&kind)) return split->sizes.size() == 1;
  return std::holds_alternative<Reshape>(kind) || std::holds_alternative<Flatten>(kind);
}

void forward(const Concat&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_copies(operation_of(at, "forward", Phase::forward), at.inputs, at.outputs, builder);
}

// All gradients are written, wanted or not: they tile the output's, so that they may be views of
// it.
void backward(const Concat&, const AppliedLayer& at, TrainingBuilder& builder) {
  std::vector<ValueId> gradients;
  for (const ValueId input : at.inputs) {
    gradients.push_back(builder.new_gradient_wanted_or_not(input, at));
  }
  emit_copies(operation_of(at, "backward", Phase::backward), at.output_gradients, gradients,
              builder);
}

void forward(const Split&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_copies(operation_of(at, "forward", Phase::forward), at.inputs, at.outputs, builder);
}
void backward(const Split&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_copy_back(at, builder);
}

void forward(const Transpose&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_copies(operation_of(at, "forward", Phase::forward), at.inputs, at.outputs, builder);
}
void backward(const Transpose&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_copy_back(at, builder);
}

void forward(const Reorder&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_copies(operation_of(at, "forward", Phase::forward), at.inputs, at.outputs, builder);
}
void backward(const Reorder&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_copy_back(at, builder);
}

}  // namespace stint

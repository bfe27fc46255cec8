// Layers that work element by element: what each reads backward is what its derivative is made of.
#include "models/training/kinds.hpp"

namespace stint {
namespace {

void forward_elements(const AppliedLayer& at, std::int64_t flops, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), {at.inputs[0]}, at.outputs[0], flops,
                builder);
}

// dx from `kept` (or nothing) and dy, in dy's place.
void backward_elements(const AppliedLayer& at, std::vector<ValueId> kept, std::int64_t flops,
                       TrainingBuilder& builder) {
  if (!builder.wants_gradient(at.inputs[0])) return;
  kept.push_back(at.output_gradients[0]);
  emit_elements(operation_of(at, "backward", Phase::backward), std::move(kept),
                builder.new_gradient(at.inputs[0], at), flops, builder);
}

// Whether the second input has fewer elements, each of which stands for several of the first.
bool broadcasts(const AppliedLayer& at, const TrainingBuilder& builder) {
  return builder.value(at.inputs[0]).shape != builder.value(at.inputs[1]).shape;
}

// What is read last may be overwritten: not the smaller one.
std::vector<ValueId> smaller_first(const AppliedLayer& at, const TrainingBuilder& builder) {
  if (!broadcasts(at, builder)) return at.inputs;
  return {at.inputs[1], at.inputs[0]};
}

// The gradient of the smaller input: products of what is read, summed over what each element stands
// for.
void emit_sums(Operation operation, std::vector<ValueId> reads, ValueId smaller,
               const AppliedLayer& at, TrainingBuilder& builder) {
  operation.effort.element_flops =
      scaled(builder.elements(reads[0]), static_cast<std::int64_t>(reads.size()));
  operation.reads = std::move(reads);
  operation.writes = {builder.new_gradient(smaller, at)};
  builder.emit(std::move(operation));
}

// Counts of flops of functions are conventions; a multiply-add is two.
constexpr std::int64_t exponential_flops = 4;
constexpr std::int64_t gelu_flops = 12;

}  // namespace

void emit_elements(Operation operation, std::vector<ValueId> reads, ValueId output,
                   std::int64_t flops, TrainingBuilder& builder) {
  operation.may_overwrite = {{output, reads.back()}};
  operation.reads = std::move(reads);
  operation.writes = {output};
  operation.effort.element_flops = scaled(builder.elements(output), flops);
  builder.emit(std::move(operation));
}

void forward(const Relu&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, 1, builder);
}

// The sign of the output is that of the input, so either will do: the input only if someone else
// keeps it already and nobody keeps the output.
void backward(const Relu&, const AppliedLayer& at, TrainingBuilder& builder) {
  const bool input_is_kept =
      builder.is_read_backward(at.inputs[0]) && !builder.is_read_backward(at.outputs[0]);
  backward_elements(at, {input_is_kept ? at.inputs[0] : at.outputs[0]}, 1, builder);
}

void forward(const Gelu&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, gelu_flops, builder);
}
void backward(const Gelu&, const AppliedLayer& at, TrainingBuilder& builder) {
  backward_elements(at, {at.inputs[0]}, 2 * gelu_flops, builder);
}

void forward(const Sigmoid&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, exponential_flops + 2, builder);
}
void backward(const Sigmoid&, const AppliedLayer& at, TrainingBuilder& builder) {
  backward_elements(at, {at.outputs[0]}, 3, builder);
}

void forward(const Tanh&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, exponential_flops + 3, builder);
}
void backward(const Tanh&, const AppliedLayer& at, TrainingBuilder& builder) {
  backward_elements(at, {at.outputs[0]}, 3, builder);
}

void forward(const Affine&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, 2, builder);
}
void backward(const Affine&, const AppliedLayer& at, TrainingBuilder& builder) {
  backward_elements(at, {}, 1, builder);
}

// The mask is computed again from its counter.
void forward(const Dropout&, AppliedLayer& at, TrainingBuilder& builder) {
  forward_elements(at, 2, builder);
}
void backward(const Dropout&, const AppliedLayer& at, TrainingBuilder& builder) {
  backward_elements(at, {}, 2, builder);
}

void forward(const Bias&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), {at.parameters[0], at.inputs[0]},
                at.outputs[0], 1, builder);
}

void backward(const Bias&, const AppliedLayer& at, TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  Operation weights = operation_of(at, "backward_weights", Phase::backward);
  weights.reads = {dy};
  weights.writes = {builder.new_gradient(at.parameters[0], at)};
  weights.effort.element_flops = builder.elements(dy);
  builder.emit(std::move(weights));
  if (builder.wants_gradient(at.inputs[0])) builder.pass_gradient(at.inputs[0], dy, at);
}

void forward(const Scale&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), {at.parameters[0], at.inputs[0]},
                at.outputs[0], 1, builder);
}

void backward(const Scale&, const AppliedLayer& at, TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  Operation weights = operation_of(at, "backward_weights", Phase::backward);
  weights.reads = {at.inputs[0], dy};
  weights.writes = {builder.new_gradient(at.parameters[0], at)};
  weights.effort.element_flops = scaled(builder.elements(dy), 2);
  builder.emit(std::move(weights));
  if (!builder.wants_gradient(at.inputs[0])) return;
  emit_elements(operation_of(at, "backward_data", Phase::backward), {at.parameters[0], dy},
                builder.new_gradient(at.inputs[0], at), 1, builder);
}

void forward(const Add&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), smaller_first(at, builder),
                at.outputs[0], static_cast<std::int64_t>(at.inputs.size()) - 1, builder);
}

void backward(const Add&, const AppliedLayer& at, TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  for (const ValueId input : at.inputs) {
    if (!builder.wants_gradient(input)) continue;
    if (builder.value(input).shape == builder.value(dy).shape)
      builder.pass_gradient(input, dy, at);
    else
      emit_sums(operation_of(at, "backward_b", Phase::backward), {dy}, input, at, builder);
  }
}

void forward(const Mul&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), smaller_first(at, builder),
                at.outputs[0], 1, builder);
}

void backward(const Mul&, const AppliedLayer& at, TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  const auto emit = [&](const char* what, ValueId factor, ValueId other) {
    if (!builder.wants_gradient(other)) return;
    emit_elements(operation_of(at, what, Phase::backward), {factor, dy},
                  builder.new_gradient(other, at), 1, builder);
  };
  emit("backward_a", at.inputs[1], at.inputs[0]);
  if (!broadcasts(at, builder)) return emit("backward_b", at.inputs[0], at.inputs[1]);
  if (builder.wants_gradient(at.inputs[1]))
    emit_sums(operation_of(at, "backward_b", Phase::backward), {at.inputs[0], dy}, at.inputs[1], at,
              builder);
}

}  // namespace stint

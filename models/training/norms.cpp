// Normalisations. Their statistics are small values of their own, so that what is large can be
// computed again without a pass over the batch.
#include "models/training/kinds.hpp"

namespace stint {
namespace {

// dweight and dbias, in the order of the parameters; the gradients are returned for those who need
// the sums.
std::vector<ValueId> emit_backward_weights(const AppliedLayer& at, std::size_t count,
                                           TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  Operation operation = operation_of(at, "backward_weights", Phase::backward);
  operation.reads = {at.inputs[0], at.kept, dy};
  for (std::size_t i = 0; i < count; ++i)
    operation.writes.push_back(builder.new_gradient(at.parameters[i], at));
  operation.effort.element_flops = scaled(builder.elements(dy), 5);
  const std::vector<ValueId> gradients = operation.writes;
  builder.emit(std::move(operation));
  return gradients;
}

// The elements of one channel.
Dimension elements_of_channel(const AppliedLayer& at, const TrainingBuilder& builder) {
  Shape shape = builder.value(at.inputs[0]).shape;
  shape.erase(shape.begin() + 1);
  return product(shape);
}

}  // namespace

// Statistics, the normalisation and the running averages are three operations: the second can be
// repeated without the first, the third runs once.
void forward(const BatchNorm&, AppliedLayer& at, TrainingBuilder& builder) {
  const Shape& channels = builder.value(at.parameters[0]).shape;
  at.kept = builder.add_value({.name = at.name + ".statistics", .shape = {{2}, channels[0]}});
  Operation statistics = operation_of(at, "statistics", Phase::forward);
  statistics.reads = {at.inputs[0]};
  statistics.writes = {at.kept};
  statistics.effort.element_flops = scaled(builder.elements(at.inputs[0]), 4);
  statistics.combine = Combine::moments;
  builder.emit(std::move(statistics));

  emit_elements(operation_of(at, "forward", Phase::forward),
                {at.kept, at.parameters[0], at.parameters[1], at.inputs[0]}, at.outputs[0], 2,
                builder);

  Operation running = operation_of(at, "running", Phase::update);
  running.reads = {at.kept};
  running.updates = {at.parameters[2], at.parameters[3]};
  running.averaged_over = elements_of_channel(at, builder);
  running.effort.element_flops = scaled(channels[0], 6);
  builder.emit(std::move(running));
}

void backward(const BatchNorm&, const AppliedLayer& at, TrainingBuilder& builder) {
  const auto sums = emit_backward_weights(at, 2, builder);
  if (!builder.wants_gradient(at.inputs[0])) return;
  Operation data = operation_of(at, "backward_data", Phase::backward);
  data.averaged_over = elements_of_channel(at, builder);
  emit_elements(std::move(data),
                {at.inputs[0], at.kept, at.parameters[0], sums[0], sums[1], at.output_gradients[0]},
                builder.new_gradient(at.inputs[0], at), 7, builder);
}

void forward(const LayerNorm& layer, AppliedLayer& at, TrainingBuilder& builder) {
  const Shape& input = builder.value(at.inputs[0]).shape;
  Shape rows(input.begin(),
             input.begin() + static_cast<std::ptrdiff_t>(axis_of(layer.axis, input)));
  rows.push_back({2});
  at.kept = builder.add_value({.name = at.name + ".statistics", .shape = rows});
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = at.parameters;
  operation.reads.push_back(at.inputs[0]);
  operation.writes = {at.outputs[0], at.kept};
  operation.may_overwrite = {{at.outputs[0], at.inputs[0]}};
  operation.effort.element_flops = scaled(builder.elements(at.inputs[0]), 8);
  builder.emit(std::move(operation));
}

void backward(const LayerNorm&, const AppliedLayer& at, TrainingBuilder& builder) {
  emit_backward_weights(at, at.parameters.size(), builder);
  if (!builder.wants_gradient(at.inputs[0])) return;
  emit_elements(operation_of(at, "backward_data", Phase::backward),
                {at.inputs[0], at.kept, at.parameters[0], at.output_gradients[0]},
                builder.new_gradient(at.inputs[0], at), 11, builder);
}

void forward(const LocalResponseNorm& layer, AppliedLayer& at, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = at.inputs;
  operation.writes = at.outputs;
  operation.effort.element_flops = scaled(builder.elements(at.inputs[0]), 2 * layer.size + 8);
  builder.emit(std::move(operation));
}

void backward(const LocalResponseNorm& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  if (!builder.wants_gradient(at.inputs[0])) return;
  Operation operation = operation_of(at, "backward", Phase::backward);
  operation.reads = {at.inputs[0], at.output_gradients[0]};
  operation.writes = {builder.new_gradient(at.inputs[0], at)};
  operation.effort.element_flops = scaled(builder.elements(at.inputs[0]), 4 * layer.size + 16);
  builder.emit(std::move(operation));
}

void forward(const Softmax&, AppliedLayer& at, TrainingBuilder& builder) {
  emit_elements(operation_of(at, "forward", Phase::forward), {at.inputs[0]}, at.outputs[0], 8,
                builder);
}

void backward(const Softmax&, const AppliedLayer& at, TrainingBuilder& builder) {
  if (!builder.wants_gradient(at.inputs[0])) return;
  emit_elements(operation_of(at, "backward", Phase::backward),
                {at.outputs[0], at.output_gradients[0]}, builder.new_gradient(at.inputs[0], at), 4,
                builder);
}

}  // namespace stint

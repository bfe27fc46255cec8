// Layers that multiply matrices, and tables of rows.
#include <utility>

#include "models/training/kinds.hpp"

namespace stint {
namespace {

Dimension rows_of(const Shape& shape) { return product({shape.begin(), shape.end() - 1}); }

struct LinearSizes {
  Dimension rows;
  Dimension width;
  Dimension features;
};

LinearSizes sizes_of(const Linear& layer, const AppliedLayer& at, const TrainingBuilder& builder) {
  const Shape& input = builder.value(at.inputs[0]).shape;
  return {rows_of(input), input.back(), {layer.features}};
}

// Of a matmul as stored: a is m × k or its transpose, b is k × n or its transpose.
MatrixProducts product_of(const Matmul& layer, const AppliedLayer& at,
                          const TrainingBuilder& builder) {
  const Shape& a = builder.value(at.inputs[0]).shape;
  const Shape& y = builder.value(at.outputs[0]).shape;
  const std::size_t rank = a.size();
  const Dimension depth = a[layer.transpose_a ? rank - 2 : rank - 1];
  return {y[rank - 2], y[rank - 1], depth, product({a.begin(), a.end() - 2})};
}

struct AttentionSizes {
  Dimension heads;      // over the batch
  Dimension queries;    // length of the sequence of queries
  Dimension keys;       // and of keys
  Dimension width;      // of a head of queries and keys
  Dimension out_width;  // of a head of values
};

AttentionSizes sizes_of(const Attention& layer, const AppliedLayer& at,
                        const TrainingBuilder& builder) {
  const Shape& q = builder.value(at.inputs[0]).shape;
  const Shape& v = builder.value(at.inputs[2]).shape;
  return {scaled(q[0], layer.heads),
          q[1],
          v[1],
          {q[2].count / layer.heads},
          {v[2].count / layer.heads}};
}

Effort product_effort(const MatrixProducts& products, RightFactor right = RightFactor::in_rows) {
  return {.products = {products}, .workspace = packing_workspace(products, right)};
}

constexpr std::int64_t softmax_flops = 8;

Effort attention_effort(const AttentionSizes& s, std::vector<MatrixProducts> products,
                        std::int64_t workspace_bytes) {
  const std::int64_t scores = product({s.queries, s.keys}).count;
  return {.products = std::move(products),
          .element_flops = scaled(s.heads, softmax_flops * scores),
          .workspace = {workspace_bytes}};
}

}  // namespace

void emit_forward(const AppliedLayer& at, Effort effort, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = {at.inputs[0]};
  operation.reads.insert(operation.reads.end(), at.parameters.begin(), at.parameters.end());
  operation.writes = at.outputs;
  operation.effort = std::move(effort);
  if (at.parameters.size() > 1) operation.effort.element_flops = builder.elements(at.outputs[0]);
  builder.emit(std::move(operation));
}

void emit_weighted_backward(const AppliedLayer& at, Effort data, Effort weights,
                            TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  Operation of_weights = operation_of(at, "backward_weights", Phase::backward);
  of_weights.reads = {at.inputs[0], dy};
  for (const ValueId parameter : at.parameters)
    of_weights.writes.push_back(builder.new_gradient(parameter, at));
  of_weights.effort = std::move(weights);
  if (at.parameters.size() > 1) of_weights.effort.element_flops = builder.elements(dy);
  builder.emit(std::move(of_weights));
  if (!builder.wants_gradient(at.inputs[0])) return;
  Operation of_data = operation_of(at, "backward_data", Phase::backward);
  of_data.reads = {at.parameters[0], dy};
  of_data.writes = {builder.new_gradient(at.inputs[0], at)};
  of_data.effort = std::move(data);
  builder.emit(std::move(of_data));
}

void forward(const Linear& layer, AppliedLayer& at, TrainingBuilder& builder) {
  const LinearSizes s = sizes_of(layer, at, builder);
  emit_forward(at, product_effort({s.rows, s.features, s.width, {1}}, RightFactor::transposed),
               builder);
}

void backward(const Linear& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  const LinearSizes s = sizes_of(layer, at, builder);
  emit_weighted_backward(at, product_effort({s.rows, s.width, s.features, {1}}),
                         product_effort({s.features, s.width, s.rows, {1}}), builder);
}

void forward(const Matmul& layer, AppliedLayer& at, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = at.inputs;
  operation.writes = at.outputs;
  operation.effort = product_effort(product_of(layer, at, builder));
  builder.emit(std::move(operation));
}

void backward(const Matmul& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  const ValueId dy = at.output_gradients[0];
  const MatrixProducts y = product_of(layer, at, builder);
  const auto emit = [&](const char* what, ValueId factor, ValueId other, MatrixProducts products) {
    if (!builder.wants_gradient(other)) return;
    Operation operation = operation_of(at, what, Phase::backward);
    operation.reads = {factor, dy};
    operation.writes = {builder.new_gradient(other, at)};
    operation.effort = product_effort(products);
    builder.emit(std::move(operation));
  };
  emit("backward_a", at.inputs[1], at.inputs[0], {y.rows, y.depth, y.columns, y.count});
  emit("backward_b", at.inputs[0], at.inputs[1], {y.depth, y.columns, y.rows, y.count});
}

// Backward computes the scores again, one head at a time, from the logarithm of their sum, so that
// no matrix of scores outlives a task. Reference: Dao et al., FlashAttention, 2022.
void forward(const Attention& layer, AppliedLayer& at, TrainingBuilder& builder) {
  const AttentionSizes s = sizes_of(layer, at, builder);
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = at.inputs;
  operation.writes = at.outputs;
  operation.effort = attention_effort(
      s, {{s.queries, s.keys, s.width, s.heads}, {s.queries, s.out_width, s.keys, s.heads}},
      attention_workspace_bytes(s.keys.count, s.width.count, 0));
  if (builder.wants_gradient(at.outputs[0])) {
    const Shape& q = builder.value(at.inputs[0]).shape;
    at.kept =
        builder.add_value({.name = at.name + ".log_sum", .shape = {q[0], {layer.heads}, q[1]}});
    operation.writes.push_back(at.kept);
  }
  builder.emit(std::move(operation));
}

// All three gradients are computed, wanted or not: they share their scores.
void backward(const Attention& layer, const AppliedLayer& at, TrainingBuilder& builder) {
  const AttentionSizes s = sizes_of(layer, at, builder);
  Operation operation = operation_of(at, "backward", Phase::backward);
  operation.reads = at.inputs;
  for (const ValueId more : {at.outputs[0], at.kept, at.output_gradients[0]})
    operation.reads.push_back(more);
  for (const ValueId input : at.inputs) {
    operation.writes.push_back(builder.new_gradient_wanted_or_not(input, at));
  }
  operation.effort =
      attention_effort(s,
                       {{s.queries, s.keys, s.width, s.heads},
                        {s.queries, s.keys, s.out_width, s.heads},
                        {s.keys, s.out_width, s.queries, s.heads},
                        {s.queries, s.width, s.keys, s.heads},
                        {s.keys, s.width, s.queries, s.heads}},
                       attention_workspace_bytes(s.keys.count, s.width.count, s.out_width.count));
  builder.emit(std::move(operation));
}

void forward(const Embedding&, AppliedLayer& at, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "forward", Phase::forward);
  operation.reads = {at.parameters[0], at.inputs[0]};
  operation.writes = at.outputs;
  operation.effort.touched_bytes = scaled(builder.elements(at.outputs[0]), bytes_of(Element::f32));
  builder.emit(std::move(operation));
}

void backward(const Embedding&, const AppliedLayer& at, TrainingBuilder& builder) {
  Operation operation = operation_of(at, "backward_weights", Phase::backward);
  operation.reads = {at.inputs[0], at.output_gradients[0]};
  operation.writes = {builder.new_gradient(at.parameters[0], at)};
  operation.effort.element_flops = builder.elements(at.output_gradients[0]);
  builder.emit(std::move(operation));
}

}  // namespace stint

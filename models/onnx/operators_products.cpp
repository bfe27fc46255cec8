// Products with weights, which become linear layers and embeddings, and of activations.
#include <fmt/format.h>

#include "models/onnx/fold_numbers.hpp"
#include "models/onnx/translation.hpp"

namespace stint {
namespace {

void expect_matrix(const OnnxConstant& weight) {
  if (weight.shape.size() != 2)
    throw OnnxUnsupported(fmt::format("with a weight of {} dimensions", weight.shape.size()));
}

// [1, n] and a single number as [n].
OnnxConstant as_vector(OnnxConstant constant) {
  while (constant.shape.size() > 1 && constant.shape.front() == 1)
    constant.shape.erase(constant.shape.begin());
  if (constant.shape.empty()) constant.shape = {1};
  return constant;
}

// `weight` is [features, inputs], as a linear layer has it.
void make_linear(OnnxTranslation& t, const OnnxNode& node, const OnnxConstant& weight) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const bool bias = has_input(node, 2);
  std::vector<OnnxParameter> parameters = {{"weight", weight}};
  if (bias) parameters.push_back({"bias", as_vector(t.scope.constant(node, 2))});
  t.make(node, Linear{weight.shape[0], bias, t.builder.layer_with_weight(weight)}, {x}, parameters);
}

// Also of more dimensions than ONNX has it: so MatMul with Add comes here (fusions.hpp).
void gemm(OnnxTranslation& t, const OnnxNode& node) {
  if (attribute(node, "alpha", 1.0) != 1 || attribute(node, "beta", 1.0) != 1)
    throw OnnxUnsupported("with alpha or beta other than 1");
  if (attribute(node, "transA", std::int64_t{0}) != 0) throw OnnxUnsupported("with transA");
  const OnnxConstant& weight = t.scope.constant(node, 1);
  expect_matrix(weight);
  const bool as_is = attribute(node, "transB", std::int64_t{0}) != 0;
  make_linear(t, node, as_is ? weight : transposed(weight, {1, 0}));
}

void matrix_product(OnnxTranslation& t, const OnnxNode& node) {
  if (t.scope.is_activation(node, 1))
    return t.make(node, Matmul{}, {t.scope.activation(node, 0), t.scope.activation(node, 1)});
  const OnnxConstant& weight = t.scope.constant(node, 1);
  expect_matrix(weight);
  make_linear(t, node, transposed(weight, {1, 0}));
}

void gather(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxConstant& table = t.scope.constant(node, 0);
  const OnnxActivation& rows = t.scope.activation(node, 1);
  expect_matrix(table);
  if (attribute(node, "axis", std::int64_t{0}) != 0) throw OnnxUnsupported("along axis 1");
  t.make(node, Embedding{table.shape[0], table.shape[1]}, {rows}, {{"weight", table}});
}

void attention(OnnxTranslation& t, const OnnxNode& node) {
  const std::int64_t heads = attribute(node, "q_num_heads", std::int64_t{0});
  for (std::size_t i = 3; i < node.inputs.size(); ++i) {
    if (has_input(node, i)) throw OnnxUnsupported("with a mask or a past");
  }
  if (heads < 1 || attribute(node, "kv_num_heads", heads) != heads)
    throw OnnxUnsupported("with unequal heads, or heads as a dimension");
  if (attribute(node, "softcap", 0.0) != 0 ||
      attribute(node, "left_window_size", std::int64_t{-1}) >= 0 ||
      attribute(node, "right_window_size", std::int64_t{-1}) >= 0)
    throw OnnxUnsupported("with softcap or a window");
  Attention layer{.heads = heads, .causal = attribute(node, "is_causal", std::int64_t{0}) != 0};
  if (find_attribute(node, "scale") != nullptr) layer.scale = attribute(node, "scale", 0.0);
  t.make(node, layer,
         {t.scope.activation(node, 0), t.scope.activation(node, 1), t.scope.activation(node, 2)});
}

}  // namespace

OnnxOperators product_operators() {
  return {{"Gemm", gemm}, {"MatMul", matrix_product}, {"Gather", gather}, {"Attention", attention}};
}

}  // namespace stint

// Products with weights, which become linear layers and embeddings, and of activations.
#include <fmt/format.h>

#include <cmath>

#include "models/onnx/fold_numbers.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/tensor_data.hpp"
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

// α x W + β b. Learned the way ONNX has it, α and β stand outside of the layer, as β (α / β x W +
// b); a single number b is none that is learned.
struct Product {
  OnnxConstant weight;  // [features, inputs], as a linear layer has it
  double alpha = 1;
  double beta = 1;
};

Linear linear_of(OnnxTranslation& t, const Product& product, bool bias) {
  return {product.weight.shape[0], bias, t.builder.layer_with_weight(product.weight)};
}

OnnxActivation scaled(OnnxTranslation& t, const OnnxNode& node, const char* step, double factor,
                      const OnnxActivation& x) {
  if (!std::isfinite(factor)) throw OnnxUnsupported("with numbers that are not finite");
  return factor == 1 ? x : t.make_before(node, step, Affine{factor, 0}, x);
}

// Where b is an activation.
void make_sum(OnnxTranslation& t, const OnnxNode& node, const Product& product) {
  const OnnxActivation x = scaled(t, node, "scaled", product.alpha, t.scope.activation(node, 0));
  const OnnxActivation addend =
      scaled(t, node, "addend", product.beta, t.scope.activation(node, 2));
  t.make(node, Add{},
         {t.make_before(node, "product", linear_of(t, product, false), x,
                        {{"weight", product.weight}}),
          addend});
}

void make_linear(OnnxTranslation& t, const OnnxNode& node, const Product& product) {
  if (has_input(node, 2) && t.scope.is_activation(node, 2)) return make_sum(t, node, product);
  const auto& [weight, alpha, beta] = product;
  const bool adds = has_input(node, 2) && beta != 0;
  const auto number = adds && weight.shape[0] != 1 ? t.scope.number(node, 2) : std::nullopt;
  const bool bias = adds && !number;
  const Affine after{bias ? beta : 1, number ? beta * *number : 0};
  if (!std::isfinite(after.offset)) throw OnnxUnsupported("with numbers that are not finite");
  const OnnxActivation x =
      scaled(t, node, "scaled", bias ? alpha / beta : alpha, t.scope.activation(node, 0));
  std::vector<OnnxParameter> parameters = {{"weight", weight}};
  if (bias) parameters.push_back({"bias", as_vector(t.scope.constant(node, 2))});
  const Linear linear = linear_of(t, product, bias);
  if (after == Affine{}) return t.make(node, linear, {x}, parameters);
  t.make(node, after, {t.make_before(node, "product", linear, x, parameters)});
}

// Also of more dimensions than ONNX has it: so MatMul with Add comes here (fusions.hpp).
void gemm(OnnxTranslation& t, const OnnxNode& node) {
  if (attribute(node, "transA", std::int64_t{0}) != 0) throw OnnxUnsupported("with transA");
  const OnnxConstant& weight = t.scope.constant(node, 1);
  expect_matrix(weight);
  const bool as_is = attribute(node, "transB", std::int64_t{0}) != 0;
  make_linear(t, node,
              {as_is ? weight : transposed(weight, {1, 0}), attribute(node, "alpha", 1.0),
               attribute(node, "beta", 1.0)});
}

void matrix_product(OnnxTranslation& t, const OnnxNode& node) {
  if (t.scope.is_activation(node, 1))
    return t.make(node, Matmul{}, {t.scope.activation(node, 0), t.scope.activation(node, 1)});
  const OnnxConstant& weight = t.scope.constant(node, 1);
  expect_matrix(weight);
  make_linear(t, node, {transposed(weight, {1, 0})});
}

// Rows of a table; those of more than one dimension take their form afterwards.
void gather(OnnxTranslation& t, const OnnxNode& node) {
  OnnxConstant table = t.scope.constant(node, 0);
  const OnnxActivation& rows = t.scope.activation(node, 1);
  if (axis_of(attribute(node, "axis", std::int64_t{0}), shape_of(table.shape)) != 0)
    throw OnnxUnsupported("along another axis than the first");
  Shape wanted = rows.type.shape;
  for (const Dimension size : shape_of(table.shape)) wanted.push_back(size);
  wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(rows.type.shape.size()));
  const std::int64_t entries = table.shape[0];
  table.shape = {entries, element_count(table.shape) / entries};
  const Embedding embedding{entries, table.shape[1]};
  if (wanted.size() == rows.type.shape.size() + 1)
    return t.make(node, embedding, {rows}, {{"weight", table}});
  t.make(node, Reshape{wanted},
         {t.make_before(node, "rows", embedding, rows, {{"weight", table}})});
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

// Element by element: activation functions, and arithmetic with numbers, weights or each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/onnx/translation.hpp"

namespace stint {
namespace {

template <typename Kind>
void simple(OnnxTranslation& t, const OnnxNode& node) {
  t.make(node, Kind{}, {t.scope.activation(node, 0)});
}

void gelu(OnnxTranslation& t, const OnnxNode& node) {
  const std::string way = attribute(node, "approximate", "none");
  if (way != "none" && way != "tanh") throw OnnxUnsupported("with an unknown approximation");
  t.make(node, Gelu{.tanh = way == "tanh"}, {t.scope.activation(node, 0)});
}

// Bounds are inputs since operator set 11, attributes before.
std::optional<double> bound(OnnxTranslation& t, const OnnxNode& node, const char* name,
                            std::size_t index) {
  if (has_input(node, index)) return t.scope.number(node, index);
  if (find_attribute(node, name) == nullptr) return std::nullopt;
  return attribute(node, name, 0.0);
}

void clip(OnnxTranslation& t, const OnnxNode& node) {
  const auto least = bound(t, node, "min", 1);
  auto most = bound(t, node, "max", 2);
  if ((has_input(node, 1) && !least) || (has_input(node, 2) && !most))
    throw OnnxUnsupported("with bounds that are no numbers");
  constexpr double largest = std::numeric_limits<float>::max();
  if (most && *most >= largest) most.reset();
  const Relu clamp{.max = most, .min = std::max(least.value_or(-largest), -largest)};
  if (clamp.min == -largest && !most) return t.pass(node, t.scope.activation(node, 0));
  t.make(node, clamp, {t.scope.activation(node, 0)});
}

void leaky_relu(OnnxTranslation& t, const OnnxNode& node) {
  const double slope = attribute(node, "alpha", 0.01);
  if (!(slope >= 0)) throw OnnxUnsupported("with a negative slope");
  t.make(node, Relu{.slope = slope}, {t.scope.activation(node, 0)});
}

// min(max(alpha x + beta, 0), 1).
void hard_sigmoid(OnnxTranslation& t, const OnnxNode& node) {
  const Affine line{attribute(node, "alpha", 0.2), attribute(node, "beta", 0.5)};
  t.make(node, Relu{.max = 1}, {t.make_before(node, "line", line, t.scope.activation(node, 0))});
}

// x times such a line.
void hard_swish(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const OnnxActivation line = t.make_before(node, "line", Affine{1.0 / 6, 0.5}, x);
  t.make(node, Mul{}, {x, t.make_before(node, "gate", Relu{.max = 1}, line)});
}

void negation(OnnxTranslation& t, const OnnxNode& node) {
  t.make(node, Affine{-1, 0}, {t.scope.activation(node, 0)});
}

void dropout(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const double ratio =
      has_input(node, 1) ? t.scope.number(node, 1).value_or(-1) : attribute(node, "ratio", 0.5);
  if (!(ratio >= 0 && ratio < 1)) throw OnnxUnsupported("with a ratio that is not from 0 to 1");
  if (ratio == 0) return t.pass(node, x);
  const std::int64_t seed = attribute(node, "seed", t.dropouts++);
  t.make(node, Dropout{ratio, seed}, {x});
}

void identity(OnnxTranslation& t, const OnnxNode& node) {
  t.pass(node, t.scope.activation(node, 0));
}

// Only between the sizes of one kind of number: we have one of each.
void cast(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const auto to = static_cast<OnnxType>(attribute(node, "to", std::int64_t{0}));
  const bool stays = x.type.element == Element::int32
                         ? to == OnnxType::int32 || to == OnnxType::int64
                         : to == OnnxType::float32;
  if (!stays) throw OnnxUnsupported("to " + to_string(to));
  t.pass(node, x);
}

// y = op(x, c) or, if the number comes first, op(c, x).
Affine affine_of(const std::string& op, double c, bool is_first) {
  if (op == "Add") return {1, c};
  if (op == "Mul") return {c, 0};
  if (op == "Sub") return is_first ? Affine{-1, c} : Affine{1, -c};
  if (is_first) throw OnnxUnsupported("of a number by an activation");
  return {1 / c, 0};
}

void with_number(OnnxTranslation& t, const OnnxNode& node, std::size_t which, double number) {
  const OnnxActivation& x = t.scope.activation(node, 1 - which);
  const Affine affine = affine_of(node.op, number, which == 0);
  if (!std::isfinite(affine.factor) || !std::isfinite(affine.offset))
    throw OnnxUnsupported("with a number that is not finite");
  t.make(node, affine, {x});
}

// w - x is (-x) + w; x - w is x + (-w), which learns the same. Divisors learn otherwise.
void with_weight(OnnxTranslation& t, const OnnxNode& node, std::size_t which) {
  OnnxActivation x = t.scope.activation(node, 1 - which);
  OnnxConstant weight = t.scope.constant(node, which);
  while (!weight.shape.empty() && weight.shape.front() == 1)
    weight.shape.erase(weight.shape.begin());
  if (node.op == "Div") throw OnnxUnsupported("with a weight");
  if (node.op == "Mul") return t.make(node, Scale{weight.shape}, {x}, {{"weight", weight}});
  const bool is_subtracted = node.op == "Sub" && which == 1;
  if (node.op == "Sub" && which == 0) x = t.make_before(node, "negated", Affine{-1, 0}, x);
  t.make(node, Bias{weight.shape}, {x}, {{"bias", weight, is_subtracted}});
}

void expect_equal_shapes(const std::vector<OnnxActivation>& inputs) {
  for (const OnnxActivation& input : inputs) {
    if (input.type.shape != inputs[0].type.shape)
      throw OnnxUnsupported(fmt::format("of {} and {}, which broadcasts both ways",
                                        to_string(inputs[0].type.shape),
                                        to_string(input.type.shape)));
  }
}

// Whether `smaller` has ones where the other has more, and else the same.
bool fits_into(const Shape& smaller, const Shape& larger) {
  bool fits = smaller.size() == larger.size();
  for (std::size_t i = 0; fits && i < larger.size(); ++i)
    fits = smaller[i] == larger[i] || (smaller[i] == Dimension{1} && !larger[i].per_sample);
  return fits;
}

// The larger one first, as layers have it.
void arrange(std::vector<OnnxActivation>& inputs) {
  if (inputs.size() != 2) return expect_equal_shapes(inputs);
  const Shape &first = inputs[0].type.shape, &second = inputs[1].type.shape;
  if (fits_into(second, first)) return;
  if (!fits_into(first, second)) return expect_equal_shapes(inputs);
  std::swap(inputs[0], inputs[1]);
}

void of_activations(OnnxTranslation& t, const OnnxNode& node) {
  std::vector<OnnxActivation> inputs = t.scope.activations(node);
  if (node.op == "Div") throw OnnxUnsupported("of activations");
  if (node.op == "Sub") inputs.at(1) = t.make_before(node, "negated", Affine{-1, 0}, inputs[1]);
  arrange(inputs);
  if (node.op == "Mul") return t.make(node, Mul{}, inputs);
  t.make(node, Add{}, inputs);
}

// Add, Sub, Mul and Div.
void arithmetic(OnnxTranslation& t, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnsupported("without two inputs");
  if (find_attribute(node, "axis") != nullptr) throw OnnxUnsupported("with an axis, of set 6");
  for (const std::size_t which : {0, 1}) {
    if (t.scope.is_activation(node, which)) continue;
    const OnnxValue& other = t.scope.input(node, which);
    const auto* constant = std::get_if<OnnxConstant>(&other);
    const std::size_t rank = t.scope.activation(node, 1 - which).type.shape.size();
    if (constant != nullptr && constant->shape.size() > rank)
      throw OnnxUnsupported("with a weight of more dimensions");
    if (const auto number = t.scope.number(node, which))
      return with_number(t, node, which, *number);
    return with_weight(t, node, which);
  }
  of_activations(t, node);
}

void sum(OnnxTranslation& t, const OnnxNode& node) {
  if (node.inputs.size() == 1) return identity(t, node);
  OnnxNode addition = node;
  addition.op = "Add";
  if (node.inputs.size() == 2) return arithmetic(t, addition);
  of_activations(t, addition);
}

void mean(OnnxTranslation& t, const OnnxNode& node) {
  const std::vector<OnnxActivation> inputs = t.scope.activations(node);
  if (inputs.size() < 2) return identity(t, node);
  expect_equal_shapes(inputs);
  const OnnxActivation total = t.builder.add(t.scope, node.outputs[0] + "_sum", Add{}, inputs);
  t.make(node, Affine{1 / static_cast<double>(inputs.size()), 0}, {total});
}

// Before operator set 13 over all dimensions from the axis on: that is one axis if the others
// are 1.
void softmax(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxActivation& x = t.scope.activation(node, 0);
  const bool over_all = t.opset < 13;
  const Shape& shape = x.type.shape;
  std::size_t axis = axis_of(attribute(node, "axis", std::int64_t{over_all ? 1 : -1}), shape);
  for (std::size_t i = axis + 1; over_all && i < shape.size(); ++i) {
    if (shape[i] == Dimension{1}) continue;
    if (shape[axis] != Dimension{1}) throw OnnxUnsupported("over several dimensions");
    axis = i;
  }
  t.make(node, Softmax{static_cast<std::int64_t>(axis)}, {x});
}

}  // namespace

OnnxOperators element_operators() {
  return {{"Relu", simple<Relu>},
          {"Sigmoid", simple<Sigmoid>},
          {"Tanh", simple<Tanh>},
          {"Gelu", gelu},
          {"Clip", clip},
          {"Dropout", dropout},
          {"LeakyRelu", leaky_relu},
          {"HardSigmoid", hard_sigmoid},
          {"HardSwish", hard_swish},
          {"Neg", negation},
          {"Mean", mean},
          {"Identity", identity},
          {"Cast", cast},
          {"Add", arithmetic},
          {"Sub", arithmetic},
          {"Mul", arithmetic},
          {"Div", arithmetic},
          {"Sum", sum},
          {"Softmax", softmax}};
}

}  // namespace stint

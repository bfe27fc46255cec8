#include "models/onnx/fold_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/onnx/forms.hpp"

namespace stint {
namespace {

Dimension divided(Dimension a, Dimension b) {
  const bool fits = b.count > 0 && (!a.per_sample || a.count % b.count == 0);
  if (!fits || (b.per_sample && !a.per_sample)) throw OnnxUnsupported("of sizes with a remainder");
  return {a.count / b.count, a.per_sample && !b.per_sample};
}

Dimension combined(const std::string& op, Dimension a, Dimension b) {
  if (op == "Div") return divided(a, b);
  Dimension result{0, op == "Mul" ? a.per_sample || b.per_sample : a.per_sample};
  const bool mixed = op == "Mul" ? a.per_sample && b.per_sample : a.per_sample != b.per_sample;
  const bool overflows = op == "Mul"   ? __builtin_mul_overflow(a.count, b.count, &result.count)
                         : op == "Add" ? __builtin_add_overflow(a.count, b.count, &result.count)
                                       : __builtin_sub_overflow(a.count, b.count, &result.count);
  if (mixed || overflows) throw OnnxUnsupported("of sizes that is no multiple of the batch");
  return result;
}

double combined(const std::string& op, double a, double b) {
  if (op == "Div") return a / b;
  if (op == "Mul") return a * b;
  return op == "Add" ? a + b : a - b;
}

OnnxIntegers combined(const std::string& op, const OnnxIntegers& a, const OnnxIntegers& b) {
  const std::size_t count = std::max(a.numbers.size(), b.numbers.size());
  const auto fits = [&](const OnnxIntegers& list) {
    return list.numbers.size() == count || list.numbers.size() == 1;
  };
  if (!fits(a) || !fits(b)) throw OnnxUnsupported("of lists that differ in length");
  OnnxIntegers result{.shape = a.numbers.size() == count ? a.shape : b.shape};
  for (std::size_t i = 0; i < count; ++i) {
    result.numbers.push_back(combined(op, a.numbers[a.numbers.size() == 1 ? 0 : i],
                                      b.numbers[b.numbers.size() == 1 ? 0 : i]));
  }
  return result;
}

}  // namespace

OnnxConstant plain_number(double number) { return {.origin = "a number", .fill = number}; }

OnnxConstant filled(const OnnxNode& node, double number, const std::vector<std::int64_t>& dims) {
  return {node.outputs.at(0), {}, number, dims, {}, dims};
}

Dimension whole(double number) {
  if (!(std::fabs(number) < 0x1p62)) throw OnnxUnsupported("to an integer out of range");
  return {static_cast<std::int64_t>(number)};
}

std::vector<std::int64_t> reversed_order(std::size_t rank) {
  std::vector<std::int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  return order;
}

OnnxConstant transposed(const OnnxConstant& weight, const std::vector<std::int64_t>& order) {
  OnnxConstant result = weight;
  result.shape = dims_of(permuted(shape_of(weight.shape), order));
  if (weight.order.empty()) {
    result.stored = weight.shape;
    result.order = order;
    return result;
  }
  if (dims_of(permuted(shape_of(weight.stored), weight.order)) != weight.shape)
    throw OnnxUnsupported("of a weight that is transposed and reshaped already");
  for (std::size_t i = 0; i < order.size(); ++i)
    result.order[i] = weight.order[static_cast<std::size_t>(order[i])];
  if (std::is_sorted(result.order.begin(), result.order.end())) result.order.clear();
  return result;
}

void fold_arithmetic(OnnxTranslation& t, const OnnxNode& node) {
  const auto is_list = [&](std::size_t i) {
    return std::holds_alternative<OnnxIntegers>(t.scope.input(node, i));
  };
  if (is_list(0) && is_list(1))
    return t.pass(node,
                  combined(node.op, t.scope.dimensions(node, 0), t.scope.dimensions(node, 1)));
  const auto a = t.scope.number(node, 0);
  const auto b = t.scope.number(node, 1);
  if (!a || !b) throw OnnxUnsupported("of two weights");
  t.pass(node, plain_number(combined(node.op, *a, *b)));
}

void fold_square_root(OnnxTranslation& t, const OnnxNode& node) {
  const auto number = t.scope.number(node, 0);
  if (!number) throw OnnxUnsupported("of a weight");
  t.pass(node, plain_number(std::sqrt(*number)));
}

}  // namespace stint

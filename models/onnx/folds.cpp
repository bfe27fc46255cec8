// What is computed while the file is read: exporters write shapes as chains of small operators,
// and weights through reshapes and transposes.
#include <algorithm>
#include <array>
#include <cmath>

#include "models/onnx/fold_numbers.hpp"
#include "models/onnx/forms.hpp"
#include "models/onnx/tensor_data.hpp"
#include "models/onnx/translation.hpp"

namespace stint {
namespace {

// Where an index stands in a list of `count`, counted from its end if negative.
std::int64_t place_of(std::int64_t index, std::int64_t count) {
  return std::clamp<std::int64_t>(index < 0 ? index + count : index, 0, count);
}

OnnxIntegers part_of(const Shape& numbers, std::int64_t first, std::int64_t last) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  const std::int64_t start = place_of(first, count);
  const std::int64_t end = std::max(start, place_of(last, count));
  return {{numbers.begin() + start, numbers.begin() + end}, {end - start}};
}

void fold_constant(OnnxTranslation& t, const OnnxNode& node) {
  const std::string& output = node.outputs.at(0);
  for (const OnnxAttribute& given : node.attributes) {
    if (given.name == "value" && given.tensor)
      return t.pass(node, t.scope.value_of(*given.tensor, output));
    if (given.name == "value_float") return t.pass(node, plain_number(as_written(given.number)));
    if (given.name == "value_int") return t.pass(node, OnnxIntegers{{{given.integer}}, {}});
    if (given.name == "value_ints") {
      const auto count = static_cast<std::int64_t>(given.integers.size());
      return t.pass(node, OnnxIntegers{shape_of(given.integers), {count}});
    }
  }
  throw OnnxUnsupported("without a tensor or a number");
}

// Weights whose numbers are all the same, or a list of integers.
void fold_constant_of_shape(OnnxTranslation& t, const OnnxNode& node) {
  const std::vector<std::int64_t> dims = t.scope.integers(node, 0);
  const std::int64_t count = element_count(dims);
  const OnnxAttribute* value = find_attribute(node, "value");
  if (value == nullptr || !value->tensor) return t.pass(node, filled(node, 0, dims));
  const double number = number_of(*value->tensor, t.scope.file());
  const OnnxType type = value->tensor->type;
  if (type == OnnxType::float32) return t.pass(node, filled(node, number, dims));
  if ((type != OnnxType::int64 && type != OnnxType::int32) || count > most_integers)
    throw OnnxUnsupported("of " + to_string(type));
  t.pass(node, OnnxIntegers{Shape(static_cast<std::size_t>(count), whole(number)), dims});
}

void fold_shape(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxValue& value = t.scope.input(node, 0);
  Shape shape;
  if (const auto* activation = std::get_if<OnnxActivation>(&value)) shape = activation->type.shape;
  if (const auto* constant = std::get_if<OnnxConstant>(&value)) shape = shape_of(constant->shape);
  if (const auto* integers = std::get_if<OnnxIntegers>(&value)) shape = shape_of(integers->shape);
  const auto rank = static_cast<std::int64_t>(shape.size());
  t.pass(node,
         part_of(shape, attribute(node, "start", std::int64_t{0}), attribute(node, "end", rank)));
}

// The same numbers in another shape.
void reform(OnnxTranslation& t, const OnnxNode& node,
            const std::function<Shape(const Shape&)>& form) {
  OnnxValue value = t.scope.input(node, 0);
  if (auto* constant = std::get_if<OnnxConstant>(&value))
    constant->shape = dims_of(form(shape_of(constant->shape)));
  if (auto* integers = std::get_if<OnnxIntegers>(&value))
    integers->shape = dims_of(form(shape_of(integers->shape)));
  t.pass(node, value);
}

void fold_reshape(OnnxTranslation& t, const OnnxNode& node) {
  const Shape asked = t.scope.dimensions(node, 1).numbers;
  reform(t, node, [&](const Shape& shape) { return reshaped(shape, asked, std::nullopt); });
}

void fold_unsqueeze(OnnxTranslation& t, const OnnxNode& node) {
  const auto axes = list_of(t.scope, node, "axes", 1);
  reform(t, node, [&](const Shape& shape) { return unsqueezed(shape, axes); });
}

void fold_squeeze(OnnxTranslation& t, const OnnxNode& node) {
  const auto axes = list_of(t.scope, node, "axes", 1);
  reform(t, node, [&](const Shape& shape) { return squeezed(shape, axes); });
}

void fold_identity(OnnxTranslation& t, const OnnxNode& node) {
  t.pass(node, t.scope.input(node, 0));
}

void fold_transpose(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxConstant& weight = t.scope.constant(node, 0);
  std::vector<std::int64_t> order = attribute(node, "perm", std::vector<std::int64_t>{});
  if (order.empty()) order = reversed_order(weight.shape.size());
  t.pass(node, transposed(weight, order));
}

void fold_cast(OnnxTranslation& t, const OnnxNode& node) {
  const auto to = static_cast<OnnxType>(attribute(node, "to", std::int64_t{0}));
  const bool to_integer = to == OnnxType::int32 || to == OnnxType::int64;
  const OnnxValue& value = t.scope.input(node, 0);
  const bool is_integer = std::holds_alternative<OnnxIntegers>(value);
  const bool to_float = to == OnnxType::float32 || to == OnnxType::float64;
  if (is_integer ? to_integer : to == OnnxType::float32) return t.pass(node, value);
  const auto number = t.scope.number(node, 0);
  if (!number || (!to_integer && !to_float)) throw OnnxUnsupported("to " + to_string(to));
  if (to_integer) return t.pass(node, OnnxIntegers{{whole(*number)}, {}});
  t.pass(node, plain_number(*number));
}

// All rows of a table in their order, as learned positions are looked up: the table itself.
void gather_whole_table(OnnxTranslation& t, const OnnxNode& node) {
  OnnxConstant table = t.scope.constant(node, 0);
  const OnnxIntegers& which = t.scope.dimensions(node, 1);
  bool is_whole = table.shape.size() == 2 &&
                  table.shape[0] == static_cast<std::int64_t>(which.numbers.size()) &&
                  attribute(node, "axis", std::int64_t{0}) == 0;
  std::int64_t row = 0;
  for (const Dimension index : which.numbers) is_whole &= index == Dimension{row++};
  if (!is_whole) throw OnnxUnsupported("of some rows of a weight");
  const std::int64_t width = table.shape[1];
  table.shape = which.shape;
  table.shape.push_back(width);
  t.pass(node, table);
}

void fold_gather(OnnxTranslation& t, const OnnxNode& node) {
  if (std::holds_alternative<OnnxConstant>(t.scope.input(node, 0)))
    return gather_whole_table(t, node);
  const OnnxIntegers& from = t.scope.dimensions(node, 0);
  const OnnxIntegers& which = t.scope.dimensions(node, 1);
  const auto count = static_cast<std::int64_t>(from.numbers.size());
  if (from.shape.size() != 1) throw OnnxUnsupported("of constants that are no list");
  OnnxIntegers taken{.shape = which.shape};
  for (const Dimension index : which.numbers) {
    const std::int64_t place = index.count < 0 ? index.count + count : index.count;
    if (index.per_sample || place < 0 || place >= count)
      throw ShapeFault("an index beyond the list; expected one inside");
    taken.numbers.push_back(from.numbers[static_cast<std::size_t>(place)]);
  }
  t.pass(node, taken);
}

void fold_concat(OnnxTranslation& t, const OnnxNode& node) {
  OnnxIntegers all;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const OnnxIntegers& part = t.scope.dimensions(node, i);
    all.numbers.insert(all.numbers.end(), part.numbers.begin(), part.numbers.end());
    if (part.shape.size() != 1 || all.numbers.size() > most_integers)
      throw OnnxUnsupported("of constants that are no lists");
  }
  all.shape = {static_cast<std::int64_t>(all.numbers.size())};
  t.pass(node, all);
}

void fold_range(OnnxTranslation& t, const OnnxNode& node) {
  std::array<std::int64_t, 3> ends{};  // start, limit, step
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto numbers = t.scope.integers(node, i);
    if (numbers.size() != 1) throw OnnxUnsupported("with other than numbers");
    ends[i] = numbers[0];
  }
  const auto [start, limit, step] = ends;
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const auto is_small = [](std::int64_t number) { return number >= -most && number <= most; };
  if (step == 0 || !std::all_of(ends.begin(), ends.end(), is_small))
    throw OnnxUnsupported("of numbers beyond 2^31, or without a step");
  OnnxIntegers list;
  for (std::int64_t number = start; step > 0 ? number < limit : number > limit; number += step) {
    list.numbers.push_back({number});
    if (list.numbers.size() > most_integers) throw OnnxUnsupported("of too many numbers");
  }
  list.shape = {static_cast<std::int64_t>(list.numbers.size())};
  t.pass(node, list);
}

void fold_slice(OnnxTranslation& t, const OnnxNode& node) {
  const OnnxIntegers& from = t.scope.dimensions(node, 0);
  const auto starts = list_of(t.scope, node, "starts", 1);
  const auto ends = list_of(t.scope, node, "ends", 2);
  const bool by_one =
      !has_input(node, 4) || t.scope.integers(node, 4) == std::vector<std::int64_t>{1};
  if (from.shape.size() != 1 || starts.size() != 1 || ends.size() != 1 || !by_one)
    throw OnnxUnsupported("of constants in more than one direction");
  t.pass(node, part_of(from.numbers, starts[0], ends[0]));
}

}  // namespace

const OnnxOperators& folds() {
  static const OnnxOperators all = {
      {"Constant", fold_constant},   {"ConstantOfShape", fold_constant_of_shape},
      {"Shape", fold_shape},         {"Reshape", fold_reshape},
      {"Unsqueeze", fold_unsqueeze}, {"Squeeze", fold_squeeze},
      {"Identity", fold_identity},   {"Transpose", fold_transpose},
      {"Cast", fold_cast},           {"Gather", fold_gather},
      {"Range", fold_range},         {"Concat", fold_concat},
      {"Slice", fold_slice},         {"Add", fold_arithmetic},
      {"Sub", fold_arithmetic},      {"Mul", fold_arithmetic},
      {"Div", fold_arithmetic},      {"Sqrt", fold_square_root},
  };
  return all;
}

}  // namespace stint

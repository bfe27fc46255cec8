#include "models/onnx/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"
#include "models/onnx/tensor_data.hpp"

namespace stint {
namespace {

OnnxValue integers_value(const OnnxTensor& tensor, const std::string& file) {
  if (element_count(tensor) > most_integers)
    throw OnnxUnsupported(fmt::format("with {} constant integers", element_count(tensor)));
  OnnxIntegers integers{.shape = tensor.dims};
  for (const std::int64_t number : integers_of(tensor, file)) integers.numbers.push_back({number});
  return integers;
}

}  // namespace

OnnxScope::OnnxScope(const OnnxGraph& graph, std::string file) : file_(std::move(file)) {
  for (const OnnxTensor& tensor : graph.initializers) initializers_[tensor.name] = &tensor;
}

void OnnxScope::define(const std::string& name, OnnxValue value) {
  if (!name.empty()) values_.insert_or_assign(name, std::move(value));
}

const OnnxValue& OnnxScope::value(const std::string& name) {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  const auto tensor = initializers_.find(name);
  if (tensor == initializers_.end())
    throw OnnxUnsupported("with an input of a kind that is not read");
  return values_.emplace(name, value_of(*tensor->second, name)).first->second;
}

bool OnnxScope::is_constant(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return initializers_.contains(name);
  return std::holds_alternative<OnnxConstant>(found->second) ||
         std::holds_alternative<OnnxIntegers>(found->second);
}

bool OnnxScope::is_unknown(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && std::holds_alternative<OnnxUnknown>(found->second);
}

const OnnxValue& OnnxScope::input(const OnnxNode& node, std::size_t index) {
  if (!has_input(node, index)) throw OnnxUnsupported(fmt::format("without input {}", index));
  return value(node.inputs[index]);
}

template <typename Sort>
const Sort& OnnxScope::input_of(const OnnxNode& node, std::size_t index, const char* what) {
  if (const auto* found = std::get_if<Sort>(&input(node, index))) return *found;
  throw OnnxUnsupported(fmt::format("without {} as input {}", what, index));
}

const OnnxActivation& OnnxScope::activation(const OnnxNode& node, std::size_t index) {
  return input_of<OnnxActivation>(node, index, "an activation");
}

const OnnxConstant& OnnxScope::constant(const OnnxNode& node, std::size_t index) {
  return input_of<OnnxConstant>(node, index, "a weight");
}

const OnnxIntegers& OnnxScope::dimensions(const OnnxNode& node, std::size_t index) {
  return input_of<OnnxIntegers>(node, index, "constant integers");
}

std::vector<std::int64_t> OnnxScope::integers(const OnnxNode& node, std::size_t index) {
  std::vector<std::int64_t> numbers;
  for (const Dimension number : dimensions(node, index).numbers) {
    if (number.per_sample)
      throw OnnxUnsupported(fmt::format("with the batch as a number in input {}", index));
    numbers.push_back(number.count);
  }
  return numbers;
}

bool OnnxScope::is_activation(const OnnxNode& node, std::size_t index) const {
  if (!has_input(node, index)) return false;
  const auto found = values_.find(node.inputs[index]);
  return found != values_.end() && std::holds_alternative<OnnxActivation>(found->second);
}

std::vector<OnnxActivation> OnnxScope::activations(const OnnxNode& node) {
  std::vector<OnnxActivation> all;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) all.push_back(activation(node, i));
  return all;
}

std::optional<double> OnnxScope::number(const OnnxNode& node, std::size_t index) {
  return has_input(node, index) ? number(node.inputs[index]) : std::nullopt;
}

std::optional<double> OnnxScope::number(const std::string& name) {
  if (!is_constant(name)) return std::nullopt;
  const OnnxValue& found = value(name);
  if (const auto* integers = std::get_if<OnnxIntegers>(&found)) {
    if (integers->numbers.size() != 1 || integers->numbers[0].per_sample) return std::nullopt;
    return static_cast<double>(integers->numbers[0].count);
  }
  const auto& constant = std::get<OnnxConstant>(found);
  if (element_count(constant.shape) != 1) return std::nullopt;
  if (constant.message.empty()) return constant.fill;
  return number_of(parse_tensor(constant.message, file_), file_);
}

OnnxValue OnnxScope::value_of(const OnnxTensor& tensor, const std::string& origin) const {
  switch (tensor.type) {
    case OnnxType::int32:
    case OnnxType::int64:
    case OnnxType::boolean:
      return integers_value(tensor, file_);
    case OnnxType::float64:
      if (element_count(tensor) == 1)
        return OnnxConstant{origin, {}, number_of(tensor, file_), tensor.dims, {}, tensor.dims};
      break;
    case OnnxType::float32:
      if (tensor.raw &&
          tensor.raw->size() != static_cast<std::size_t>(element_count(tensor)) * sizeof(float))
        throw InputError(
            file_, fmt::format("tensor {} has {} bytes; expected {} floats", in_quotes(origin),
                               tensor.raw->size(), element_count(tensor)));
      element_count(tensor.dims);
      return OnnxConstant{origin, tensor.message, 0, tensor.dims, {}, tensor.dims};
    default:
      break;
  }
  throw OnnxUnsupported("with a tensor of " + to_string(tensor.type));
}

bool OnnxScope::is_uniform(const OnnxConstant& constant) const {
  if (constant.message.empty()) return true;
  const auto numbers = floats_of(parse_tensor(constant.message, file_), file_);
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](float number) { return number == numbers[0]; });
}

bool has_input(const OnnxNode& node, std::size_t index) {
  return index < node.inputs.size() && !node.inputs[index].empty();
}

std::vector<std::int64_t> list_of(OnnxScope& scope, const OnnxNode& node, std::string_view name,
                                  std::size_t index) {
  if (has_input(node, index)) return scope.integers(node, index);
  return attribute(node, name, std::vector<std::int64_t>{});
}

}  // namespace stint

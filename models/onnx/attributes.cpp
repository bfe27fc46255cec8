#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "models/onnx/proto.hpp"

namespace stint {

std::string to_string(OnnxType type) {
  switch (type) {
    case OnnxType::none:
      return "no type";
    case OnnxType::float32:
      return "float";
    case OnnxType::uint8:
      return "uint8";
    case OnnxType::int32:
      return "int32";
    case OnnxType::int64:
      return "int64";
    case OnnxType::boolean:
      return "bool";
    case OnnxType::float16:
      return "float16";
    case OnnxType::float64:
      return "double";
    case OnnxType::bfloat16:
      return "bfloat16";
  }
  return fmt::format("type {}", static_cast<std::int32_t>(type));
}

const OnnxAttribute* find_attribute(const OnnxNode& node, std::string_view name) {
  for (const OnnxAttribute& attribute : node.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::int64_t attribute(const OnnxNode& node, std::string_view name, std::int64_t otherwise) {
  const OnnxAttribute* found = find_attribute(node, name);
  return found == nullptr ? otherwise : found->integer;
}

std::vector<std::int64_t> attribute(const OnnxNode& node, std::string_view name,
                                    const std::vector<std::int64_t>& otherwise) {
  const OnnxAttribute* found = find_attribute(node, name);
  return found == nullptr ? otherwise : found->integers;
}

std::string attribute(const OnnxNode& node, std::string_view name, const char* otherwise) {
  const OnnxAttribute* found = find_attribute(node, name);
  return found == nullptr ? otherwise : found->text;
}

double attribute(const OnnxNode& node, std::string_view name, double otherwise) {
  const OnnxAttribute* found = find_attribute(node, name);
  return found == nullptr ? otherwise : as_written(found->number);
}

double as_written(float number) {
  if (!std::isfinite(number)) return number;
  return std::strtod(fmt::format("{}", number).c_str(), nullptr);
}

}  // namespace stint

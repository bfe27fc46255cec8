// What the names of an ONNX graph stand for while it is read: activations, which become values of
// the network, and what is known beforehand. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/layers/infer.hpp"

namespace stint {

// Made by something that is not supported: what depends on it is not looked at.
struct OnnxUnknown {};

struct OnnxActivation {
  std::string value;  // its name in the network
  ValueType type;
};

// Floats that the file holds: a parameter where a layer learns them, a plain number if it is one.
struct OnnxConstant {
  std::string origin;        // the tensor's name; for messages, and to see who shares it
  std::string_view message;  // the tensor; empty: every number is `fill`
  double fill = 0;
  std::vector<std::int64_t> stored;  // dimensions in the file
  std::vector<std::int64_t> order;   // how they are permuted; empty: not at all
  std::vector<std::int64_t> shape;   // as nodes see them
};

// Shapes, axes and indices; a number may be a multiple of the batch.
struct OnnxIntegers {
  Shape numbers;
  std::vector<std::int64_t> shape;
};

using OnnxValue = std::variant<OnnxUnknown, OnnxActivation, OnnxConstant, OnnxIntegers>;

}  // namespace stint

// What the tests of the ONNX reader ask of a file.
#pragma once

#include <string>
#include <vector>

#include "files/input_error.hpp"
#include "models/onnx/read_onnx.hpp"
#include "tests/support/onnx_writer.hpp"

namespace stint {

// The layers after the bias that started() begins with; the output "y" is compared with targets.
inline std::vector<Layer> layers_of(OnnxWriter writer) {
  const OnnxModel model =
      parse_onnx(writer.output("y").bytes(), "test.onnx", {.loss = OnnxLoss::mse});
  return {model.network.layers.begin() + 1, model.network.layers.end()};
}

// The only one of them.
template <typename Kind>
Kind only_layer(const OnnxWriter& writer) {
  const std::vector<Layer> layers = layers_of(writer);
  if (layers.size() != 1) throw std::logic_error("more or fewer than one layer");
  return std::get<Kind>(layers[0].kind);
}

// The message with which it is refused; "" if it is not.
inline std::string fault_of_bytes(const std::string& bytes, const OnnxOptions& options = {}) {
  try {
    parse_onnx(bytes, "test.onnx", options);
    return "";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

inline std::string fault_of(OnnxWriter writer) {
  return fault_of_bytes(writer.output("y").bytes(), {.loss = OnnxLoss::mse});
}

}  // namespace stint

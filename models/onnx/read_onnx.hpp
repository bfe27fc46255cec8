// Reads the forward graph of an .onnx file as a network that can be trained: operators become
// layers, float initializers become parameters, and a loss and an optimizer are added. What is read
// and what is not stands in models/README.md, "ONNX".
//
// Weights are not loaded: the file is mapped, and only what describes them is touched, so a file of
// 2 GB costs little. Each parameter knows where its first values are; initial_values() fetches
// them one parameter at a time. The messages are those of onnx.proto, read by protozero without a
// copy of that file. Time is linear in the number of nodes but for lookups by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/layers/network.hpp"

namespace stint {

enum class OnnxLoss { cross_entropy, mse };

struct OnnxOptions {
  OnnxLoss loss = OnnxLoss::cross_entropy;
  Optimizer optimizer = Sgd{};
  std::string output;  // the value that is compared with labels or targets; "": the graph's first
};

// Where a parameter's first values come from: a tensor of the file, or one number for all.
struct WeightSource {
  std::string parameter;            // "conv1.weight"
  std::vector<std::int64_t> shape;  // the parameter's
  std::string initializer;          // the tensor's name in the file; "": all values are `fill`
  double fill = 0;
  std::vector<std::int64_t> stored;  // the tensor's dimensions in the file …
  std::vector<std::int64_t> order;   // … and how they are permuted; empty: not at all
  bool negated = false;              // x - w is read as x + (-w)
  std::size_t position = 0;          // of the tensor's message in the file
  std::size_t bytes = 0;             // of that message
  bool operator==(const WeightSource&) const = default;
};

struct OnnxModel {
  Network network;
  std::vector<WeightSource> weights;  // one for each parameter, running statistics included
};

// Throws InputError: a file that is malformed, that needs what we do not support (everything at
// once, with counts), or whose shapes do not fit.
OnnxModel read_onnx(const std::string& path, const OnnxOptions& options = {});

// The same from bytes; `file` names them in messages, and its folder is that of external data.
OnnxModel parse_onnx(std::string_view bytes, const std::string& file,
                     const OnnxOptions& options = {});

// One parameter's values, in the layout of the parameter. Throws InputError if the file does not
// hold them, or if external data leads out of the folder of the file.
std::vector<float> initial_values(const std::string& path, const WeightSource& source);
std::vector<float> initial_values(std::string_view bytes, const std::string& file,
                                  const WeightSource& source);

}  // namespace stint

// A test of one operator as ONNX's own test data has it: a model, tensors that go in, and tensors
// that must come out. There every operand is an input of the model; networks learn some of them, so
// a case is read with those as initializers that are asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/onnx/proto.hpp"

namespace stint {

// A tensor and the bytes it looks at.
struct CaseTensor {
  std::string name;  // in the graph
  std::string bytes;
  OnnxTensor tensor;
  std::vector<double> values;  // empty if they are of a type that networks do not have
};

struct NodeCase {
  std::string name;   // "test_conv_with_strides_padding"
  std::string bytes;  // the model
  OnnxFile model;     // looks at bytes
  std::vector<CaseTensor> inputs;
  std::vector<CaseTensor> outputs;

  NodeCase() = default;
  NodeCase(const NodeCase&) = delete;
  NodeCase(NodeCase&&) = delete;
};

// Throws InputError if the folder has no such files.
void read_case(const std::filesystem::path& folder, NodeCase& read);

// The model with every input a constant but those marked. Behind each of the first so many outputs
// stands a layer that learns, since a network without one is none: what it reads is the output.
std::string bound_model(const NodeCase& of, const std::vector<bool>& is_activation,
                        std::size_t outputs);

// The layer behind output i; and what all of so many predict together.
std::string probe_name(std::size_t output);
std::string prediction_name(std::size_t outputs);

}  // namespace stint

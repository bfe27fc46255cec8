// The nodes of an ONNX graph that its output needs, in an order that respects dependencies: the
// file's own, unless it lists a reader before what it reads.
#pragma once

#include <string>
#include <vector>

#include "models/onnx/proto.hpp"

namespace stint {

// Throws InputError(file, …) if a needed value is made by nobody or twice, or nodes form a cycle.
std::vector<OnnxNode> sorted_nodes(const OnnxGraph& graph, const std::string& output,
                                   const std::string& file);

// How messages name a node: Conv "conv1".
std::string to_string(const OnnxNode& node);

}  // namespace stint

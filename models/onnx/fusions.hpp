// What exporters write as several nodes and networks have as one layer: a product with a weight
// followed by its bias, gelu from erf, and layer normalisation from means. Each becomes one node,
// where its last one was.
#pragma once

#include <string>
#include <vector>

#include "models/onnx/scope.hpp"

namespace stint {

// `nodes` are in order; constants among them have been taken out and are in the scope. The value
// `output` is read by the loss.
std::vector<OnnxNode> fused(std::vector<OnnxNode> nodes, OnnxScope& scope,
                            const std::string& output);

}  // namespace stint

// The inputs of an ONNX graph as inputs of a network: the first dimension is the batch, whether the
// file names it or fixes it.
#pragma once

#include "models/onnx/translation.hpp"

namespace stint {

// Those that nodes read and that are no weights. Throws InputError if a type or a size is missing.
void add_graph_inputs(const OnnxGraph& graph, OnnxTranslation& t);

}  // namespace stint

// How parts hang together with their wholes: a forest, given by the part_of links of tensors.
#pragma once

#include <vector>

#include "models/graph.hpp"

namespace stint {

// All tensors, every whole before its parts. Tensors whose links go round in a circle, or lead into
// one, are left out. Needs links to tensors that exist.
std::vector<TensorId> wholes_first(const Graph& graph);

// The whole that is no part itself, and where in it the tensor begins. Needs links without circles.
PartOf place_in_root(const Graph& graph, TensorId tensor);

}  // namespace stint

// One choice of activations and constants for a case of ONNX's test data: read, computed and
// compared with what ONNX expects, within the tolerance of ONNX's own tests and closer.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/node_case.hpp"

namespace stint {

// Whether the node is computed while its file is read: it depends on no activation, or asks for
// nothing but a shape.
bool is_folded(const NodeCase& test, const std::vector<bool>& is_activation);

// Both throw InputError if the reader refuses the choice.
std::vector<std::string> differences_of_fold(const NodeCase& test,
                                             const std::vector<bool>& is_activation);
std::vector<std::string> differences_of_network(const NodeCase& test,
                                                const std::vector<bool>& is_activation,
                                                std::size_t outputs);

}  // namespace stint

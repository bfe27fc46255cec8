// Cases of ONNX's test data that no network of ours can be, and why. Everything else of an operator
// that we read must agree.
#pragma once

#include <optional>
#include <string>

namespace stint {

// The reason; nothing if the case is in scope.
std::optional<std::string> why_out_of_scope(const std::string& name);

}  // namespace stint

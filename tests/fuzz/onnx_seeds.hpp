// Small good .onnx files that together have every operator that is read.
#pragma once

#include <string>
#include <vector>

namespace stint {

std::vector<std::string> onnx_seeds();

}  // namespace stint

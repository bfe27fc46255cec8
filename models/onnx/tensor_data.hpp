// The numbers of a tensor of an .onnx file: raw bytes, fields of its message, or a range of another
// file in the same folder. Nothing is allocated before the file is known to hold it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/onnx/proto.hpp"

namespace stint {

// Dimensions multiplied. Throws ShapeFault if one is below 1 or beyond 2^31, or all beyond 2^40.
std::int64_t element_count(const std::vector<std::int64_t>& dims);
std::int64_t element_count(const OnnxTensor& tensor);  // likewise; 0 if a dimension is

// All numbers of a float tensor. Throws InputError(file, …) unless they are there.
std::vector<float> floats_of(const OnnxTensor& tensor, const std::string& file);

// All numbers of a tensor of int64, int32 or bool: shapes, axes, indices; and of an empty one.
std::vector<std::int64_t> integers_of(const OnnxTensor& tensor, const std::string& file);

// The number of a tensor of float, double, int64 or int32 that has one.
double number_of(const OnnxTensor& tensor, const std::string& file);

}  // namespace stint

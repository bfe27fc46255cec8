// Shapes as ONNX's operators on them make them, with a symbolic batch: the same for activations,
// weights and lists of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/layers/shape.hpp"

namespace stint {

Shape shape_of(const std::vector<std::int64_t>& dims);

// Throws ShapeFault if a dimension depends on the batch.
std::vector<std::int64_t> dims_of(const Shape& shape);

// The shape after Reshape. `asked` is ONNX's: 0 is the input's dimension, -1 what remains. Where
// the file was written for a fixed batch, the number that stands where the batch was is turned back
// into the batch: [1, 1024] of a file with batch 1 becomes [batch, 1024].
Shape reshaped(const Shape& input, const Shape& asked, std::optional<std::int64_t> file_batch);

// Ones inserted, so that they stand at `axes` of the result; ones taken away: those at `axes`, or
// all if there are none. Throw ShapeFault.
Shape unsqueezed(const Shape& input, const std::vector<std::int64_t>& axes);
Shape squeezed(const Shape& input, const std::vector<std::int64_t>& axes);

// Dimension i of the result is dimension order[i]. Throws ShapeFault unless that is a permutation.
Shape permuted(const Shape& input, const std::vector<std::int64_t>& order);

}  // namespace stint

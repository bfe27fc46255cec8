// Constants made of constants: plain numbers, weights of one number, weights in another order, and
// arithmetic on sizes. Numbers that do not fit into int64 are refused, never wrapped.
#pragma once

#include <cstdint>
#include <vector>

#include "models/onnx/translation.hpp"

namespace stint {

OnnxConstant plain_number(double number);

// A weight made by a node, all of whose numbers are `number`.
OnnxConstant filled(const OnnxNode& node, double number, const std::vector<std::int64_t>& dims);

// Truncated; throws OnnxUnsupported if it is no number or too large.
Dimension whole(double number);

// n-1, …, 0.
std::vector<std::int64_t> reversed_order(std::size_t rank);

// Throws OnnxUnsupported where no single permutation of the file's numbers says it.
OnnxConstant transposed(const OnnxConstant& weight, const std::vector<std::int64_t>& order);

// Add, Sub, Mul and Div of lists of integers, which may be multiples of the batch, and of plain
// numbers.
void fold_arithmetic(OnnxTranslation& t, const OnnxNode& node);
void fold_square_root(OnnxTranslation& t, const OnnxNode& node);

}  // namespace stint

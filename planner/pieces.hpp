// Parts and wholes for planners: which tensors share a buffer, and what is copied as one.
//
// A piece is a tensor as some task wrote it, or, of inputs and state, the smallest tensor around
// everything that is read and updated together. Pieces share no bytes; every tensor that is read is
// covered by pieces.
#pragma once

#include <map>
#include <vector>

#include "planner/problem.hpp"

namespace stint {

// For each of the given tensors the smallest tensor that contains it and all others of the given
// ones that it shares bytes with, directly or through others. Two of these either are the same or
// share no bytes. O(n log n), times the depth of parts within parts.
std::map<TensorId, TensorId> covers(const Problem& problem, std::vector<TensorId> tensors);

enum PieceId : int {};

struct Pieces {
  std::vector<TensorId> tensor;                 // by piece
  std::vector<std::vector<PieceId>> of_tensor;  // the pieces that each tensor shares bytes with
};

Pieces pieces(const Problem& problem);

// Whether somebody reads a byte of the tensor, or wants it as a result; by tensor.
std::vector<bool> wanted(const Problem& problem);

}  // namespace stint

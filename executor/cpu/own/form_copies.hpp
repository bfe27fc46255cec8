// What tasks move that put the same elements elsewhere: the sizes of the copies, for whoever runs
// them, on a CPU or a GPU. Elements have four bytes each.
#pragma once

#include <cstdint>
#include <vector>

#include "models/training/task_kernel.hpp"

namespace stint {

// A dimension of the output, and how far apart its neighbours are in the input.
struct TurnedDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};
// Of transposes, their gradients and reorders, from the outermost dimension of the output on.
// Throws InputError if elements are not of four bytes.
std::vector<TurnedDimension> turned_dimensions(const TaskKernel& kernel);

// One of several tensors that together are a larger one: runs of `run` elements, `offset` into each
// run of the whole.
struct FormPiece {
  std::int64_t run = 0;
  std::int64_t offset = 0;
};
struct FormPieces {
  bool joins = false;  // into the whole; else out of it
  std::int64_t runs = 0;
  std::int64_t whole_run = 0;  // elements of a run
  std::vector<FormPiece> pieces;
};
// Of concat, split and their gradients. Throws as above.
FormPieces form_pieces(const TaskKernel& kernel);

}  // namespace stint

// How much work an operation is, for a symbolic batch: flops, elements gathered into patches, and
// what the time model of a device asks for beyond that. A multiply-add counts as two flops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/layers/shape.hpp"

namespace stint {

// `count` products of a rows × depth matrix by a depth × columns matrix: what convolutions, linear
// layers and attention come down to. At most one of the four depends on the batch.
struct MatrixProducts {
  Dimension rows;
  Dimension columns;
  Dimension depth;
  Dimension count;
};

struct Effort {
  std::vector<MatrixProducts> products;
  Dimension element_flops{0};              // whatever else is computed
  Dimension patch_elements{0};             // gathered under a sliding kernel (im2col)
  std::int64_t workspace_bytes = 0;        // assumed, until a kernel has been measured
  std::optional<Dimension> touched_bytes;  // of the first read, where less than all of it is needed
};

// n times as much. Throws ShapeFault if nobody can count that far.
Dimension scaled(Dimension dimension, std::int64_t n);

double flops(const Effort& effort, std::int64_t batch);

// Flops of the matrix products by how well they fill register tiles of `tile_rows` ×
// `tile_columns`: in full tiles, in those cut by the last rows, in those cut by the last columns;
// and patch_elements. Terms that are 0 are left out.
inline constexpr std::int64_t tile_rows = 8;
inline constexpr std::int64_t tile_columns = 16;
std::map<std::string, double> features(const Effort& effort, std::int64_t batch);

// Attention takes so many queries of a head at a time: what it needs for `matrices` of their
// scores, in whole lanes of 16 keys, and for `transposed` numbers of each key.
inline constexpr std::int64_t attention_rows_at_once = 32;
std::int64_t attention_workspace_bytes(std::int64_t keys, std::int64_t transposed,
                                       std::int64_t matrices);

}  // namespace stint

// How much work an operation is, for a symbolic batch: flops, elements gathered into patches, and
// what the time model of a device asks for beyond that. A multiply-add counts as two flops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/layers/shape.hpp"
#include "models/training/workspace.hpp"

namespace stint {

// `count` products of a rows × depth matrix by a depth × columns matrix: what convolutions, linear
// layers and attention come down to. At most one of the four depends on the batch.
struct MatrixProducts {
  Dimension rows;
  Dimension columns;
  Dimension depth;
  Dimension count;
  // Of a convolution: how much more a kernel computes that takes filters, or channels, in blocks of
  // a vector, and leaves out what lies beyond the edge of the image. 0: not one.
  double filter_blocks = 0;
  double channel_blocks = 0;
  // Of a convolution of few channels, the same for rows of the image in vectors of pixels.
  double lane_blocks = 0;
};

struct Effort {
  std::vector<MatrixProducts> products;
  Dimension element_flops{0};              // whatever else is computed
  Dimension patch_elements{0};             // gathered under a sliding kernel (im2col)
  Dimension bands{0};                      // of rows that a convolution of few channels takes
  Workspace workspace;                     // assumed, until a kernel has been measured
  std::optional<Dimension> touched_bytes;  // of the first read, where less than all of it is needed
};

// What libraries pack matrices into: blocks of both factors, as far as they fit a cache; and all of
// the right factor where it lies row by row and its rows would share too few sets of a cache.
enum class RightFactor { in_rows, transposed };
Workspace packing_workspace(const MatrixProducts& products, RightFactor right);

// n times as much. Throws ShapeFault if nobody can count that far.
Dimension scaled(Dimension dimension, std::int64_t n);

double flops(const Effort& effort, std::int64_t batch);

// Flops of the matrix products by how well they fill register tiles of `tile_rows` ×
// `tile_columns`: in full tiles, in those cut by the last rows, in those cut by the last columns;
// of convolutions also with filters, and with channels, in blocks, or with pixels in vectors;
// patch_elements and bands. Terms that are 0 are left out.
inline constexpr std::int64_t tile_rows = 8;
inline constexpr std::int64_t tile_columns = 16;
std::map<std::string, double> features(const Effort& effort, std::int64_t batch);

// Attention takes so many queries of a head at a time, and keys in tiles: what it needs for these
// queries, for their scores, half a tile longer than there are keys, and for transposed keys.
// Backward also transposes values, of `out_width`, and has slopes of scores; forward, where that is
// 0, does not.
inline constexpr std::int64_t attention_rows_at_once = 32;
inline constexpr std::int64_t attention_tile_keys = 32;
std::int64_t attention_workspace_bytes(std::int64_t keys, std::int64_t width,
                                       std::int64_t out_width);

}  // namespace stint

#include "models/training/effort.hpp"

namespace stint {
namespace {

// Rows that begin a multiple of 2 KiB apart, and far.
bool has_awkward_width(std::int64_t columns) {
  return columns > 2048 && columns % 512 == 0 &&
         !std::has_single_bit(static_cast<std::uint64_t>(columns));
}

// Bytes of a matrix whose sides are rounded up to what kernels unroll by.
void add_packed(Dimension side, Dimension other, Workspace& workspace) {
  constexpr std::int64_t unrolled = 64;
  if (other.per_sample) std::swap(side, other);
  const auto rounded = [](std::int64_t count) { return (count / unrolled + 1) * unrolled; };
  const std::int64_t row_bytes = bytes_of(Element::f32) * rounded(other.count);
  workspace.bytes += row_bytes * (side.per_sample ? unrolled : rounded(side.count));
  if (side.per_sample) workspace.sample_bytes += row_bytes * side.count;
}

struct Extents {
  double rows = 0;
  double columns = 0;
  double depth = 0;
  double count = 0;
  double flops() const { return 2 * rows * columns * depth * count; }
};

double size_at(Dimension dimension, std::int64_t batch) {
  return static_cast<double>(dimension.count) *
         static_cast<double>(dimension.per_sample ? batch : 1);
}

Extents at(const MatrixProducts& product, std::int64_t batch) {
  return {size_at(product.rows, batch), size_at(product.columns, batch),
          size_at(product.depth, batch), size_at(product.count, batch)};
}

struct TileFlops {
  double full = 0;
  double row_rest = 0;
  double column_rest = 0;
  double filter_blocks = 0;
  double channel_blocks = 0;
  double lane_blocks = 0;
};

void add(const MatrixProducts& product, std::int64_t batch, TileFlops& sum) {
  const Extents whole = at(product, batch);
  Extents full = whole;
  full.rows -= static_cast<double>(product.rows.at(batch) % tile_rows);
  full.columns -= static_cast<double>(product.columns.at(batch) % tile_columns);
  Extents last_rows = whole;
  last_rows.rows -= full.rows;
  sum.full += full.flops();
  sum.row_rest += last_rows.flops();
  sum.column_rest += whole.flops() - full.flops() - last_rows.flops();
  sum.filter_blocks += product.filter_blocks * whole.flops();
  sum.channel_blocks += product.channel_blocks * whole.flops();
  sum.lane_blocks += product.lane_blocks * whole.flops();
}

}  // namespace

Dimension scaled(Dimension dimension, std::int64_t n) {
  std::int64_t count = 0;
  if (__builtin_mul_overflow(dimension.count, n, &count))
    throw ShapeFault("more work than can be counted; expected a smaller layer");
  return {count, dimension.per_sample};
}

double flops(const Effort& effort, std::int64_t batch) {
  double sum = size_at(effort.element_flops, batch);
  for (const MatrixProducts& product : effort.products) sum += at(product, batch).flops();
  return sum;
}

std::map<std::string, double> features(const Effort& effort, std::int64_t batch) {
  TileFlops tiles;
  for (const MatrixProducts& product : effort.products) add(product, batch, tiles);
  std::map<std::string, double> found = {{"tile_flops", tiles.full},
                                         {"row_rest_flops", tiles.row_rest},
                                         {"column_rest_flops", tiles.column_rest},
                                         {"filter_block_flops", tiles.filter_blocks},
                                         {"channel_block_flops", tiles.channel_blocks},
                                         {"lane_flops", tiles.lane_blocks},
                                         {"patch_elements", size_at(effort.patch_elements, batch)},
                                         {"bands", size_at(effort.bands, batch)}};
  std::erase_if(found, [](const auto& feature) { return feature.second == 0; });
  return found;
}

std::int64_t attention_workspace_bytes(std::int64_t keys, std::int64_t width,
                                       std::int64_t out_width) {
  constexpr std::int64_t tile = attention_tile_keys;
  const std::int64_t padded = (keys + tile - 1) / tile * tile;
  const Dimension transposed = scaled({width + out_width}, padded);
  const Dimension queries = scaled({attention_rows_at_once}, width);
  const std::int64_t matrices = out_width > 0 ? 2 : 1;
  const Dimension scores = scaled({matrices * attention_rows_at_once}, padded + tile / 2);
  return scaled({transposed.count + queries.count + scores.count}, bytes_of(Element::f32)).count;
}

Workspace packing_workspace(const MatrixProducts& products, RightFactor right) {
  constexpr std::int64_t cache_bytes = 640 * 1024;
  if (right == RightFactor::in_rows && has_awkward_width(products.columns.count)) {
    Workspace workspace{.bytes = cache_bytes};
    add_packed(products.depth, products.columns, workspace);
    return workspace;
  }
  Workspace workspace{.most_bytes = cache_bytes};
  add_packed(products.rows, products.depth, workspace);
  add_packed(products.depth, products.columns, workspace);
  return workspace;
}

}  // namespace stint

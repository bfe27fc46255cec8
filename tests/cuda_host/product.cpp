#include "tests/cuda_host/product.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace cuda_host {
namespace {

constexpr std::int64_t block_rows = 256;
constexpr std::int64_t block_columns = 4;
using Sums = std::array<std::array<float, block_rows>, block_columns>;

// The rows from `first` on, column after column.
void pack(const HostFactor& a, std::int64_t first, std::int64_t rows, std::int64_t depth,
          std::vector<float>& packed) {
  packed.resize(rows * depth);
  for (std::int64_t p = 0; p < depth; ++p)
    for (std::int64_t i = 0; i < rows; ++i)
      packed[p * rows + i] = a.at[(first + i) * a.row_stride + p * a.column_stride];
}

void sum_block(const std::vector<float>& packed, std::int64_t rows, std::int64_t depth,
               const HostFactor& b, std::int64_t first, std::int64_t columns, Sums& sums) {
  for (auto& column : sums) column.fill(0);
  for (std::int64_t p = 0; p < depth; ++p) {
    const float* const a = &packed[p * rows];
    for (std::int64_t j = 0; j < columns; ++j) {
      const float factor = b.at[p * b.row_stride + (first + j) * b.column_stride];
      float* const sum = sums[j].data();
      for (std::int64_t i = 0; i < rows; ++i) sum[i] += a[i] * factor;
    }
  }
}

}  // namespace

void multiply(const HostProduct& sizes, const HostFactor& a, const HostFactor& b,
              const HostResult& c) {
  if (sizes.rows < sizes.columns) {  // long columns are quicker: C' = B' A'
    HostProduct turned = sizes;
    std::swap(turned.rows, turned.columns);
    return multiply(turned, {b.at, b.column_stride, b.row_stride},
                    {a.at, a.column_stride, a.row_stride}, {c.at, c.column_stride, c.row_stride});
  }
  std::vector<float> packed;
  Sums sums;
  for (std::int64_t row = 0; row < sizes.rows; row += block_rows) {
    const std::int64_t rows = std::min(block_rows, sizes.rows - row);
    pack(a, row, rows, sizes.depth, packed);
    for (std::int64_t column = 0; column < sizes.columns; column += block_columns) {
      const std::int64_t columns = std::min(block_columns, sizes.columns - column);
      sum_block(packed, rows, sizes.depth, b, column, columns, sums);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i)
          store_scaled(sums[j][i], sizes.factor, sizes.kept,
                       c.at[(row + i) * c.row_stride + (column + j) * c.column_stride]);
    }
  }
}

}  // namespace cuda_host

#include "executor/cpu/own/strided_copy.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace stint {
namespace {

constexpr std::int64_t tile = 16;

// to[j + i·to_stride] = from[i + j·from_stride]: i is innermost in the input, j in the output.
template <bool whole>
void transpose_tile(const std::uint32_t* from, std::int64_t from_stride, std::uint32_t* to,
                    std::int64_t to_stride, std::int64_t rows, std::int64_t columns) {
  std::uint32_t kept[tile][tile];
  if (whole) rows = columns = tile;
  for (std::int64_t j = 0; j < columns; ++j)
    std::memcpy(kept[j], from + j * from_stride, rows * sizeof(std::uint32_t));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = kept[j][i];
  }
}

void transpose(const StridedDimension& row, const StridedDimension& column,
               const std::uint32_t* from, std::uint32_t* to) {
  for (std::int64_t i = 0; i < row.size; i += tile) {
    for (std::int64_t j = 0; j < column.size; j += tile) {
      const std::int64_t rows = std::min(tile, row.size - i);
      const std::int64_t columns = std::min(tile, column.size - j);
      const auto copy =
          rows == tile && columns == tile ? transpose_tile<true> : transpose_tile<false>;
      copy(from + i + j * column.stride, column.stride, to + i * row.output_stride + j,
           row.output_stride, rows, columns);
    }
  }
}

void copy_dimensions(std::span<const StridedDimension> dimensions, const std::uint32_t* from,
                     std::uint32_t* to) {
  const StridedDimension& first = dimensions.front();
  const bool run = dimensions.size() == 1 && first.stride == 1;
  if (run) {
    std::memcpy(to, from, first.size * sizeof(std::uint32_t));
  } else if (dimensions.size() == 2 && first.stride == 1) {
    transpose(first, dimensions[1], from, to);
  } else {
    for (std::int64_t i = 0; i < first.size; ++i)
      copy_dimensions(dimensions.subspan(1), from + i * first.stride, to + i * first.output_stride);
  }
}

}  // namespace

StridedCopy strided_copy_of(const std::vector<StridedDimension>& dimensions) {
  StridedCopy copy;
  for (const StridedDimension& inner : dimensions) {
    if (inner.size == 1) continue;
    if (!copy.empty() && copy.back().stride == inner.stride * inner.size)
      copy.back() = {copy.back().size * inner.size, inner.stride};
    else
      copy.push_back(inner);
  }
  if (copy.empty()) copy.push_back({});
  std::int64_t output_stride = 1;
  for (std::size_t i = copy.size(); i-- > 0;) {
    copy[i].output_stride = output_stride;
    output_stride *= copy[i].size;
  }
  const auto along_input = std::find_if(copy.begin(), copy.end(),
                                        [](const StridedDimension& at) { return at.stride == 1; });
  if (along_input + 1 < copy.end()) std::rotate(along_input, along_input + 1, copy.end() - 1);
  return copy;
}

void run_copy(const StridedCopy& copy, const std::uint32_t* from, std::uint32_t* to) {
  copy_dimensions(copy, from, to);
}

}  // namespace stint

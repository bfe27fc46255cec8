// Copies a tensor into another order of its dimensions: what transposes and reorders of images come
// down to. Where no dimension stays innermost, in tiles that fit the nearest cache, so that both
// sides are read and written in whole cache lines.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

// Dimensions of the output from the outermost on, and how far apart their neighbours are in the
// input. Elements of four bytes.
struct StridedDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t output_stride = 1;  // filled in by strided_copy_of
};
using StridedCopy = std::vector<StridedDimension>;

// Dimensions of one are left out, neighbours that stay together become one, and two of them are put
// innermost: the one along which the input lies, and the one along which the output does.
StridedCopy strided_copy_of(const std::vector<StridedDimension>& dimensions);

void run_copy(const StridedCopy& copy, const std::uint32_t* from, std::uint32_t* to);

}  // namespace stint

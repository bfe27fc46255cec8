// Products of matrices small enough for the caches, without packing: what attention is made of,
// head by head. Large products are the library's.
#pragma once

#include <cstdint>

namespace stint {

// Element (i, j) is at[i · row + j · column].
struct StridedMatrix {
  const float* at;
  std::int64_t row = 0;
  std::int64_t column = 1;
};

struct ProductSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

enum class IntoResult { write, add };

// c = a b, or c += a b. Rows of b and c lie in memory, `b_row` and `c_row` apart; sums run over the
// depth in its order.
void multiply_matrices(const ProductSizes& sizes, const StridedMatrix& a, const float* b,
                       std::int64_t b_row, float* c, std::int64_t c_row, IntoResult into);

}  // namespace stint

// Products of matrices on the host: C = factor A B + kept C, in single precision, every sum in one
// fixed order. Blocked just enough for tests to be quick.
#pragma once

#include <cstdint>

namespace cuda_host {

// Element (row, column) is at[row * row_stride + column * column_stride].
struct HostFactor {
  const float* at = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

struct HostResult {
  float* at = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

struct HostProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  float factor = 1;
  float kept = 0;  // 0: what C held is not read
};

inline void store_scaled(float sum, float factor, float kept, float& to) {
  to = kept == 0 ? factor * sum : factor * sum + kept * to;
}

void multiply(const HostProduct& sizes, const HostFactor& a, const HostFactor& b,
              const HostResult& c);

}  // namespace cuda_host

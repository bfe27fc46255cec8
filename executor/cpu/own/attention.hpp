// What attention computes of one head of one sample, compiled twice: for registers of 256 bits and
// of 512 bits. Both give the same bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stint {

struct HeadSizes {
  std::int64_t samples = 0;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t width = 0;  // of a head
  std::int64_t out_width = 0;
  float scale = 1;
  bool causal = false;

  std::int64_t query_row() const { return heads * width; }
  std::int64_t value_row() const { return heads * out_width; }
  // Keys that a query sees.
  std::int64_t seen_by(std::int64_t query) const {
    return causal ? std::min(query + 1, keys) : keys;
  }
};

// A head's rows of a sample, within rows of all heads.
struct Head {
  const float *q, *k, *v;
};

// What backward is given and makes of one head.
struct HeadGradients {
  const float *y, *log_sum, *dy;
  float *dq, *dk, *dv;
};

struct AttentionLoops {
  // log_sum may be null.
  void (*forward)(const HeadSizes& sizes, const Head& head, float* y, float* log_sum,
                  float* workspace);
  void (*backward)(const HeadSizes& sizes, const Head& head, const HeadGradients& gradients,
                   float* workspace);
};

AttentionLoops narrow_attention();  // for any processor that we support
AttentionLoops wide_attention();    // needs AVX-512

}  // namespace stint

// Windows over images as plain loops, for pools that oneDNN does not have: whatever the order of
// the images in memory.
#pragma once

#include <cstdint>

#include "models/layers/layer.hpp"
#include "models/training/task_kernel.hpp"

namespace stint {

// Steps from element to element of an image, along samples, channels, rows and columns.
struct ImageStrides {
  std::int64_t sample, channel, row, column;
};

inline ImageStrides strides_of(const KernelOperand& image) {
  const auto& s = image.shape;
  if (image.channels_last) return {s[1] * s[2] * s[3], 1, s[3] * s[1], s[1]};
  return {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1};
}

struct PlainPool {
  Pair kernel;
  Pair stride;
  Pair dilation;
  Padding padding;
  KernelOperand input;
  KernelOperand output;
};

template <typename Layer>
PlainPool pool_of(const Layer& layer, const Pair& dilation, const KernelOperand& input,
                  const KernelOperand& output) {
  return {layer.kernel, layer.stride, dilation, layer.padding, input, output};
}

// The places of the window at (row, column) of the output that lie inside the input:
// visit(index in the window, offset in a channel of the input).
template <typename Visit>
void for_window(const PlainPool& pool, std::int64_t row, std::int64_t column, const Visit& visit) {
  const ImageStrides strides = strides_of(pool.input);
  for (std::int64_t i = 0; i < pool.kernel[0]; ++i) {
    const std::int64_t y = row * pool.stride[0] - pool.padding[0] + i * pool.dilation[0];
    if (y < 0 || y >= pool.input.shape[2]) continue;
    for (std::int64_t j = 0; j < pool.kernel[1]; ++j) {
      const std::int64_t x = column * pool.stride[1] - pool.padding[1] + j * pool.dilation[1];
      if (x < 0 || x >= pool.input.shape[3]) continue;
      visit(i * pool.kernel[1] + j, y * strides.row + x * strides.column);
    }
  }
}

// Every output: visit(its offset, offset of its channel in the input, row, column).
template <typename Visit>
void for_outputs(const PlainPool& pool, const Visit& visit) {
  const auto& sizes = pool.output.shape;
  const ImageStrides out = strides_of(pool.output);
  const ImageStrides in = strides_of(pool.input);
  for (std::int64_t n = 0; n < sizes[0]; ++n)
    for (std::int64_t y = 0; y < sizes[2]; ++y)
      for (std::int64_t x = 0; x < sizes[3]; ++x)
        for (std::int64_t c = 0; c < sizes[1]; ++c)
          visit(n * out.sample + c * out.channel + y * out.row + x * out.column,
                n * in.sample + c * in.channel, y, x);
}

}  // namespace stint

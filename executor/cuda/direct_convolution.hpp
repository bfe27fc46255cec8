// Convolutions by plain loops: no workspace, any order of channels, any padding; one thread for
// each number of the result, so always the same bits. Many times slower than cuDNN's.
#pragma once

#include "executor/cuda/dnn_calls.hpp"
#include "executor/cuda/gpu_kernel.hpp"

namespace stint {

// Sizes along two axes: of the image x, its result y, the filter, and how it slides.
struct DirectConvolution {
  std::int64_t samples, channels, filters, groups;
  std::int64_t x[2], y[2], taps[2];
  std::int64_t padding[2], stride[2], dilation[2];
  bool x_last, y_last;  // channels last
};

template <typename Convolution>
DirectConvolution direct_convolution(const Convolution& layer, const KernelOperand& x,
                                     const KernelOperand& y) {
  DirectConvolution of{};
  of.samples = x.shape[0];
  of.channels = x.shape[1];
  of.filters = y.shape[1];
  of.groups = layer.groups;
  of.x_last = x.channels_last;
  of.y_last = y.channels_last;
  for (const int axis : {0, 1}) {
    of.x[axis] = x.shape[axis + 2];
    of.y[axis] = y.shape[axis + 2];
    of.taps[axis] = layer.kernel[axis];
    of.padding[axis] = layer.padding[axis];
    of.stride[axis] = layer.stride[axis];
    of.dilation[axis] = layer.dilation[axis];
  }
  return of;
}

// Filters as listed: their channels first.
void convolve_directly(const GpuQueue& queue, const DirectConvolution& of, DnnProduct product,
                       const DnnImages& images);

}  // namespace stint

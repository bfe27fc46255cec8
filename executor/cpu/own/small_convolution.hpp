// A convolution of few channels on a leaf, alone or with what follows it: ReLU, and maxima of
// windows of 2 × 2. Band by band, so that what lies between the layers never leaves the cache;
// compiled twice, for registers of 256 bits and of 512 bits. Both give the same bits.
//
// Nor do the bits depend on what is done in one go. An output is one chain of fused additions, from
// the bias on, over channels, rows and columns of the kernel; so is a gradient of the input, over
// filters. A gradient of a weight is summed by lane over a band, then over bands, then over lanes.
#pragma once

#include <cstdint>

#include "models/training/small_convolution.hpp"

namespace stint {

struct ImageSizes {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool channels_last = false;
  std::int64_t elements() const { return channels * height * width; }
};

struct SmallConvolution {
  std::int64_t samples = 0;
  ImageSizes input;
  ImageSizes output;  // of the convolution; never stored where something follows
  ImageSizes result;  // of all
  std::int64_t kernel_height = 0;
  std::int64_t kernel_width = 0;
  std::int64_t padding_top = 0;
  std::int64_t padding_left = 0;
  bool rectifies = false;
  float min = 0;
  float max = 0;
  bool pools = false;
  BandPlaces at;

  std::int64_t taps() const { return kernel_height * kernel_width; }  // of one channel
};

struct SmallForward {
  const float* x = nullptr;
  const float* weight = nullptr;
  const float* bias = nullptr;  // may be null
  float* y = nullptr;
  std::uint8_t* indices = nullptr;  // may be null
};

// What is null is not there, or not wanted.
struct SmallBackward {
  const float* x = nullptr;
  const float* weight = nullptr;
  const float* y = nullptr;
  const std::uint8_t* indices = nullptr;
  const float* dy = nullptr;
  float* weight_gradient = nullptr;
  float* bias_gradient = nullptr;
  float* dx = nullptr;
};

struct SmallConvolutionLoops {
  void (*forward)(const SmallConvolution& sizes, const SmallForward& data, float* workspace);
  void (*backward)(const SmallConvolution& sizes, const SmallBackward& data, float* workspace);
};

SmallConvolutionLoops narrow_small_convolution();  // for any processor that we support
SmallConvolutionLoops wide_small_convolution();    // needs AVX-512

}  // namespace stint

// Convolutions on the host, by rows of patches: images become matrices in which each row is what a
// filter sees from one place, and a convolution becomes a product.
#pragma once

#include <cstdint>

namespace cuda_host {

// Images: element (n, c, h, w) is at n * stride_n + c * stride_c + h * stride_h + w * stride_w.
struct ImageShape {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  std::int64_t stride_n = 0, stride_c = 0, stride_h = 0, stride_w = 0;
};

struct FilterShape {
  std::int64_t k = 0, c = 0, h = 0, w = 0;  // c: channels of one group
  bool channels_last = false;
};

struct SlideShape {
  std::int64_t pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
};

struct ConvolutionShape {
  ImageShape x, y;
  FilterShape filter;
  SlideShape slide;
};

struct ConvolutionScale {
  float factor = 1;
  float kept = 0;  // of what the result held
};

void convolve_forward(const ConvolutionShape& shape, const ConvolutionScale& scale, const float* x,
                      const float* filter, float* y);
void convolve_backward_data(const ConvolutionShape& shape, const ConvolutionScale& scale,
                            const float* filter, const float* dy, float* dx);
void convolve_backward_filter(const ConvolutionShape& shape, const ConvolutionScale& scale,
                              const float* x, const float* dy, float* dfilter);

}  // namespace cuda_host

#include "executor/cuda/direct_convolution.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

// Where numbers lie, and which of them meet.
struct Around : DirectConvolution {
  __host__ __device__ std::int64_t group_channels() const { return channels / groups; }
  __host__ __device__ std::int64_t group_filters() const { return filters / groups; }
  __host__ __device__ std::int64_t at(const std::int64_t (&size)[2], std::int64_t count, bool last,
                                      std::int64_t n, std::int64_t c, std::int64_t h,
                                      std::int64_t w) const {
    return last ? ((n * size[0] + h) * size[1] + w) * count + c
                : ((n * count + c) * size[0] + h) * size[1] + w;
  }
  __host__ __device__ std::int64_t x_at(std::int64_t n, std::int64_t c, std::int64_t h,
                                        std::int64_t w) const {
    return at(x, channels, x_last, n, c, h, w);
  }
  __host__ __device__ std::int64_t y_at(std::int64_t n, std::int64_t k, std::int64_t h,
                                        std::int64_t w) const {
    return at(y, filters, y_last, n, k, h, w);
  }
  __host__ __device__ std::int64_t filter_at(std::int64_t k, std::int64_t c, std::int64_t r,
                                             std::int64_t s) const {
    return ((k * group_channels() + c) * taps[0] + r) * taps[1] + s;
  }
  // The place in x that a place in y sees through a tap; -1: beside the image.
  __host__ __device__ std::int64_t seen(int axis, std::int64_t out, std::int64_t tap) const {
    const std::int64_t in = out * stride[axis] + tap * dilation[axis] - padding[axis];
    return in < x[axis] ? in : -1;
  }
  // The place in y that sees a place in x through a tap; -1: none does.
  __host__ __device__ std::int64_t seeing(int axis, std::int64_t in, std::int64_t tap) const {
    const std::int64_t ahead = in + padding[axis] - tap * dilation[axis];
    if (ahead < 0 || ahead % stride[axis] != 0) return -1;
    return ahead / stride[axis] < y[axis] ? ahead / stride[axis] : -1;
  }
  std::int64_t x_elements() const { return samples * channels * x[0] * x[1]; }
  std::int64_t y_elements() const { return samples * filters * y[0] * y[1]; }
  std::int64_t filter_elements() const { return filters * group_channels() * taps[0] * taps[1]; }
};

struct Forward {
  Around of;
  const float* x;
  const float* filter;
  float* y;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t w = i % of.y[1], h = i / of.y[1] % of.y[0];
    const std::int64_t k = i / (of.y[0] * of.y[1]) % of.filters;
    const std::int64_t n = i / (of.y[0] * of.y[1] * of.filters);
    const std::int64_t first = k / of.group_filters() * of.group_channels();
    double sum = 0;
    for (std::int64_t c = 0; c < of.group_channels(); ++c) {
      for (std::int64_t r = 0; r < of.taps[0]; ++r) {
        for (std::int64_t s = 0; s < of.taps[1]; ++s) {
          const std::int64_t from_h = of.seen(0, h, r), from_w = of.seen(1, w, s);
          if (from_h < 0 || from_w < 0) continue;
          sum += static_cast<double>(x[of.x_at(n, first + c, from_h, from_w)]) *
                 static_cast<double>(filter[of.filter_at(k, c, r, s)]);
        }
      }
    }
    y[of.y_at(n, k, h, w)] = static_cast<float>(sum);
  }
};

struct BackwardData {
  Around of;
  const float* y;
  const float* filter;
  float* x;
  __host__ __device__ void operator()(std::int64_t i) const {
    const std::int64_t w = i % of.x[1], h = i / of.x[1] % of.x[0];
    const std::int64_t channel = i / (of.x[0] * of.x[1]) % of.channels;
    const std::int64_t n = i / (of.x[0] * of.x[1] * of.channels);
    const std::int64_t group = channel / of.group_channels(), c = channel % of.group_channels();
    double sum = 0;
    for (std::int64_t f = 0; f < of.group_filters(); ++f) {
      const std::int64_t k = group * of.group_filters() + f;
      for (std::int64_t r = 0; r < of.taps[0]; ++r) {
        for (std::int64_t s = 0; s < of.taps[1]; ++s) {
          const std::int64_t to_h = of.seeing(0, h, r), to_w = of.seeing(1, w, s);
          if (to_h < 0 || to_w < 0) continue;
          sum += static_cast<double>(y[of.y_at(n, k, to_h, to_w)]) *
                 static_cast<double>(filter[of.filter_at(k, c, r, s)]);
        }
      }
    }
    x[of.x_at(n, channel, h, w)] = static_cast<float>(sum);
  }
};

// A row for every number of the filter.
struct BackwardFilter {
  using Sum = OneSum;
  Around of;
  const float* x;
  const float* y;
  float* filter;
  __host__ __device__ Sum sum(std::int64_t row, int lane) const {
    const std::int64_t s = row % of.taps[1], r = row / of.taps[1] % of.taps[0];
    const std::int64_t c = row / (of.taps[0] * of.taps[1]) % of.group_channels();
    const std::int64_t k = row / (of.taps[0] * of.taps[1] * of.group_channels());
    const std::int64_t channel = k / of.group_filters() * of.group_channels() + c;
    Sum sum{0};
    for (std::int64_t i = lane; i < of.samples * of.y[0] * of.y[1]; i += lanes_of_row) {
      const std::int64_t w = i % of.y[1], h = i / of.y[1] % of.y[0], n = i / (of.y[0] * of.y[1]);
      const std::int64_t from_h = of.seen(0, h, r), from_w = of.seen(1, w, s);
      if (from_h < 0 || from_w < 0) continue;
      sum.a += static_cast<double>(x[of.x_at(n, channel, from_h, from_w)]) *
               static_cast<double>(y[of.y_at(n, k, h, w)]);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t row, Sum sum, int lane) const {
    if (lane == 0) filter[row] = static_cast<float>(sum.a);
  }
};

}  // namespace

void convolve_directly(const GpuQueue& queue, const DirectConvolution& sizes, DnnProduct product,
                       const DnnImages& images) {
  const Around of{sizes};
  const std::int64_t nx = of.x_elements(), ny = of.y_elements(), nf = of.filter_elements();
  const auto [x, y, filter] = images;
  if (product == DnnProduct::forward)
    elements("direct convolution", queue.stream, ny,
             {reads(x, nx), reads(filter, nf), writes(y, ny)}, Forward{of, x, filter, y});
  else if (product == DnnProduct::backward_data)
    elements("direct convolution backward to data", queue.stream, nx,
             {reads(y, ny), reads(filter, nf), writes(x, nx)}, BackwardData{of, y, filter, x});
  else
    rows("direct convolution backward to filter", queue.stream, nf,
         {reads(x, nx), reads(y, ny), writes(filter, nf)}, BackwardFilter{of, x, y, filter});
}

}  // namespace stint

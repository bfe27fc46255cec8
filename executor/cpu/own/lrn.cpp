// Local response normalisation: y = x s^−β, s = k + α/size Σ x² over neighbouring channels.
//
// Pixel by pixel, one element after the other: few networks have it, and those once.
#include <algorithm>
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

struct LrnSizes {
  LocalResponseNorm layer;
  std::int64_t pixels = 0;
  std::int64_t channels = 0;
  std::int64_t stride = 1;  // from channel to channel
  ChannelView view;

  // Where a pixel's first channel is.
  std::int64_t pixel_at(std::int64_t pixel) const {
    return pixel / view.inner * view.channels * view.inner + pixel % view.inner;
  }
  // Neighbours whose squares count for a channel, half-open; and those for which it counts.
  std::int64_t first_for(std::int64_t channel) const {
    return std::max<std::int64_t>(0, channel - layer.size / 2);
  }
  std::int64_t end_for(std::int64_t channel) const {
    return std::min(channels, channel + (layer.size - 1) / 2 + 1);
  }
  std::int64_t first_with(std::int64_t channel) const {
    return std::max<std::int64_t>(0, channel - (layer.size - 1) / 2);
  }
  std::int64_t end_with(std::int64_t channel) const {
    return std::min(channels, channel + layer.size / 2 + 1);
  }
};

LrnSizes sizes_of(const TaskKernel& kernel) {
  const ChannelView view = view_around(kernel.reads[0], 1);
  return {layer_of<LocalResponseNorm>(kernel), view.outer * view.inner, view.channels, view.inner,
          view};
}

double scale_of(const LrnSizes& sizes, const float* x, std::int64_t channel) {
  double squares = 0;
  for (std::int64_t i = sizes.first_for(channel); i < sizes.end_for(channel); ++i) {
    const auto value = static_cast<double>(x[i * sizes.stride]);
    squares += value * value;
  }
  return sizes.layer.k + sizes.layer.alpha / static_cast<double>(sizes.layer.size) * squares;
}

// s^−β; the exponent that everyone uses needs no logarithm.
double power_of(const LrnSizes& sizes, double scale) {
  if (sizes.layer.beta == 0.75) return 1 / (std::sqrt(scale) * std::sqrt(std::sqrt(scale)));
  return std::pow(scale, -sizes.layer.beta);
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    for (std::int64_t pixel = 0; pixel < sizes.pixels; ++pixel) {
      const float* x = read_at(arguments, 0) + sizes.pixel_at(pixel);
      float* y = write_at(arguments, 0) + sizes.pixel_at(pixel);
      for (std::int64_t channel = 0; channel < sizes.channels; ++channel) {
        const std::int64_t at = channel * sizes.stride;
        y[at] = static_cast<float>(static_cast<double>(x[at]) *
                                   power_of(sizes, scale_of(sizes, x, channel)));
      }
    }
  });
}

// dx = dy s^−β − 2αβ/size x Σ dy x s^(−β−1), the sum over channels that x counts for.
void write_pixel_gradient(const LrnSizes& sizes, const float* x, const float* dy, float* dx) {
  const double factor =
      2 * sizes.layer.alpha * sizes.layer.beta / static_cast<double>(sizes.layer.size);
  for (std::int64_t channel = 0; channel < sizes.channels; ++channel) {
    double sum = 0;
    double own_power = 0;
    for (std::int64_t i = sizes.first_with(channel); i < sizes.end_with(channel); ++i) {
      const double scale = scale_of(sizes, x, i);
      const double power = power_of(sizes, scale);
      if (i == channel) own_power = power;
      sum += static_cast<double>(dy[i * sizes.stride]) * static_cast<double>(x[i * sizes.stride]) *
             power / scale;
    }
    const std::int64_t at = channel * sizes.stride;
    dx[at] = static_cast<float>(static_cast<double>(dy[at]) * own_power -
                                factor * static_cast<double>(x[at]) * sum);
  }
}

std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    for (std::int64_t pixel = 0; pixel < sizes.pixels; ++pixel) {
      const std::int64_t at = sizes.pixel_at(pixel);
      write_pixel_gradient(sizes, read_at(arguments, 0) + at, read_at(arguments, 1) + at,
                           write_at(arguments, 0) + at);
    }
  });
}

constexpr OwnKernel kernels[] = {{"lrn.forward", make_forward}, {"lrn.backward", make_backward}};

}  // namespace

OwnKernels lrn_kernels() { return kernels; }

}  // namespace stint

#include "models/training/small_convolution.hpp"

#include <algorithm>

#include "models/layers/shape.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

std::int64_t rounded_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

bool has_less_padding_than_taps(const Conv2d& layer) {
  for (const int side : {0, 1, 2, 3}) {
    if (layer.padding[side] >= layer.kernel[side % 2]) return false;
  }
  return true;
}

// Sizes of what exists in files are limited, but a product of several of them is not.
std::int64_t product_of(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 56;  // of which several can be added
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > most)
    throw ShapeFault("more work than can be counted; expected a smaller layer");
  return result;
}

}  // namespace

bool is_small_convolution(const Conv2d& layer, std::int64_t channels) {
  constexpr std::int64_t most_channels = 4;
  constexpr std::int64_t most_taps = 7;
  return layer.groups == 1 && channels <= most_channels && layer.filters <= most_small_channels &&
         layer.kernel[0] <= most_taps && layer.kernel[1] <= most_taps &&
         layer.kernel[0] * layer.kernel[1] > 1 && layer.stride == Pair{1, 1} &&
         layer.dilation == Pair{1, 1} && has_less_padding_than_taps(layer);
}

// A row has room for vectors that begin in it and for taps that reach beyond them; what is no pixel
// there is 0.
BandPlaces band_places(const Conv2d& layer, std::int64_t channels, std::int64_t width,
                       std::int64_t out_width) {
  const std::int64_t taps = layer.kernel[0] * layer.kernel[1] * channels * layer.filters;
  const std::int64_t reach = layer.padding[1] + 2 * layer.kernel[1];
  BandPlaces at;
  at.pitch = rounded_up(rounded_up(std::max(width, out_width), 2 * band_lanes) + reach, band_lanes);
  const std::int64_t plane = product_of(at.pitch, band_rows + layer.kernel[0] - 1);
  const std::int64_t band = product_of(at.pitch, band_rows);
  const auto numbers = [](std::int64_t count) { return rounded_up(count, band_lanes); };
  at.output = product_of(plane, channels);
  at.kept = at.output + product_of(plane, layer.filters);
  at.weight = at.kept + product_of(band, std::max(channels, 3 * layer.filters));
  at.sums = at.weight + 2 * numbers(taps) + numbers(std::max(channels, layer.filters));
  at.offsets = at.sums + (taps + layer.filters) * band_lanes;
  at.end = at.offsets +
           2 * numbers(layer.kernel[0] * layer.kernel[1] * std::max(channels, layer.filters));
  return at;
}

std::int64_t small_convolution_bytes(const Conv2d& layer, std::int64_t channels, std::int64_t width,
                                     std::int64_t out_width) {
  return product_of(float_bytes, band_places(layer, channels, width, out_width).end);
}

}  // namespace stint

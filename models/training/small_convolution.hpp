// Convolutions of few channels, which libraries compute badly: they fill no vector with channels.
// Kernels of ours take a sample in bands of rows instead, channel by channel, with pixels in the
// lanes of a vector, so that what lies between layers (ReLU, pooling) can be done while a band is
// in the cache. Here is which convolutions these are, and what they need: by shapes alone, because
// it decides the bits.
#pragma once

#include <cstdint>

#include "models/layers/layer.hpp"

namespace stint {

// So many rows of the output are computed at a time, and summed over in one go.
inline constexpr std::int64_t band_rows = 8;
inline constexpr std::int64_t band_lanes = 16;

// Of inputs and outputs: beyond that, products of matrices by a library are faster.
inline constexpr int most_small_channels = 8;

bool is_small_convolution(const Conv2d& layer, std::int64_t channels);

// How much is done band by band: multiply-adds in full vectors of pixels, as a share of those that
// the pixels ask for, and bands of rows. From the input, for outputs and for gradients of weights;
// or from gradients of outputs, for those of the input, whose last band is computed as a whole.
struct BandedWork {
  double lanes = 0;  // as a share
  std::int64_t bands = 0;
};
BandedWork banded_products(std::int64_t height, std::int64_t width);  // of the output
BandedWork banded_input_gradient(const Conv2d& layer, std::int64_t width, std::int64_t out_height,
                                 std::int64_t out_width);

// The places of a band in a workspace, in floats.
struct BandPlaces {
  std::int64_t pitch = 0;  // from row to row of a plane
  std::int64_t input = 0;
  std::int64_t output = 0;  // or its gradient, after the last rows of the band before it
  std::int64_t kept = 0;    // three planes a filter or one a channel, of one band each
  std::int64_t weight = 0;  // two copies, as loops want them, and the bias
  std::int64_t sums = 0;    // of the weight's gradient and the bias's, by lane
  std::int64_t offsets = 0;
  std::int64_t end = 0;
};
BandPlaces band_places(const Conv2d& layer, std::int64_t channels, std::int64_t width,
                       std::int64_t out_width);

std::int64_t small_convolution_bytes(const Conv2d& layer, std::int64_t channels, std::int64_t width,
                                     std::int64_t out_width);

}  // namespace stint

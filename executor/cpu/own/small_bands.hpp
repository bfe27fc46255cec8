// A band of a small convolution in its workspace: planes of the input, of the output or its
// gradient, and of what is kept of the result, with the taps between them. Local to the file that
// includes it, like wide_lanes.hpp.
#pragma once

#include "executor/cpu/own/band_images.hpp"
#include "executor/cpu/own/band_maxima.hpp"
#include "executor/cpu/own/band_products.hpp"

namespace stint {
namespace {

static_assert(band_lanes == wide_count);

inline std::int64_t vectors_of(std::int64_t width) { return (width + wide_count - 1) / wide_count; }

// What the workspace holds, and what of it stays the same for all bands.
class SmallBands {
 public:
  SmallBands(const SmallConvolution& sizes, float* workspace)
      : s_(sizes), rectifier_{wide(sizes.min), wide(sizes.max)}, workspace_(workspace) {
    std::fill_n(workspace, sizes.at.end, 0.0F);
  }

 protected:
  std::int64_t halo() const { return s_.kernel_height - 1; }
  BandPlanes<float> planes(std::int64_t at, std::int64_t rows) const {
    return {workspace_ + at, s_.at.pitch, rows * s_.at.pitch};
  }
  BandPlanes<float> input() const { return planes(s_.at.input, band_rows + halo()); }
  BandPlanes<float> output() const { return planes(s_.at.output, band_rows + halo()); }
  // What is stored of the result, its gradient, and where maxima were.
  BandPlanes<float> result() const { return planes(s_.at.kept, band_rows); }
  BandPlanes<float> gradient() const {
    return planes(s_.at.kept + s_.output.channels * band_rows * s_.at.pitch, band_rows);
  }
  BandPlanes<std::uint8_t> places() const {
    float* const at = workspace_ + s_.at.kept + 2 * s_.output.channels * band_rows * s_.at.pitch;
    return {reinterpret_cast<std::uint8_t*>(at), s_.at.pitch, band_rows * s_.at.pitch};
  }
  std::int64_t* offsets() const {
    return reinterpret_cast<std::int64_t*>(workspace_ + s_.at.offsets);
  }
  float* weights() const { return workspace_ + s_.at.weight; }
  float* bias() const { return weights() + s_.at.sums - s_.at.weight - bias_floats(); }
  std::int64_t bias_floats() const {
    return vectors_of(std::max(s_.input.channels, s_.output.channels)) * wide_count;
  }

  // Rows of the result in a band, and the first of them.
  std::int64_t result_rows() const { return s_.pools ? band_rows / 2 : band_rows; }
  std::int64_t result_row(std::int64_t first) const { return s_.pools ? first / 2 : first; }

  void take_input(const float* sample, std::int64_t first) {
    const BandPlanes<float> all = input();
    const BandPlanes<float> inside{all.at + s_.padding_left, all.pitch, all.plane};
    const std::int64_t from = first - s_.padding_top;
    clear_rows(s_.input, from, band_rows + halo(), inside);
    take_rows(s_.input, sample, from, band_rows + halo(), inside);
  }

  // Taps into planes of the input, in the order in which they are listed.
  TapOffsets input_taps() const {
    const BandPlanes<float> in = input();
    std::int64_t count = 0;
    for (std::int64_t c = 0; c < s_.input.channels; ++c) {
      for (std::int64_t i = 0; i < s_.kernel_height; ++i) {
        for (std::int64_t j = 0; j < s_.kernel_width; ++j)
          offsets()[count++] = c * in.plane + i * in.pitch + j;
      }
    }
    return {offsets(), count};
  }

  // Taps into planes of the output's gradient, from a pixel of the input on: the row `halo` of a
  // plane is the band's first, and its column kernel_width - 1 the image's first.
  TapOffsets output_taps() const {
    const BandPlanes<float> out = output();
    std::int64_t count = 0;
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      for (std::int64_t i = 0; i < s_.kernel_height; ++i) {
        for (std::int64_t j = 0; j < s_.kernel_width; ++j)
          offsets()[count++] =
              f * out.plane + (halo() - i) * out.pitch + s_.kernel_width - 1 - j + s_.padding_left;
      }
    }
    return {offsets(), count};
  }

  const SmallConvolution& s_;
  Rectifier rectifier_;
  float* workspace_;
};

}  // namespace
}  // namespace stint

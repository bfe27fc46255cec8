// Rows of images as planes of a band, one a channel, and back. Local to the file that includes it,
// like wide_lanes.hpp.
#pragma once

#include <algorithm>
#include <cstring>

#include "executor/cpu/own/small_convolution.hpp"
#include "executor/cpu/own/with_constant.hpp"

namespace stint {
namespace {

// Row 0 of channel 0; rows are `pitch` apart, planes of channels `plane`.
template <typename Number>
struct BandPlanes {
  Number* at;
  std::int64_t pitch;
  std::int64_t plane;
};

template <int channels, typename Number>
void to_planes(const Number* pixels, std::int64_t width, Number* row, std::int64_t plane) {
  for (std::int64_t i = 0; i < width; ++i) {
    for (int c = 0; c < channels; ++c) row[c * plane + i] = pixels[i * channels + c];
  }
}

template <int channels, typename Number>
void from_planes(const Number* row, std::int64_t plane, std::int64_t width, Number* pixels) {
  for (std::int64_t i = 0; i < width; ++i) {
    for (int c = 0; c < channels; ++c) pixels[i * channels + c] = row[c * plane + i];
  }
}

// visit(row of the band) for those that the image has.
template <typename Visit>
void visit_rows(const ImageSizes& image, std::int64_t first, std::int64_t rows, Visit visit) {
  const std::int64_t end = std::min(rows, image.height - first);
  for (std::int64_t row = std::max<std::int64_t>(0, -first); row < end; ++row) visit(row);
}

// Rows from `first` on of one sample, as far as the image has them.
template <typename Number>
void take_rows(const ImageSizes& image, const Number* sample, std::int64_t first, std::int64_t rows,
               const BandPlanes<Number>& to) {
  visit_rows(image, first, rows, [&](std::int64_t row) {
    Number* const begin = to.at + row * to.pitch;
    const std::int64_t at = (first + row) * image.width;
    if (image.channels_last && image.channels > 1)
      return with_constant<most_small_channels>(image.channels, [&](auto channels) {
        to_planes<channels.value>(sample + at * image.channels, image.width, begin, to.plane);
      });
    for (std::int64_t c = 0; c < image.channels; ++c)
      std::memcpy(begin + c * to.plane, sample + c * image.height * image.width + at,
                  static_cast<std::size_t>(image.width) * sizeof(Number));
  });
}

template <typename Number>
void put_rows(const ImageSizes& image, const BandPlanes<Number>& from, std::int64_t first,
              std::int64_t rows, Number* sample) {
  visit_rows(image, first, rows, [&](std::int64_t row) {
    const Number* const begin = from.at + row * from.pitch;
    const std::int64_t at = (first + row) * image.width;
    if (image.channels_last && image.channels > 1)
      return with_constant<most_small_channels>(image.channels, [&](auto channels) {
        from_planes<channels.value>(begin, from.plane, image.width, sample + at * image.channels);
      });
    for (std::int64_t c = 0; c < image.channels; ++c)
      std::memcpy(sample + c * image.height * image.width + at, begin + c * from.plane,
                  static_cast<std::size_t>(image.width) * sizeof(Number));
  });
}

// Rows that the image does not have are zeros.
inline void clear_rows(const ImageSizes& image, std::int64_t first, std::int64_t rows,
                       const BandPlanes<float>& planes) {
  for (std::int64_t row = 0; row < rows; ++row) {
    if (first + row >= 0 && first + row < image.height) continue;
    for (std::int64_t c = 0; c < image.channels; ++c)
      std::fill_n(planes.at + c * planes.plane + row * planes.pitch, image.width, 0.0F);
  }
}

}  // namespace
}  // namespace stint

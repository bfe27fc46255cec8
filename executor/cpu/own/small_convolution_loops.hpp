// The passes over a leaf, band by band. Everything here is local to the file that includes it: see
// wide_lanes.hpp.
#pragma once

#include "executor/cpu/own/band_maxima.hpp"
#include "executor/cpu/own/small_bands.hpp"

namespace stint {
namespace {

class SmallForwardBands : SmallBands {
 public:
  SmallForwardBands(const SmallConvolution& sizes, const SmallForward& data, float* workspace)
      : SmallBands(sizes, workspace), data_(data), product_{input().at, input_taps()} {
    pack();
    product_.weight = weights();
    product_.bias = bias();
    product_.planes = s_.output.channels;
    product_.to = output().at;
    product_.plane = output().plane;
  }

  void run() {
    const std::int64_t rows = s_.pools ? 2 * s_.result.height : s_.output.height;
    for (std::int64_t sample = 0; sample < s_.samples; ++sample) {
      for (std::int64_t first = 0; first < rows; first += band_rows)
        run_band(sample, first, std::min(band_rows, rows - first));
    }
  }

 private:
  void pack() {
    const std::int64_t depth = product_.taps.count;
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      for (std::int64_t k = 0; k < depth; ++k)
        weights()[k * s_.output.channels + f] = data_.weight[f * depth + k];
      bias()[f] = data_.bias == nullptr ? 0 : data_.bias[f];
    }
  }

  void run_band(std::int64_t sample, std::int64_t first, std::int64_t rows) {
    take_input(data_.x + sample * s_.input.elements(), first);
    for (std::int64_t row = 0; row < rows; ++row)
      slide_row(product_, row * s_.at.pitch, vectors_of(s_.output.width));
    float* const y = data_.y + sample * s_.result.elements();
    if (!s_.rectifies) return put_rows(s_.result, output(), first, rows, y);
    finish(s_.pools ? rows / 2 : rows);
    put_rows(s_.result, result(), result_row(first), result_rows(), y);
    if (data_.indices != nullptr)
      put_rows(s_.result, places(), result_row(first), result_rows(),
               data_.indices + sample * s_.result.elements());
  }

  void finish(std::int64_t rows) {
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      const float* const from = output().at + f * output().plane;
      float* const to = result().at + f * result().plane;
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * s_.at.pitch;
        if (s_.pools)
          pool_row(from + 2 * at, from + 2 * at + s_.at.pitch, s_.result.width, rectifier_, to + at,
                   places().at + f * places().plane + at);
        else
          rectify_row(from + at, s_.result.width, rectifier_, to + at);
      }
    }
  }

  const SmallForward& data_;
  SlidingProduct product_;
};

class SmallBackwardBands : SmallBands {
 public:
  SmallBackwardBands(const SmallConvolution& sizes, const SmallBackward& data, float* workspace)
      : SmallBands(sizes, workspace), data_(data) {
    if (data.dx != nullptr) pack();
  }

  void run() {
    const std::int64_t rows = s_.output.height + (data_.dx != nullptr ? halo() : 0);
    for (std::int64_t sample = 0; sample < s_.samples; ++sample) {
      forget_rows();
      for (std::int64_t first = 0; first < rows; first += band_rows) {
        take_gradient(sample, first);
        if (data_.weight_gradient != nullptr && first < s_.output.height)
          sum_weights(sample, first);
        if (data_.dx != nullptr) make_input_gradient(sample, first);
      }
    }
    if (data_.weight_gradient != nullptr) put_sums();
  }

 private:
  float* weight_sums() const { return workspace_ + s_.at.sums; }
  std::int64_t weight_count() const { return s_.output.channels * s_.input.channels * s_.taps(); }
  float* bias_sums() const { return weight_sums() + weight_count() * wide_count; }
  // The band's first row, after the halo, at the image's first column.
  BandPlanes<float> band() const {
    const BandPlanes<float> all = output();
    return {all.at + halo() * all.pitch + s_.kernel_width - 1, all.pitch, all.plane};
  }

  // Weights as [filter, row, column][channel].
  void pack() {
    const std::int64_t taps = s_.taps();
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      for (std::int64_t c = 0; c < s_.input.channels; ++c) {
        for (std::int64_t k = 0; k < taps; ++k)
          weights()[(f * taps + k) * s_.input.channels + c] =
              data_.weight[(f * s_.input.channels + c) * taps + k];
      }
    }
  }

  void forget_rows() {
    for (std::int64_t f = 0; f < s_.output.channels; ++f)
      std::fill_n(output().at + f * output().plane, halo() * s_.at.pitch, 0.0F);
  }

  // The last rows of the band before stand above this one's.
  void keep_rows() {
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      float* const plane = output().at + f * output().plane;
      std::memmove(plane, plane + band_rows * s_.at.pitch,
                   static_cast<std::size_t>(halo() * s_.at.pitch) * sizeof(float));
    }
  }

  void take_gradient(std::int64_t sample, std::int64_t first) {
    if (first > 0 && data_.dx != nullptr) keep_rows();
    clear_rows(s_.output, first, band_rows, band());
    const std::int64_t at = sample * s_.result.elements();
    if (!s_.rectifies) return take_rows(s_.output, data_.dy + at, first, band_rows, band());
    const std::int64_t row = result_row(first);
    take_rows(s_.result, data_.y + at, row, result_rows(), result());
    take_rows(s_.result, data_.dy + at, row, result_rows(), gradient());
    if (s_.pools) take_rows(s_.result, data_.indices + at, row, result_rows(), places());
    spread(std::min(result_rows(), s_.result.height - row));
    if (s_.pools && s_.output.height % 2 != 0) clear_last_row(first);
  }

  void spread(std::int64_t rows) {
    for (std::int64_t f = 0; f < s_.output.channels; ++f) {
      const std::int64_t plane = f * result().plane;
      float* const to = band().at + f * band().plane;
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = plane + row * s_.at.pitch;
        const std::int64_t out = row * s_.at.pitch;
        if (s_.pools)
          pool_row_back(result().at + at, places().at + at, gradient().at + at, s_.result.width,
                        rectifier_, to + 2 * out, to + 2 * out + s_.at.pitch);
        else
          rectify_row_back(result().at + at, gradient().at + at, s_.result.width, rectifier_,
                           to + out);
      }
    }
  }

  // Which belongs to no window.
  void clear_last_row(std::int64_t first) {
    const std::int64_t row = s_.output.height - 1 - first;
    if (row < 0 || row >= band_rows) return;
    for (std::int64_t f = 0; f < s_.output.channels; ++f)
      std::fill_n(band().at + f * band().plane + row * s_.at.pitch, s_.output.width, 0.0F);
  }

  void sum_weights(std::int64_t sample, std::int64_t first) {
    take_input(data_.x + sample * s_.input.elements(), first);
    const SummedProducts products{.left = band().at,
                                  .right = input().at,
                                  .taps = input_taps(),
                                  .planes = s_.output.channels,
                                  .plane = band().plane,
                                  .pitch = s_.at.pitch,
                                  .rows = std::min(band_rows, s_.output.height - first),
                                  .vectors = vectors_of(s_.output.width),
                                  .sums = weight_sums()};
    add_products(products);
    if (data_.bias_gradient != nullptr) add_planes(products, bias_sums());
  }

  void put_sums() {
    for (std::int64_t i = 0; i < weight_count(); ++i)
      data_.weight_gradient[i] = sum_of(load_wide(weight_sums() + i * wide_count));
    if (data_.bias_gradient == nullptr) return;
    for (std::int64_t f = 0; f < s_.output.channels; ++f)
      data_.bias_gradient[f] = sum_of(load_wide(bias_sums() + f * wide_count));
  }

  // Rows of the padded input from `first` on, of which only those of the image are stored. They
  // take the place of what was made of the result, which is in the band by now.
  void make_input_gradient(std::int64_t sample, std::int64_t first) {
    const SlidingProduct product{.from = output().at,
                                 .taps = output_taps(),
                                 .weight = weights(),
                                 .bias = bias(),
                                 .planes = s_.input.channels,
                                 .to = result().at,
                                 .plane = result().plane};
    for (std::int64_t row = 0; row < band_rows; ++row)
      slide_row(product, row * s_.at.pitch, vectors_of(s_.input.width));
    put_rows(s_.input, result(), first - s_.padding_top, band_rows,
             data_.dx + sample * s_.input.elements());
    clear_slack();
  }

  // Beyond the columns of the result there must be zeros again.
  void clear_slack() {
    if (!s_.rectifies) return;
    for (std::int64_t c = 0; c < s_.input.channels; ++c)
      std::fill_n(result().at + c * result().plane, result().plane, 0.0F);
  }

  const SmallBackward& data_;
};

inline void convolve_leaf(const SmallConvolution& sizes, const SmallForward& data,
                          float* workspace) {
  SmallForwardBands(sizes, data, workspace).run();
}

inline void convolve_leaf_back(const SmallConvolution& sizes, const SmallBackward& data,
                               float* workspace) {
  SmallBackwardBands(sizes, data, workspace).run();
}

}  // namespace
}  // namespace stint

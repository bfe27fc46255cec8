// A ReLU and maxima over windows after it, of images with their channels last, and their gradients.
// Maxima are those of oneDNN: the first of equal ones counts, and what is not a number does not, so
// that nothing may be left. Lanes are channels.
#include <algorithm>
#include <cstring>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/rectifier.hpp"

namespace stint {
namespace {

using ByteLanes [[gnu::vector_size(8)]] = std::uint8_t;
constexpr float no_maximum = std::numeric_limits<float>::lowest();

struct PoolSizes {
  std::int64_t samples, channels;
  std::int64_t height, width;  // of the image
  std::int64_t rows, columns;  // of the maxima
  MaxPool2d pool;

  PoolSizes(const KernelOperand& image, const KernelOperand& maxima, const MaxPool2d& layer)
      : samples(image.shape[0]),
        channels(image.shape[1]),
        height(image.shape[2]),
        width(image.shape[3]),
        rows(maxima.shape[2]),
        columns(maxima.shape[3]),
        pool(layer) {}

  std::int64_t image_elements() const { return height * width * channels; }
  std::int64_t maxima_elements() const { return rows * columns * channels; }
};

// of_element(index in the window, offset of the pixel in its image) for all pixels of a window.
template <typename OfElement>
void for_window(const PoolSizes& s, std::int64_t row, std::int64_t column,
                const OfElement& of_element) {
  const std::int64_t top = row * s.pool.stride[0] - s.pool.padding[0];
  const std::int64_t left = column * s.pool.stride[1] - s.pool.padding[1];
  const std::int64_t bottom = std::min(top + s.pool.kernel[0], s.height);
  const std::int64_t right = std::min(left + s.pool.kernel[1], s.width);
  for (std::int64_t y = std::max<std::int64_t>(top, 0); y < bottom; ++y) {
    for (std::int64_t x = std::max<std::int64_t>(left, 0); x < right; ++x)
      of_element(static_cast<std::int32_t>((y - top) * s.pool.kernel[1] + x - left),
                 (y * s.width + x) * s.channels);
  }
}

// of_lanes(first channel, how many of them).
template <typename OfLanes>
void for_channels(std::int64_t channels, const OfLanes& of_lanes) {
  std::int64_t channel = 0;
  for (; channel + lane_count <= channels; channel += lane_count) of_lanes(channel, lane_count);
  if (channel < channels) of_lanes(channel, channels - channel);
}

void store_bytes(std::uint8_t* to, IntLanes lanes, std::int64_t count) {
  const ByteLanes bytes = __builtin_convertvector(lanes, ByteLanes);
  std::memcpy(to, &bytes, static_cast<std::size_t>(count));
}
IntLanes load_bytes(const std::uint8_t* from, std::int64_t count) {
  ByteLanes bytes{};
  std::memcpy(&bytes, from, static_cast<std::size_t>(count));
  return __builtin_convertvector(bytes, IntLanes);
}

void pool_sample(const PoolSizes& s, const LaneRectifier& relu, const float* image, float* maxima,
                 std::uint8_t* places) {
  for (std::int64_t row = 0; row < s.rows; ++row) {
    for (std::int64_t column = 0; column < s.columns; ++column) {
      const std::int64_t at = (row * s.columns + column) * s.channels;
      for_channels(s.channels, [&](std::int64_t channel, std::int64_t count) {
        Lanes greatest = splat(no_maximum);
        IntLanes place{};
        for_window(s, row, column, [&](std::int32_t index, std::int64_t pixel) {
          const Lanes x = relu.of(load_lanes(image + pixel + channel, count));
          place = x > greatest ? IntLanes{} + index : place;
          greatest = x > greatest ? x : greatest;
        });
        store_lanes(maxima + at + channel, greatest, count);
        if (places != nullptr) store_bytes(places + at + channel, place, count);
      });
    }
  }
}

// Rows of the image are cleared when the first window reaches them.
void spread_sample(const PoolSizes& s, const LaneRectifier& relu, const float* maxima,
                   const std::uint8_t* places, const float* dy, float* dx) {
  std::int64_t cleared = 0;
  const auto clear_to = [&](std::int64_t end) {
    for (; cleared < end; ++cleared)
      std::fill_n(dx + cleared * s.width * s.channels, s.width * s.channels, 0.0F);
  };
  for (std::int64_t row = 0; row < s.rows; ++row) {
    clear_to(std::min(row * s.pool.stride[0] - s.pool.padding[0] + s.pool.kernel[0], s.height));
    for (std::int64_t column = 0; column < s.columns; ++column) {
      const std::int64_t at = (row * s.columns + column) * s.channels;
      for_channels(s.channels, [&](std::int64_t channel, std::int64_t count) {
        const Lanes maximum = load_lanes(maxima + at + channel, count);
        const Lanes given = load_lanes(dy + at + channel, count);
        // Of what is not a number, the gradient goes on.
        const Lanes gradient = maximum == no_maximum ? given : relu.gradient(maximum, given);
        const IntLanes place = load_bytes(places + at + channel, count);
        for_window(s, row, column, [&](std::int32_t index, std::int64_t pixel) {
          float* const to = dx + pixel + channel;
          const Lanes more = place == index ? gradient : Lanes{};
          store_lanes(to, load_lanes(to, count) + more, count);
        });
      });
    }
  }
  clear_to(s.height);
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const auto& fused = std::get<FusedPool>(kernel.origin);
  return loop_kernel([s = PoolSizes(kernel.reads[0], kernel.writes[0], fused.pool),
                      relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
    const float* image = read_at(arguments, 0);
    float* maxima = write_at(arguments, 0);
    auto* places = arguments.writes.size() > 1 ? write_at<std::uint8_t>(arguments, 1) : nullptr;
    for (std::int64_t sample = 0; sample < s.samples; ++sample) {
      const std::int64_t at = sample * s.maxima_elements();
      pool_sample(s, relu, image + sample * s.image_elements(), maxima + at,
                  places == nullptr ? nullptr : places + at);
    }
  });
}

std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel) {
  const auto& fused = std::get<FusedPool>(kernel.origin);
  return loop_kernel([s = PoolSizes(kernel.writes[0], kernel.reads[0], fused.pool),
                      relu = LaneRectifier(fused.rectifier)](const KernelArguments& arguments) {
    const float* maxima = read_at(arguments, 0);
    const auto* places = read_at<std::uint8_t>(arguments, 1);
    const float* dy = read_at(arguments, 2);
    float* dx = write_at(arguments, 0);
    for (std::int64_t sample = 0; sample < s.samples; ++sample) {
      const std::int64_t at = sample * s.maxima_elements();
      spread_sample(s, relu, maxima + at, places + at, dy + at, dx + sample * s.image_elements());
    }
  });
}

constexpr OwnKernel kernels[] = {{"relu_pool.forward", make_forward},
                                 {"relu_pool.backward", make_backward}};

}  // namespace

OwnKernels relu_pool_kernels() { return kernels; }

}  // namespace stint

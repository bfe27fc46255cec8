#include "executor/cpu/dnn/bias_sums.hpp"

#include <algorithm>
#include <array>

namespace stint {
namespace {

constexpr std::int64_t tile = 64;  // columns at a time: their sums stay in registers or near

void sum_columns(const float* matrix, std::int64_t rows, std::int64_t columns, float* sums) {
  for (std::int64_t first = 0; first < columns; first += tile) {
    const std::int64_t width = std::min(tile, columns - first);
    std::array<double, tile> sum{};
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* from = matrix + row * columns + first;
      for (std::int64_t i = 0; i < width; ++i) sum[i] += static_cast<double>(from[i]);
    }
    for (std::int64_t i = 0; i < width; ++i) sums[first + i] = static_cast<float>(sum[i]);
  }
}

void sum_planes(const float* planes, std::int64_t rows, std::int64_t channels, std::int64_t pixels,
                float* sums) {
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* from = planes + (row * channels + channel) * pixels;
      for (std::int64_t i = 0; i < pixels; ++i) sum += static_cast<double>(from[i]);
    }
    sums[channel] = static_cast<float>(sum);
  }
}

}  // namespace

DnnKernelWithBias::DnnKernelWithBias(const TaskKernel& task, std::size_t axis)
    : has_bias_(task.writes.size() > 1) {
  const KernelOperand& dy = task.reads[1];
  for (std::size_t i = 0; i < dy.shape.size(); ++i) {
    const bool is_beside = i > axis && !dy.channels_last;
    (i == axis ? channels_ : is_beside ? pixels_ : rows_) *= dy.shape[i];
  }
}

void DnnKernelWithBias::run(const KernelArguments& arguments) {
  DnnKernel::run(arguments);
  if (!has_bias_) return;
  const auto* dy = reinterpret_cast<const float*>(arguments.reads[1]);
  auto* sums = reinterpret_cast<float*>(arguments.writes[1]);
  if (pixels_ == 1)
    sum_columns(dy, rows_, channels_, sums);
  else
    sum_planes(dy, rows_, channels_, pixels_, sums);
}

}  // namespace stint

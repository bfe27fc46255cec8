// Dropout: keeps an element with probability 1 − p and divides it by that.
#include <cmath>

#include "executor/cpu/own/dropout_mask.hpp"
#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

struct DropoutSizes {
  ChannelView view;               // as it lies in memory
  std::int64_t outer_stride = 0;  // logical positions between neighbours
  std::int64_t inner_stride = 0;
  std::int64_t elements_per_sample = 0;
  std::uint32_t dropped_below = 0;
  float factor = 1;
  std::int64_t seed = 0;
};

// Images with their channels last are walked pixel by pixel.
DropoutSizes sizes_of(const TaskKernel& kernel) {
  const auto& layer = layer_of<Dropout>(kernel);
  const KernelOperand& operand = kernel.reads[0];
  DropoutSizes sizes{.seed = layer.seed};
  const std::int64_t count = element_count(operand);
  sizes.elements_per_sample = count / kernel.samples;
  sizes.view = {1, 1, count};
  sizes.inner_stride = 1;
  if (lies_channels_last(operand)) {
    sizes.view = {operand.shape[0], operand.shape[2] * operand.shape[3], operand.shape[1]};
    sizes.outer_stride = sizes.elements_per_sample;
    sizes.inner_stride = sizes.view.channels;
  }
  sizes.dropped_below = dropped_below(layer.probability);
  sizes.factor = static_cast<float>(1 / (1 - layer.probability));
  return sizes;
}

void drop(const DropoutSizes& sizes, PhiloxKey key, std::uint64_t first, const float* x, float* y) {
  const std::uint32_t threshold = sizes.dropped_below;
  const float factor = sizes.factor;
  for (std::int64_t begin = 0; begin < sizes.view.inner; begin += dropout_bits_at_once) {
    std::uint32_t bits[dropout_bits_at_once];
    fill_random_bits(key, first + begin * sizes.inner_stride, sizes.inner_stride, bits);
    float factors[dropout_bits_at_once];
    for (std::int64_t i = 0; i < dropout_bits_at_once; ++i)
      factors[i] = bits[i] < threshold ? 0.0F : factor;
    map_elements(std::min(dropout_bits_at_once, sizes.view.inner - begin), y + begin,
                 [&](auto load) { return load(x + begin) * load(factors); });
  }
}

std::unique_ptr<CpuKernel> make_dropout(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    const PhiloxKey key = dropout_key(arguments.seed, sizes.seed, arguments.step);
    const float* x = read_at(arguments, 0);
    float* y = write_at(arguments, 0);
    const std::int64_t first = arguments.first_sample * sizes.elements_per_sample;
    for (std::int64_t outer = 0; outer < sizes.view.outer; ++outer) {
      for (std::int64_t pixel = 0; pixel < sizes.view.channels; ++pixel) {
        drop(sizes, key, first + outer * sizes.outer_stride + pixel, x, y);
        x += sizes.view.inner;
        y += sizes.view.inner;
      }
    }
  });
}

constexpr OwnKernel kernels[] = {{"dropout.forward", make_dropout},
                                 {"dropout.backward", make_dropout}};

}  // namespace

OwnKernels dropout_kernels() { return kernels; }

}  // namespace stint

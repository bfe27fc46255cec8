// Dropout: keeps an element with probability 1 − p and divides it by that.
//
// Whether an element is kept is a function of the run's seed, the layer's, the step and the
// element's logical position in the batch: the same forward, backward, recomputed, and in any
// layout, cut or order of execution. Reference: Salmon et al., Parallel random numbers: as easy as
// 1, 2, 3, 2011 (Philox 2×32 with 10 rounds).
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

struct PhiloxKey {
  std::uint32_t key = 0;
  std::uint32_t high = 0;  // mixed into the high half of the counter
};

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

PhiloxKey key_of(std::int64_t run_seed, std::int64_t layer_seed, std::int64_t step) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t bits = 0;
  for (const std::int64_t part : {run_seed, layer_seed, step})
    bits = mixed((bits ^ static_cast<std::uint64_t>(part)) + odd);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

std::uint32_t random_bits(PhiloxKey key, std::uint64_t counter) {
  constexpr std::uint64_t multiplier = 0xd256d193U;
  constexpr std::uint32_t weyl = 0x9e3779b9U;
  auto low = static_cast<std::uint32_t>(counter);
  auto high = static_cast<std::uint32_t>(counter >> 32) ^ key.high;
  for (std::uint32_t round = 0, word = key.key; round < 10; ++round, word += weyl) {
    const std::uint64_t product = multiplier * low;
    low = static_cast<std::uint32_t>(product >> 32) ^ word ^ high;
    high = static_cast<std::uint32_t>(product);
  }
  return low;
}

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
  sizes.dropped_below =
      static_cast<std::uint32_t>(std::min(layer.probability * 0x1p32, 0x1p32 - 1));
  sizes.factor = static_cast<float>(1 / (1 - layer.probability));
  return sizes;
}

void drop(const DropoutSizes& sizes, PhiloxKey key, std::uint64_t first, const float* x, float* y) {
  constexpr std::int64_t at_once = 64;
  for (std::int64_t begin = 0; begin < sizes.view.inner; begin += at_once) {
    const std::int64_t count = std::min(at_once, sizes.view.inner - begin);
    float factors[at_once];
    for (std::int64_t i = 0; i < at_once; ++i) {
      const std::uint64_t position = first + (begin + i) * sizes.inner_stride;
      factors[i] = random_bits(key, position) < sizes.dropped_below ? 0.0F : sizes.factor;
    }
    for (std::int64_t i = 0; i < count; ++i) y[begin + i] = x[begin + i] * factors[i];
  }
}

std::unique_ptr<CpuKernel> make_dropout(const TaskKernel& kernel) {
  return loop_kernel([sizes = sizes_of(kernel)](const KernelArguments& arguments) {
    const PhiloxKey key = key_of(arguments.seed, sizes.seed, arguments.step);
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

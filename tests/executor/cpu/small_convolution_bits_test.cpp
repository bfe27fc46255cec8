// Small convolutions are compiled for two kinds of processors: results must not depend on which of
// them.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "executor/cpu/own/small_convolution.hpp"
#include "tests/executor/cpu/seeded_numbers.hpp"

using namespace stint;

namespace {

SmallConvolution convolution(const Conv2d& layer, std::int64_t channels, std::int64_t height,
                             std::int64_t width, bool pools) {
  SmallConvolution sizes{.samples = 2,
                         .input = {channels, height, width, true},
                         .kernel_height = layer.kernel[0],
                         .kernel_width = layer.kernel[1],
                         .padding_top = layer.padding[0],
                         .padding_left = layer.padding[1],
                         .rectifies = true,
                         .max = 0.5F,
                         .pools = pools};
  sizes.output = {layer.filters, height + layer.padding[0] + layer.padding[2] - layer.kernel[0] + 1,
                  width + layer.padding[1] + layer.padding[3] - layer.kernel[1] + 1, false};
  sizes.result = sizes.output;
  if (pools) {
    sizes.result.height /= 2;
    sizes.result.width /= 2;
  }
  sizes.at = band_places(layer, channels, width, sizes.output.width);
  return sizes;
}

// Everything that is written, forward and backward.
std::vector<float> written(const SmallConvolutionLoops& loops, const SmallConvolution& s) {
  const auto x = seeded_numbers(s.samples * s.input.elements(), 1);
  const auto weight = seeded_numbers(s.output.channels * s.input.channels * s.taps(), 2);
  const auto bias = seeded_numbers(s.output.channels, 3);
  const auto dy = seeded_numbers(s.samples * s.result.elements(), 4);
  std::vector<float> y(dy.size()), dx(x.size()), weights(weight.size()), biases(bias.size());
  std::vector<std::uint8_t> indices(dy.size());
  std::vector<float> workspace(static_cast<std::size_t>(s.at.end));
  loops.forward(s, {x.data(), weight.data(), bias.data(), y.data(), indices.data()},
                workspace.data());
  loops.backward(s,
                 {x.data(), weight.data(), y.data(), indices.data(), dy.data(), weights.data(),
                  biases.data(), dx.data()},
                 workspace.data());
  std::vector<float> all(indices.begin(), indices.end());
  for (const auto* part : {&y, &dx, &weights, &biases})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

#ifdef __x86_64__
TEST_CASE("small convolutions give the same bits in registers of 256 and of 512 bits",
          "[small convolution]") {
  if (!__builtin_cpu_supports("avx512f")) return;
  const auto [channels, filters] = GENERATE(
      table<int, int>({std::make_tuple(1, 4), std::make_tuple(3, 6), std::make_tuple(4, 7)}));
  const auto [height, width] = GENERATE(
      table<int, int>({std::make_tuple(5, 4), std::make_tuple(18, 33), std::make_tuple(9, 70)}));
  const bool pools = GENERATE(false, true);
  CAPTURE(channels, filters, height, width, pools);
  Conv2d layer{.filters = filters, .kernel = {3, 4}};
  layer.padding = {2, 1, 0, 3};
  const SmallConvolution sizes = convolution(layer, channels, height, width, pools);
  const auto narrow = written(narrow_small_convolution(), sizes);
  const auto wide = written(wide_small_convolution(), sizes);
  CHECK(std::memcmp(narrow.data(), wide.data(), narrow.size() * sizeof(float)) == 0);
}
#endif

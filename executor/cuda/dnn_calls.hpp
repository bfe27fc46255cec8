// The part of the seam that is cuDNN's convolutions: descriptors, and every product of a layer by
// an algorithm that gives the same bits every time.
#pragma once

#include <optional>

#include "executor/cuda/calls.hpp"

namespace stint {

using DnnTensor = Owned<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;
using DnnFilter = Owned<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>;
using DnnConvolution = Owned<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>;

struct DnnSizes {
  int samples = 0, channels = 0, height = 0, width = 0;
};
enum class DnnLayout { channels_last, channels_first };
DnnTensor make_dnn_tensor(const DnnSizes& sizes, DnnLayout layout);
struct DnnFilterSizes {
  int filters = 0, channels = 0, height = 0, width = 0;
};
DnnFilter make_dnn_filter(const DnnFilterSizes& sizes, DnnLayout layout);
struct DnnSlide {
  int padding[2] = {0, 0}, stride[2] = {1, 1}, dilation[2] = {1, 1};
  int groups = 1;
};
DnnConvolution make_dnn_convolution(const DnnSlide& slide);

// The descriptors of one layer: x the smaller index, y = x ∗ filter.
struct DnnProblem {
  DnnTensor x;
  DnnTensor y;
  DnnFilter filter;
  DnnConvolution convolution;
};
enum class DnnProduct { forward, backward_data, backward_filter };

// A way to compute a product, as cuDNN numbers them.
struct DnnAlgorithm {
  int number = 0;
  const char* name = "";
};
// Those that give the same bits every time, the likely best first.
std::span<const DnnAlgorithm> deterministic_algorithms(DnnProduct product);
// Nothing: the library has no such kernel for this problem.
std::optional<std::int64_t> dnn_workspace_bytes(cudnnHandle_t dnn, const DnnProblem& problem,
                                                DnnProduct product, DnnAlgorithm algorithm);
// What the product does not write it reads: forward writes y, backward_data x, backward_filter the
// filter.
struct DnnImages {
  float* x = nullptr;
  float* y = nullptr;
  float* filter = nullptr;
};
void convolve(cudnnHandle_t dnn, const DnnProblem& problem, DnnProduct product,
              DnnAlgorithm algorithm, const DnnImages& images, std::span<std::byte> workspace);

}  // namespace stint

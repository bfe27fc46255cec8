// The part of the seam that is cuDNN: descriptors, and one algorithm for every product. Those named
// here are the ones that the manual calls deterministic; products of 32-bit numbers stay so.
#include "executor/cuda/calls.hpp"

namespace stint {
namespace {

constexpr auto forward_algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto data_algorithm = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr auto filter_algorithm = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

}  // namespace

DnnHandle make_dnn(cudaStream_t stream) {
  cudnnHandle_t made = nullptr;
  expect_success(cudnnCreate(&made), "cudnnCreate");
  DnnHandle dnn(made);
  expect_success(cudnnSetStream(made, stream), "cudnnSetStream");
  return dnn;
}

DnnTensor make_dnn_tensor(const DnnSizes& sizes, DnnLayout layout) {
  cudnnTensorDescriptor_t made = nullptr;
  expect_success(cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
  DnnTensor tensor(made);
  const auto [n, c, h, w] = sizes;
  const bool last = layout == DnnLayout::channels_last;
  expect_success(cudnnSetTensor4dDescriptorEx(made, CUDNN_DATA_FLOAT, n, c, h, w, c * h * w,
                                              last ? 1 : h * w, last ? w * c : w, last ? c : 1),
                 "cudnnSetTensor4dDescriptorEx");
  return tensor;
}

DnnFilter make_dnn_filter(const DnnFilterSizes& sizes, DnnLayout layout) {
  cudnnFilterDescriptor_t made = nullptr;
  expect_success(cudnnCreateFilterDescriptor(&made), "cudnnCreateFilterDescriptor");
  DnnFilter filter(made);
  const auto format = layout == DnnLayout::channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  expect_success(cudnnSetFilter4dDescriptor(made, CUDNN_DATA_FLOAT, format, sizes.filters,
                                            sizes.channels, sizes.height, sizes.width),
                 "cudnnSetFilter4dDescriptor");
  return filter;
}

DnnConvolution make_dnn_convolution(const DnnSlide& slide) {
  cudnnConvolutionDescriptor_t made = nullptr;
  expect_success(cudnnCreateConvolutionDescriptor(&made), "cudnnCreateConvolutionDescriptor");
  DnnConvolution convolution(made);
  expect_success(
      cudnnSetConvolution2dDescriptor(made, slide.padding[0], slide.padding[1], slide.stride[0],
                                      slide.stride[1], slide.dilation[0], slide.dilation[1],
                                      CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
      "cudnnSetConvolution2dDescriptor");
  expect_success(cudnnSetConvolutionGroupCount(made, slide.groups),
                 "cudnnSetConvolutionGroupCount");
  expect_success(cudnnSetConvolutionMathType(made, CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");
  return convolution;
}

const char* algorithm_name(DnnProduct product) {
  switch (product) {
    case DnnProduct::forward:
      return "cudnn implicit_precomp_gemm";
    case DnnProduct::backward_data:
      return "cudnn backward_data_1";
    case DnnProduct::backward_filter:
      break;
  }
  return "cudnn backward_filter_1";
}

std::int64_t dnn_workspace_bytes(cudnnHandle_t dnn, const DnnProblem& p, DnnProduct product) {
  std::size_t bytes = 0;
  if (product == DnnProduct::forward) {
    expect_success(
        cudnnGetConvolutionForwardWorkspaceSize(dnn, p.x.get(), p.filter.get(), p.convolution.get(),
                                                p.y.get(), forward_algorithm, &bytes),
        "cudnnGetConvolutionForwardWorkspaceSize");
  } else if (product == DnnProduct::backward_data) {
    expect_success(
        cudnnGetConvolutionBackwardDataWorkspaceSize(
            dnn, p.filter.get(), p.y.get(), p.convolution.get(), p.x.get(), data_algorithm, &bytes),
        "cudnnGetConvolutionBackwardDataWorkspaceSize");
  } else {
    expect_success(cudnnGetConvolutionBackwardFilterWorkspaceSize(
                       dnn, p.x.get(), p.y.get(), p.convolution.get(), p.filter.get(),
                       filter_algorithm, &bytes),
                   "cudnnGetConvolutionBackwardFilterWorkspaceSize");
  }
  return static_cast<std::int64_t>(bytes);
}

void convolve(cudnnHandle_t dnn, const DnnProblem& p, DnnProduct product, const DnnImages& images,
              std::span<std::byte> workspace) {
  const float one = 1;
  const float zero = 0;
  if (product == DnnProduct::forward) {
    expect_success(
        cudnnConvolutionForward(dnn, &one, p.x.get(), images.x, p.filter.get(), images.filter,
                                p.convolution.get(), forward_algorithm, workspace.data(),
                                workspace.size(), &zero, p.y.get(), images.y),
        "cudnnConvolutionForward");
  } else if (product == DnnProduct::backward_data) {
    expect_success(
        cudnnConvolutionBackwardData(dnn, &one, p.filter.get(), images.filter, p.y.get(), images.y,
                                     p.convolution.get(), data_algorithm, workspace.data(),
                                     workspace.size(), &zero, p.x.get(), images.x),
        "cudnnConvolutionBackwardData");
  } else {
    expect_success(
        cudnnConvolutionBackwardFilter(dnn, &one, p.x.get(), images.x, p.y.get(), images.y,
                                       p.convolution.get(), filter_algorithm, workspace.data(),
                                       workspace.size(), &zero, p.filter.get(), images.filter),
        "cudnnConvolutionBackwardFilter");
  }
}

}  // namespace stint

// Algorithms are those that the manual calls deterministic; products of 32-bit numbers stay so.
#include "executor/cuda/dnn_calls.hpp"

namespace stint {
namespace {

constexpr DnnAlgorithm forward_algorithms[] = {
    {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, "cudnn implicit_precomp_gemm"},
    {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, "cudnn implicit_gemm"},
    {CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, "cudnn winograd"},
    {CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, "cudnn winograd_nonfused"},
    {CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, "cudnn fft_tiling"},
    {CUDNN_CONVOLUTION_FWD_ALGO_FFT, "cudnn fft"},
    {CUDNN_CONVOLUTION_FWD_ALGO_GEMM, "cudnn gemm"}};
constexpr DnnAlgorithm data_algorithms[] = {
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, "cudnn backward_data_1"},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD, "cudnn backward_data_winograd"},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, "cudnn backward_data_winograd_nonfused"},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING, "cudnn backward_data_fft_tiling"},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, "cudnn backward_data_fft"}};
constexpr DnnAlgorithm filter_algorithms[] = {
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, "cudnn backward_filter_1"},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED,
     "cudnn backward_filter_winograd_nonfused"},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING, "cudnn backward_filter_fft_tiling"},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, "cudnn backward_filter_fft"}};

template <typename Algorithm>
Algorithm as(DnnAlgorithm algorithm) {
  return static_cast<Algorithm>(algorithm.number);
}
constexpr auto forward = as<cudnnConvolutionFwdAlgo_t>;
constexpr auto backward_data = as<cudnnConvolutionBwdDataAlgo_t>;
constexpr auto backward_filter = as<cudnnConvolutionBwdFilterAlgo_t>;

// Statuses of cuDNN 9 come in thousands: this one and those that say more closely why.
bool is_unsupported(cudnnStatus_t status) {
  return status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000;
}

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

std::span<const DnnAlgorithm> deterministic_algorithms(DnnProduct product) {
  switch (product) {
    case DnnProduct::forward:
      return forward_algorithms;
    case DnnProduct::backward_data:
      return data_algorithms;
    case DnnProduct::backward_filter:
      break;
  }
  return filter_algorithms;
}

std::optional<std::int64_t> dnn_workspace_bytes(cudnnHandle_t dnn, const DnnProblem& p,
                                                DnnProduct product, DnnAlgorithm algorithm) {
  std::size_t bytes = 0;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (product == DnnProduct::forward) {
    status = cudnnGetConvolutionForwardWorkspaceSize(
        dnn, p.x.get(), p.filter.get(), p.convolution.get(), p.y.get(), forward(algorithm), &bytes);
  } else if (product == DnnProduct::backward_data) {
    status = cudnnGetConvolutionBackwardDataWorkspaceSize(dnn, p.filter.get(), p.y.get(),
                                                          p.convolution.get(), p.x.get(),
                                                          backward_data(algorithm), &bytes);
  } else {
    status = cudnnGetConvolutionBackwardFilterWorkspaceSize(dnn, p.x.get(), p.y.get(),
                                                            p.convolution.get(), p.filter.get(),
                                                            backward_filter(algorithm), &bytes);
  }
  if (is_unsupported(status)) return std::nullopt;
  expect_success(status, "cudnnGetConvolutionWorkspaceSize");
  return static_cast<std::int64_t>(bytes);
}

void convolve(cudnnHandle_t dnn, const DnnProblem& p, DnnProduct product, DnnAlgorithm algorithm,
              const DnnImages& images, std::span<std::byte> workspace) {
  const float one = 1;
  const float zero = 0;
  if (product == DnnProduct::forward) {
    expect_success(
        cudnnConvolutionForward(dnn, &one, p.x.get(), images.x, p.filter.get(), images.filter,
                                p.convolution.get(), forward(algorithm), workspace.data(),
                                workspace.size(), &zero, p.y.get(), images.y),
        "cudnnConvolutionForward");
  } else if (product == DnnProduct::backward_data) {
    expect_success(cudnnConvolutionBackwardData(dnn, &one, p.filter.get(), images.filter, p.y.get(),
                                                images.y, p.convolution.get(),
                                                backward_data(algorithm), workspace.data(),
                                                workspace.size(), &zero, p.x.get(), images.x),
                   "cudnnConvolutionBackwardData");
  } else {
    expect_success(cudnnConvolutionBackwardFilter(
                       dnn, &one, p.x.get(), images.x, p.y.get(), images.y, p.convolution.get(),
                       backward_filter(algorithm), workspace.data(), workspace.size(), &zero,
                       p.filter.get(), images.filter),
                   "cudnnConvolutionBackwardFilter");
  }
}

}  // namespace stint

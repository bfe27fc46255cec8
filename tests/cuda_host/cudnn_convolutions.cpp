// cuDNN: convolutions and their workspaces, by the deterministic algorithms only.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "tests/cuda_host/cudnn_descriptors.hpp"
#include "tests/cuda_host/ranges.hpp"
#include "tests/cuda_host/settings.hpp"

using namespace cuda_host;

namespace {

std::int64_t output_size(std::int64_t input, std::int64_t pad, std::int64_t filter,
                         std::int64_t dilation, std::int64_t stride) {
  const std::int64_t left = input + 2 * pad - ((filter - 1) * dilation + 1);
  return left < 0 ? 0 : left / stride + 1;
}

bool is_channels_last(const ImageShape& image) {
  return image.stride_c == 1 && image.c > 1 && image.h * image.w > 1;
}
bool is_channels_first(const ImageShape& image) { return image.stride_c != 1 && image.c > 1; }

// The descriptors of one convolution, which must fit one another.
ConvolutionShape fitting(HostMachine& machine, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y,
                         cudnnFilterDescriptor_t filter, cudnnConvolutionDescriptor_t convolution) {
  const ConvolutionShape shape{set_shape(machine, x), set_shape(machine, y),
                               set_shape(machine, filter), set_shape(machine, convolution)};
  const SlideShape& slide = shape.slide;
  expect_valid(shape.filter.c * slide.groups == shape.x.c,
               "channels of x and of the filter differ");
  expect_valid(shape.filter.k == shape.y.c && shape.filter.k % slide.groups == 0,
               "channels of y and filters differ");
  expect_valid(shape.x.n == shape.y.n, "x and y have different numbers of images");
  expect_valid(shape.y.h == output_size(shape.x.h, slide.pad_h, shape.filter.h, slide.dilation_h,
                                        slide.stride_h) &&
                   shape.y.w == output_size(shape.x.w, slide.pad_w, shape.filter.w,
                                            slide.dilation_w, slide.stride_w),
               "y is not the size of the result");
  for (const ImageShape& image : {shape.x, shape.y})
    expect_supported(
        shape.filter.channels_last ? !is_channels_first(image) : !is_channels_last(image),
        "images and filters have the same layout");
  return shape;
}

std::int64_t filter_elements(const FilterShape& filter) {
  return filter.k * filter.c * filter.h * filter.w;
}

// Enough to be missed: every convolution spoils all of it. As much more as a test wants.
std::size_t workspace_bytes(const ConvolutionShape& shape, bool by_algorithm) {
  if (!by_algorithm) return 0;
  return 4096 + filter_elements(shape.filter) * sizeof(float) / 16 + settings().dnn_bytes;
}

// Exact: the bytes between rows may belong to others.
std::vector<MemoryAccess> accesses_of(const ImageShape& image, const void* at, bool writes) {
  std::array<std::pair<std::int64_t, std::int64_t>, 4> dimensions{{{image.stride_n, image.n},
                                                                   {image.stride_c, image.c},
                                                                   {image.stride_h, image.h},
                                                                   {image.stride_w, image.w}}};
  std::sort(dimensions.begin(), dimensions.end());
  std::int64_t run = 1;  // elements that follow one another
  std::vector<std::int64_t> offsets{0};
  for (const auto& [stride, size] : dimensions) {
    if (offsets.size() == 1 && (stride == run || size == 1)) {
      run *= size;
      continue;
    }
    const std::size_t before = offsets.size();
    for (std::int64_t i = 1; i < size; ++i)
      for (std::size_t o = 0; o < before; ++o) offsets.push_back(offsets[o] + i * stride);
  }
  std::vector<MemoryAccess> accesses;
  for (const std::int64_t offset : offsets)
    accesses.push_back(access_to(static_cast<const float*>(at) + offset, run, writes));
  return joined(std::move(accesses));
}

std::vector<MemoryAccess> accesses_of(const FilterShape& filter, const void* at, bool writes) {
  return {access_to(static_cast<const float*>(at), filter_elements(filter), writes)};
}

struct Workspace {
  void* at = nullptr;
  std::size_t bytes = 0;
};

struct Convolution {
  const char* name;
  bool needs_workspace;
  ConvolutionShape shape;
  ConvolutionScale scale;
  std::vector<MemoryAccess> reads, writes;
  std::function<void()> work;
};

void submit(HostMachine& machine, cudnnHandle_t handle, Workspace workspace,
            Convolution convolution) {
  const cudnnContext& context = existing(machine, handle);
  const std::size_t needed = workspace_bytes(convolution.shape, convolution.needs_workspace);
  expect_valid(needed == 0 || (workspace.at != nullptr && workspace.bytes >= needed),
               "the workspace is too small");
  if (context.device != current_device())
    throw CallMisuse(cudaErrorInvalidResourceHandle, "uses a handle of another device");
  std::vector<MemoryAccess> scratch;
  if (needed > 0) scratch.push_back({reinterpret_cast<Address>(workspace.at), needed, true});
  auto& [name, needs_workspace, shape, scale, reads, writes, work] = convolution;
  if (overlap(reads, writes) || overlap(reads, scratch) || overlap(writes, scratch))
    throw CallMisuse(cudaErrorInvalidValue, "its images, filter or workspace overlap");
  DeviceOperation operation{.name = name, .accesses = std::move(reads)};
  operation.accesses.insert(operation.accesses.end(), writes.begin(), writes.end());
  operation.accesses.insert(operation.accesses.end(), scratch.begin(), scratch.end());
  operation.work = [work = std::move(work), at = machine.memory.alias(workspace.at), needed] {
    work();
    if (needed > 0) std::memset(at, 0xFF, needed);
  };
  const auto& [x, y, filter, slide] = shape;
  const double outputs = static_cast<double>(y.n * y.c * y.h * y.w);
  operation.bytes =
      4.0 * (outputs + static_cast<double>(x.n * x.c * x.h * x.w + filter_elements(filter)));
  operation.flops = 2.0 * outputs * static_cast<double>(filter.c * filter.h * filter.w);
  machine.submit(context.stream, std::move(operation));
}

template <typename... Parts>
std::vector<MemoryAccess> all(Parts... parts) {
  std::vector<MemoryAccess> together;
  (together.insert(together.end(), parts.begin(), parts.end()), ...);
  return together;
}

const float* alias(HostMachine& machine, const void* at) {
  expect_valid(at != nullptr, "a pointer is null");
  return static_cast<const float*>(machine.memory.alias(at));
}
float* alias(HostMachine& machine, void* at) {
  expect_valid(at != nullptr, "a pointer is null");
  return static_cast<float*>(machine.memory.alias(at));
}

// The algorithms that give the same bits every time, as far as there are any here: whether one
// needs a workspace.
bool uses_workspace(cudnnConvolutionFwdAlgo_t algorithm) {
  const bool precomputes = algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  expect_supported(precomputes || algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                   "only IMPLICIT_PRECOMP_GEMM and IMPLICIT_GEMM are");
  return precomputes;
}
bool uses_workspace(cudnnConvolutionBwdDataAlgo_t algorithm) {
  expect_supported(algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, "only ALGO_1 is");
  return true;
}
bool uses_workspace(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  expect_supported(algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, "only ALGO_1 is");
  return true;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t filter,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, std::size_t* bytes) {
  return dnn_call("cudnnGetConvolutionForwardWorkspaceSize", [&](HostMachine& machine, auto&) {
    existing(machine, handle);
    const bool needed = uses_workspace(algorithm);
    expect_valid(bytes != nullptr, "a pointer is null");
    *bytes = workspace_bytes(fitting(machine, x, y, filter, convolution), needed);
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t filter, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t algorithm, std::size_t* bytes) {
  return dnn_call("cudnnGetConvolutionBackwardDataWorkspaceSize", [&](HostMachine& machine, auto&) {
    existing(machine, handle);
    const bool needed = uses_workspace(algorithm);
    expect_valid(bytes != nullptr, "a pointer is null");
    *bytes = workspace_bytes(fitting(machine, dx, dy, filter, convolution), needed);
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dfilter,
    cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
  return dnn_call("cudnnGetConvolutionBackwardFilterWorkspaceSize",
                  [&](HostMachine& machine, auto&) {
                    existing(machine, handle);
                    const bool needed = uses_workspace(algorithm);
                    expect_valid(bytes != nullptr, "a pointer is null");
                    *bytes = workspace_bytes(fitting(machine, x, dy, dfilter, convolution), needed);
                  });
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      const cudnnTensorDescriptor_t x_shape, const void* x,
                                      const cudnnFilterDescriptor_t filter_shape,
                                      const void* filter,
                                      const cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t workspace_size, const void* beta,
                                      const cudnnTensorDescriptor_t y_shape, void* y) {
  return dnn_call("cudnnConvolutionForward", [&](HostMachine& machine, auto&) {
    const bool needs = uses_workspace(algorithm);
    const auto shape = fitting(machine, x_shape, y_shape, filter_shape, convolution);
    const ConvolutionScale scale{host_scalar(machine, alpha), host_scalar(machine, beta)};
    submit(machine, handle, {workspace, workspace_size},
           {"convolution", needs, shape, scale,
            all(accesses_of(shape.x, x, false), accesses_of(shape.filter, filter, false)),
            accesses_of(shape.y, y, true),
            [=, from = alias(machine, x), by = alias(machine, filter), to = alias(machine, y)] {
              convolve_forward(shape, scale, from, by, to);
            }});
  });
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           const cudnnFilterDescriptor_t filter_shape,
                                           const void* filter,
                                           const cudnnTensorDescriptor_t dy_shape, const void* dy,
                                           const cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t workspace_size, const void* beta,
                                           const cudnnTensorDescriptor_t dx_shape, void* dx) {
  return dnn_call("cudnnConvolutionBackwardData", [&](HostMachine& machine, auto&) {
    const bool needs = uses_workspace(algorithm);
    const auto shape = fitting(machine, dx_shape, dy_shape, filter_shape, convolution);
    const ConvolutionScale scale{host_scalar(machine, alpha), host_scalar(machine, beta)};
    submit(machine, handle, {workspace, workspace_size},
           {"convolution backward to data", needs, shape, scale,
            all(accesses_of(shape.y, dy, false), accesses_of(shape.filter, filter, false)),
            accesses_of(shape.x, dx, true),
            [=, from = alias(machine, dy), by = alias(machine, filter), to = alias(machine, dx)] {
              convolve_backward_data(shape, scale, by, from, to);
            }});
  });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x_shape, const void* x,
    const cudnnTensorDescriptor_t dy_shape, const void* dy,
    const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionBwdFilterAlgo_t algorithm,
    void* workspace, std::size_t workspace_size, const void* beta,
    const cudnnFilterDescriptor_t dfilter_shape, void* dfilter) {
  return dnn_call("cudnnConvolutionBackwardFilter", [&](HostMachine& machine, auto&) {
    const bool needs = uses_workspace(algorithm);
    const auto shape = fitting(machine, x_shape, dy_shape, dfilter_shape, convolution);
    const ConvolutionScale scale{host_scalar(machine, alpha), host_scalar(machine, beta)};
    submit(machine, handle, {workspace, workspace_size},
           {"convolution backward to filter", needs, shape, scale,
            all(accesses_of(shape.x, x, false), accesses_of(shape.y, dy, false)),
            accesses_of(shape.filter, dfilter, true),
            [=, from = alias(machine, x), by = alias(machine, dy), to = alias(machine, dfilter)] {
              convolve_backward_filter(shape, scale, from, by, to);
            }});
  });
}
}

// Convolutions against their definition, and what is refused.
#include <cudnn.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/cuda_host/images.hpp"
#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

namespace {

ImageShape image_shape(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                       bool channels_last) {
  if (channels_last) return {n, c, h, w, h * w * c, 1, w * c, c};
  return {n, c, h, w, c * h * w, h * w, w, 1};
}

ConvolutionShape random_shape(std::mt19937_64& random) {
  const auto below = [&](int count) { return static_cast<std::int64_t>(random() % count); };
  const bool last = below(2) == 1;
  ConvolutionShape shape;
  shape.slide = {below(3),     below(3),     1 + below(2), 1 + below(2),
                 1 + below(2), 1 + below(2), 1 + below(2)};
  shape.filter = {(1 + below(3)) * shape.slide.groups, 1 + below(3), 1 + below(3), 1 + below(3),
                  last};
  shape.x = image_shape(1 + below(2), shape.filter.c * shape.slide.groups, 5 + below(5),
                        5 + below(5), last);
  const auto out = [](auto in, auto pad, auto size, auto dilation, auto stride) {
    return (in + 2 * pad - ((size - 1) * dilation + 1)) / stride + 1;
  };
  const SlideShape& slide = shape.slide;
  shape.y = image_shape(
      shape.x.n, shape.filter.k,
      out(shape.x.h, slide.pad_h, shape.filter.h, slide.dilation_h, slide.stride_h),
      out(shape.x.w, slide.pad_w, shape.filter.w, slide.dilation_w, slide.stride_w), last);
  return shape;
}

std::int64_t size_of(const ImageShape& image) { return image.n * image.c * image.h * image.w; }
std::int64_t size_of(const FilterShape& f) { return f.k * f.c * f.h * f.w; }

// Calls visit(x, filter, y) with the offsets of every product that a convolution sums.
template <typename Visit>
void for_each_product(const ConvolutionShape& shape, const Visit& visit) {
  const auto& [x, y, f, slide] = shape;
  for (std::int64_t n = 0; n < y.n; ++n)
    for (std::int64_t k = 0; k < y.c; ++k)
      for (std::int64_t i = 0; i < y.h; ++i)
        for (std::int64_t j = 0; j < y.w; ++j)
          for (std::int64_t c = 0; c < f.c; ++c)
            for (std::int64_t r = 0; r < f.h; ++r)
              for (std::int64_t s = 0; s < f.w; ++s) {
                const std::int64_t h = i * slide.stride_h + r * slide.dilation_h - slide.pad_h;
                const std::int64_t w = j * slide.stride_w + s * slide.dilation_w - slide.pad_w;
                if (h < 0 || w < 0 || h >= x.h || w >= x.w) continue;
                const std::int64_t channel = k / (f.k / slide.groups) * f.c + c;
                visit(n * x.stride_n + channel * x.stride_c + h * x.stride_h + w * x.stride_w,
                      f.channels_last ? ((k * f.h + r) * f.w + s) * f.c + c
                                      : ((k * f.c + c) * f.h + r) * f.w + s,
                      n * y.stride_n + k * y.stride_c + i * y.stride_h + j * y.stride_w);
              }
}

std::vector<double> scaled(std::vector<double> sums, const Floats& before,
                           const ConvolutionScale& scale) {
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = scale.factor * sums[i] + scale.kept * before[i];
  return sums;
}

// The descriptors of a convolution, and calls with them.
class Dnn {
 public:
  explicit Dnn(const ConvolutionShape& shape) {
    succeed(cudnnCreate(&handle_), "cudnnCreate");
    succeed(cudnnCreateTensorDescriptor(&x_), "cudnnCreateTensorDescriptor");
    succeed(cudnnCreateTensorDescriptor(&y_), "cudnnCreateTensorDescriptor");
    succeed(cudnnCreateFilterDescriptor(&filter_), "cudnnCreateFilterDescriptor");
    succeed(cudnnCreateConvolutionDescriptor(&slide_), "cudnnCreateConvolutionDescriptor");
    describe(shape);
  }
  ~Dnn() {
    succeed(cudnnDestroyConvolutionDescriptor(slide_), "cudnnDestroyConvolutionDescriptor");
    succeed(cudnnDestroyFilterDescriptor(filter_), "cudnnDestroyFilterDescriptor");
    succeed(cudnnDestroyTensorDescriptor(y_), "cudnnDestroyTensorDescriptor");
    succeed(cudnnDestroyTensorDescriptor(x_), "cudnnDestroyTensorDescriptor");
    succeed(cudnnDestroy(handle_), "cudnnDestroy");
  }
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;

  void describe(const ConvolutionShape& shape) {
    describe(x_, shape.x);
    describe(y_, shape.y);
    const auto i = [](std::int64_t number) { return static_cast<int>(number); };
    const FilterShape& f = shape.filter;
    succeed(cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_FLOAT,
                                       f.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                       i(f.k), i(f.c), i(f.h), i(f.w)),
            "cudnnSetFilter4dDescriptor");
    const SlideShape& s = shape.slide;
    succeed(cudnnSetConvolution2dDescriptor(slide_, i(s.pad_h), i(s.pad_w), i(s.stride_h),
                                            i(s.stride_w), i(s.dilation_h), i(s.dilation_w),
                                            CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
            "cudnnSetConvolution2dDescriptor");
    succeed(cudnnSetConvolutionGroupCount(slide_, i(s.groups)), "cudnnSetConvolutionGroupCount");
  }

  cudnnStatus_t ask(std::size_t& bytes) const {
    return cudnnGetConvolutionForwardWorkspaceSize(handle_, x_, filter_, slide_, y_, forward_,
                                                   &bytes);
  }
  cudnnStatus_t forward(const ConvolutionScale& scale, const float* x, const float* filter,
                        float* y, void* workspace, std::size_t bytes) const {
    return cudnnConvolutionForward(handle_, &scale.factor, x_, x, filter_, filter, slide_, forward_,
                                   workspace, bytes, &scale.kept, y_, y);
  }
  cudnnStatus_t backward_data(const ConvolutionScale& scale, const float* filter, const float* y,
                              float* x, void* workspace, std::size_t bytes) const {
    return cudnnConvolutionBackwardData(handle_, &scale.factor, filter_, filter, y_, y, slide_,
                                        CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workspace, bytes,
                                        &scale.kept, x_, x);
  }
  cudnnStatus_t backward_filter(const ConvolutionScale& scale, const float* x, const float* y,
                                float* filter, void* workspace, std::size_t bytes) const {
    return cudnnConvolutionBackwardFilter(handle_, &scale.factor, x_, x, y_, y, slide_,
                                          CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, workspace, bytes,
                                          &scale.kept, filter_, filter);
  }

 private:
  static void describe(cudnnTensorDescriptor_t to, const ImageShape& s) {
    const auto i = [](std::int64_t number) { return static_cast<int>(number); };
    succeed(
        cudnnSetTensor4dDescriptorEx(to, CUDNN_DATA_FLOAT, i(s.n), i(s.c), i(s.h), i(s.w),
                                     i(s.stride_n), i(s.stride_c), i(s.stride_h), i(s.stride_w)),
        "cudnnSetTensor4dDescriptorEx");
  }
  static constexpr auto forward_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t x_ = nullptr, y_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t slide_ = nullptr;
};

// All three products of a convolution.
void check_products(const ConvolutionShape& shape, std::mt19937_64& random) {
  const ConvolutionScale scale{0.5f, static_cast<float>(random() % 2)};
  const Floats x = random_floats(size_of(shape.x), random);
  const Floats y = random_floats(size_of(shape.y), random);
  const Floats f = random_floats(size_of(shape.filter), random);
  std::vector<double> sum_x(x.size()), sum_y(y.size()), sum_f(f.size());
  for_each_product(shape, [&](std::int64_t at_x, std::int64_t at_f, std::int64_t at_y) {
    sum_y[at_y] += double{x[at_x]} * f[at_f];
    sum_x[at_x] += double{y[at_y]} * f[at_f];
    sum_f[at_f] += double{x[at_x]} * y[at_y];
  });
  const Dnn dnn(shape);
  std::size_t bytes = 0;
  succeed(dnn.ask(bytes), "cudnnGetConvolutionForwardWorkspaceSize");
  const DeviceFloats on_x(x), on_y(y), on_f(f), work(bytes / sizeof(float) + 1);
  succeed(dnn.forward(scale, on_x, on_f, on_y, work, bytes), "forward");
  expect_near(on_y.get(nullptr), scaled(sum_y, y, scale));
  on_y.put(y, nullptr);
  succeed(dnn.backward_data(scale, on_f, on_y, on_x, work, bytes), "backward to data");
  expect_near(on_x.get(nullptr), scaled(sum_x, x, scale));
  on_x.put(x, nullptr);
  succeed(dnn.backward_filter(scale, on_x, on_y, on_f, work, bytes), "backward to filter");
  expect_near(on_f.get(nullptr), scaled(sum_f, f, scale));
  succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const ConvolutionShape small{.x = image_shape(1, 2, 4, 4, true),
                             .y = image_shape(1, 3, 2, 2, true),
                             .filter = {3, 2, 3, 3, true}};

}  // namespace

TEST_CASE("convolutions agree with their definition", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end = run_in_child({{"MODE", mode}}, [] {
    std::mt19937_64 random(1);
    for (int i = 0; i < 60; ++i) check_products(random_shape(random), random);
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a workspace smaller than asked for is refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const Dnn dnn(small);
    std::size_t bytes = 0;
    succeed(dnn.ask(bytes), "cudnnGetConvolutionForwardWorkspaceSize");
    const DeviceFloats x(32), y(12), f(54), work(bytes);
    expect_code(dnn.forward({}, x, f, y, work, bytes - 1), CUDNN_STATUS_BAD_PARAM, "forward");
    expect_code(dnn.forward({}, x, f, y, nullptr, bytes), CUDNN_STATUS_BAD_PARAM, "forward");
    succeed(dnn.forward({}, x, f, y, work, bytes), "forward");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("descriptors that do not fit one another are refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    Dnn dnn(small);
    const auto refuse = [&](const ConvolutionShape& shape, cudnnStatus_t status) {
      dnn.describe(shape);
      std::size_t bytes = 0;
      expect_code(dnn.ask(bytes), status, "cudnnGetConvolutionForwardWorkspaceSize");
    };
    ConvolutionShape other = small;
    other.y.h = 3;
    refuse(other, CUDNN_STATUS_BAD_PARAM);
    other = small;
    other.filter.c = 1;
    refuse(other, CUDNN_STATUS_BAD_PARAM);
    other = small;
    other.slide.groups = 2;
    refuse(other, CUDNN_STATUS_BAD_PARAM);
    other = small;
    other.filter.channels_last = false;
    refuse(other, CUDNN_STATUS_NOT_SUPPORTED);
    other = small;
    other.x = image_shape(1, 2, 4, 4, false);
    refuse(other, CUDNN_STATUS_NOT_SUPPORTED);
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a descriptor that is not set, or destroyed, is refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    cudnnTensorDescriptor_t tensor = nullptr;
    succeed(cudnnCreateTensorDescriptor(&tensor), "cudnnCreateTensorDescriptor");
    const auto set = [&](int n, int stride) {
      return cudnnSetTensor4dDescriptorEx(tensor, CUDNN_DATA_FLOAT, n, 1, 1, 1, stride, 1, 1, 1);
    };
    expect_code(set(0, 1), CUDNN_STATUS_BAD_PARAM, "cudnnSetTensor4dDescriptorEx");
    expect_code(set(1, 0), CUDNN_STATUS_BAD_PARAM, "cudnnSetTensor4dDescriptorEx");
    succeed(set(1, 1), "cudnnSetTensor4dDescriptorEx");
    succeed(cudnnDestroyTensorDescriptor(tensor), "cudnnDestroyTensorDescriptor");
    expect_code(set(1, 1), CUDNN_STATUS_BAD_PARAM, "cudnnSetTensor4dDescriptorEx");
    expect_code(cudnnDestroyTensorDescriptor(tensor), CUDNN_STATUS_BAD_PARAM,
                "cudnnDestroyTensorDescriptor");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a convolution may not overlap its workspace", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const Dnn dnn(small);
    std::size_t bytes = 0;
    succeed(dnn.ask(bytes), "cudnnGetConvolutionForwardWorkspaceSize");
    const DeviceFloats x(32), f(54), work(bytes);
    dnn.forward({}, x, f, work + 10, work, bytes);
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("cudnnConvolutionForward: its images, filter or workspace "
                                      "overlap"));
}

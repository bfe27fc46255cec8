// What is done to elements one by one: activations, sums and products of tensors, of one size or of
// two (broadcasts.hpp).
#include <cmath>
#include <limits>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/broadcasts.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"
#include "files/input_error.hpp"

namespace stint {
namespace {

template <typename Function>
struct MapOne {
  const float* x;
  float* y;
  Function function;
  __host__ __device__ void operator()(std::int64_t i) const { y[i] = function(x[i]); }
};

template <typename Function>
struct MapTwo {
  const float* a;
  const float* b;
  float* y;
  Function function;
  __host__ __device__ void operator()(std::int64_t i) const { y[i] = function(a[i], b[i]); }
};

template <typename Function>
std::unique_ptr<LeafKernel> map_one(const char* name, const TaskKernel& kernel,
                                    const GpuQueue& queue, Function function) {
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const float* x = read_at(arguments, 0);
    float* y = write_at(arguments, 0);
    elements(name, stream, n, {reads(x, n), writes(y, n)}, MapOne<Function>{x, y, function});
  });
}

template <typename Function>
std::unique_ptr<LeafKernel> map_two(const char* name, const TaskKernel& kernel,
                                    const GpuQueue& queue, Function function) {
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const float* a = read_at(arguments, 0);
    const float* b = read_at(arguments, 1);
    float* y = write_at(arguments, 0);
    elements(name, stream, n, {reads(a, n), reads(b, n), writes(y, n)},
             MapTwo<Function>{a, b, y, function});
  });
}

// What is not a number stays so.
struct ReluOf {
  float min, max, slope;
  __host__ __device__ float operator()(float x) const {
    if (slope != 0) return x <= 0 ? slope * x : x;
    return x <= min ? min : x >= max ? max : x;
  }
  __host__ __device__ float operator()(float kept, float dy) const {
    if (slope != 0) return kept <= 0 ? slope * dy : dy;
    return kept <= min || kept >= max ? 0 : dy;
  }
};
ReluOf relu_of(const TaskKernel& kernel) {
  const auto& layer = layer_of<Relu>(kernel);
  const double max = layer.max.value_or(std::numeric_limits<double>::infinity());
  return {static_cast<float>(layer.min), static_cast<float>(max), static_cast<float>(layer.slope)};
}
std::unique_ptr<LeafKernel> make_relu(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_one("relu", kernel, queue, relu_of(kernel));
}
std::unique_ptr<LeafKernel> make_relu_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_two("relu backward", kernel, queue, relu_of(kernel));
}

// x Φ(x), with Φ the normal distribution or its approximation by tanh.
struct GeluOf {
  bool by_tanh;
  __host__ __device__ static float inner(float x) {
    return 0.797884561F * (1.0F + 0.044715F * x * x) * x;
  }
  __host__ __device__ float share(float x) const {
    return by_tanh ? 1.0F / (1.0F + expf(-2.0F * inner(x)))
                   : 0.5F * (1.0F + erff(x * 0.707106781F));
  }
  __host__ __device__ float operator()(float x) const { return x * share(x); }
  __host__ __device__ float operator()(float x, float dy) const {
    const float part = share(x);
    if (!by_tanh) return dy * (part + x * (0.398942280F * expf(-0.5F * x * x)));
    const float slope = 2.0F * 0.797884561F * (1.0F + 3.0F * 0.044715F * x * x);
    return dy * (part + x * slope * part * (1.0F - part));
  }
};
std::unique_ptr<LeafKernel> make_gelu(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_one("gelu", kernel, queue, GeluOf{layer_of<Gelu>(kernel).tanh});
}
std::unique_ptr<LeafKernel> make_gelu_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_two("gelu backward", kernel, queue, GeluOf{layer_of<Gelu>(kernel).tanh});
}

struct SigmoidOf {
  __host__ __device__ float operator()(float x) const { return 1.0F / (1.0F + expf(-x)); }
  __host__ __device__ float operator()(float y, float dy) const { return dy * y * (1.0F - y); }
};
std::unique_ptr<LeafKernel> make_sigmoid(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_one("sigmoid", kernel, queue, SigmoidOf{});
}
std::unique_ptr<LeafKernel> make_sigmoid_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_two("sigmoid backward", kernel, queue, SigmoidOf{});
}

struct TanhOf {
  __host__ __device__ float operator()(float x) const { return tanhf(x); }
  __host__ __device__ float operator()(float y, float dy) const { return dy * (1.0F - y * y); }
};
std::unique_ptr<LeafKernel> make_tanh(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_one("tanh", kernel, queue, TanhOf{});
}
std::unique_ptr<LeafKernel> make_tanh_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  return map_two("tanh backward", kernel, queue, TanhOf{});
}

struct AffineOf {
  float factor, offset;
  __host__ __device__ float operator()(float x) const { return factor * x + offset; }
};
std::unique_ptr<LeafKernel> make_affine(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto& layer = layer_of<Affine>(kernel);
  return map_one("affine", kernel, queue,
                 AffineOf{static_cast<float>(layer.factor), static_cast<float>(layer.offset)});
}
std::unique_ptr<LeafKernel> make_affine_backward(const TaskKernel& kernel, const GpuQueue& queue) {
  const auto factor = static_cast<float>(layer_of<Affine>(kernel).factor);
  return map_one("affine backward", kernel, queue, AffineOf{factor, 0});
}

struct Plus {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct Times {
  __host__ __device__ float operator()(float a, float b) const { return a * b; }
};

// In their order.
constexpr std::size_t most_summands = 8;
struct AddAll {
  const float* from[most_summands];
  float* y;
  std::int64_t summands;
  __host__ __device__ void operator()(std::int64_t i) const {
    float sum = from[0][i];
    for (std::int64_t k = 1; k < summands; ++k) sum += from[k][i];
    y[i] = sum;
  }
};
std::unique_ptr<LeafKernel> make_add(const TaskKernel& kernel, const GpuQueue& queue) {
  if (has_smaller(kernel)) return make_broadcast_sum(kernel, queue);
  if (kernel.reads.size() == 2) return map_two("add", kernel, queue, Plus{});
  if (kernel.reads.size() > most_summands)
    throw InputError(kernel.op, "more than eight operands; expected fewer on GPUs");
  const std::int64_t n = element_count(kernel.writes[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    AddAll add{{}, write_at(arguments, 0), static_cast<std::int64_t>(arguments.reads.size())};
    for (std::size_t i = 0; i < arguments.reads.size(); ++i) add.from[i] = read_at(arguments, i);
    const auto range = [&](std::size_t i) { return reads(add.from[i], n); };
    elements("add", stream, n,
             {range(0), range(1), range(2), range(3), range(4), range(5), range(6), range(7),
              writes(add.y, n)},
             add);
  });
}
std::unique_ptr<LeafKernel> make_mul(const TaskKernel& kernel, const GpuQueue& queue) {
  if (has_smaller(kernel)) return make_broadcast_product(kernel, queue);
  return map_two("mul", kernel, queue, Times{});
}
// The gradient of the second factor, which may be the smaller one.
std::unique_ptr<LeafKernel> make_mul_back(const TaskKernel& kernel, const GpuQueue& queue) {
  if (kernel.writes[0].shape != kernel.reads[0].shape) return make_sums_of_products(kernel, queue);
  return make_mul(kernel, queue);
}

}  // namespace

GpuKernels gpu_element_kernels() {
  static constexpr GpuKernel kernels[] = {{"relu.forward", make_relu},
                                          {"relu.backward", make_relu_backward},
                                          {"gelu.forward", make_gelu},
                                          {"gelu.backward", make_gelu_backward},
                                          {"sigmoid.forward", make_sigmoid},
                                          {"sigmoid.backward", make_sigmoid_backward},
                                          {"tanh.forward", make_tanh},
                                          {"tanh.backward", make_tanh_backward},
                                          {"affine.forward", make_affine},
                                          {"affine.backward", make_affine_backward},
                                          {"add.forward", make_add},
                                          {"sum", make_add},
                                          {"mul.forward", make_mul},
                                          {"mul.backward_a", make_mul},
                                          {"mul.backward_b", make_mul_back},
                                          {"add.backward_b", make_sums},
                                          {"bias.forward", make_broadcast_sum},
                                          {"bias.backward_weights", make_sums},
                                          {"scale.forward", make_broadcast_product},
                                          {"scale.backward_data", make_broadcast_product},
                                          {"scale.backward_weights", make_sums_of_products}};
  return kernels;
}

}  // namespace stint

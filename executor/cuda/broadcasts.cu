#include <vector>

#include "executor/cpu/own/broadcast_shape.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/broadcasts.hpp"
#include "executor/cuda/launch.cuh"
#include "files/input_error.hpp"

namespace stint {
namespace {

// Dimensions of a tensor, and how far apart their neighbours are elsewhere: a mixed radix, the last
// being the innermost.
constexpr int most_broadcast_dimensions = 4;
struct DigitsElsewhere {
  std::int64_t sizes[most_broadcast_dimensions];
  std::int64_t strides[most_broadcast_dimensions];
  int count;
  __host__ __device__ std::int64_t at(std::int64_t i) const {
    std::int64_t place = 0;
    for (int d = count; d-- > 0; i /= sizes[d]) place += i % sizes[d] * strides[d];
    return place;
  }
  void append(std::int64_t size, std::int64_t stride) {
    sizes[count] = size;
    strides[count++] = stride;
  }
};

BroadcastShape shape_of(const TaskKernel& kernel, const KernelOperand& smaller,
                        const KernelOperand& larger) {
  BroadcastShape shape = broadcast_shape(smaller, larger);
  if (shape.size() > most_broadcast_dimensions)
    throw InputError(kernel.op,
                     "broadcasts over more than four dimensions; expected fewer on GPUs");
  return shape;
}

template <typename Function>
struct CombineWithSmaller {
  const float* smaller;
  const float* x;
  float* y;
  DigitsElsewhere in_smaller;
  Function function;
  __host__ __device__ void operator()(std::int64_t i) const {
    y[i] = function(smaller[in_smaller.at(i)], x[i]);
  }
};

template <typename Function>
std::unique_ptr<LeafKernel> make_combination(const char* name, const TaskKernel& kernel,
                                             const GpuQueue& queue, Function function) {
  DigitsElsewhere digits{};
  for (const auto& [size, stride] : shape_of(kernel, kernel.reads[0], kernel.reads[1]))
    digits.append(size, stride);
  const std::int64_t smaller = element_count(kernel.reads[0]), n = element_count(kernel.reads[1]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const CombineWithSmaller<Function> now{read_at(arguments, 0), read_at(arguments, 1),
                                           write_at(arguments, 0), digits, function};
    elements(name, stream, n, {reads(now.smaller, smaller), reads(now.x, n), writes(now.y, n)},
             now);
  });
}

// Where in the larger tensor the elements are that one of the smaller stands for: the first of them
// by the dimensions that both have, the others by those that only the larger has.
struct ReachedElements {
  std::int64_t sizes[most_broadcast_dimensions];
  std::int64_t smaller_strides[most_broadcast_dimensions];
  std::int64_t larger_strides[most_broadcast_dimensions];
  int count;
  DigitsElsewhere others;
  std::int64_t reached;  // by each
  __host__ __device__ std::int64_t first(std::int64_t at) const {
    std::int64_t place = 0;
    for (int d = 0; d < count; ++d) place += at / smaller_strides[d] % sizes[d] * larger_strides[d];
    return place;
  }
};
ReachedElements reached_elements(const TaskKernel& kernel) {
  const BroadcastShape shape = shape_of(kernel, kernel.writes[0], kernel.reads[0]);
  ReachedElements found{.reached = 1};
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1].size;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d].stride == 0) {
      found.others.append(shape[d].size, strides[d]);
      found.reached *= shape[d].size;
      continue;
    }
    found.sizes[found.count] = shape[d].size;
    found.smaller_strides[found.count] = shape[d].stride;
    found.larger_strides[found.count++] = strides[d];
  }
  return found;
}

// A row for every element of the smaller tensor. Without `x`, sums of dy alone.
struct SumOfReached {
  using Sum = OneSum;
  const float* x;
  const float* dy;
  float* gradient;
  ReachedElements elements;
  __host__ __device__ Sum sum(std::int64_t at, int lane) const {
    const std::int64_t first = elements.first(at);
    Sum sum{0};
    for (std::int64_t i = lane; i < elements.reached; i += lanes_of_row) {
      const std::int64_t place = first + elements.others.at(i);
      sum.a += static_cast<double>(x == nullptr ? dy[place] : x[place] * dy[place]);
    }
    return sum;
  }
  __host__ __device__ static Sum merged(Sum left, Sum right) { return added(left, right); }
  __host__ __device__ void finish(std::int64_t at, Sum sum, int lane) const {
    if (lane == 0) gradient[at] = static_cast<float>(sum.a);
  }
};

std::unique_ptr<LeafKernel> make_gradient(const char* name, const TaskKernel& kernel,
                                          const GpuQueue& queue, bool of_products) {
  const ReachedElements elements = reached_elements(kernel);
  const std::int64_t smaller = element_count(kernel.writes[0]), n = element_count(kernel.reads[0]);
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const SumOfReached now{of_products ? read_at(arguments, 0) : nullptr,
                           read_at(arguments, of_products ? 1 : 0), write_at(arguments, 0),
                           elements};
    rows(name, stream, smaller, {reads(now.x, n), reads(now.dy, n), writes(now.gradient, smaller)},
         now);
  });
}

struct AddSmaller {
  __host__ __device__ float operator()(float smaller, float x) const { return x + smaller; }
};
struct TimesSmaller {
  __host__ __device__ float operator()(float smaller, float x) const { return smaller * x; }
};

}  // namespace

bool has_smaller(const TaskKernel& kernel) {
  return kernel.reads[0].shape != kernel.reads[1].shape;
}

std::unique_ptr<LeafKernel> make_broadcast_sum(const TaskKernel& kernel, const GpuQueue& queue) {
  return make_combination("broadcast sum", kernel, queue, AddSmaller{});
}
std::unique_ptr<LeafKernel> make_broadcast_product(const TaskKernel& kernel,
                                                   const GpuQueue& queue) {
  return make_combination("broadcast product", kernel, queue, TimesSmaller{});
}
std::unique_ptr<LeafKernel> make_sums(const TaskKernel& kernel, const GpuQueue& queue) {
  return make_gradient("sums of a broadcast", kernel, queue, false);
}
std::unique_ptr<LeafKernel> make_sums_of_products(const TaskKernel& kernel, const GpuQueue& queue) {
  return make_gradient("sums of products", kernel, queue, true);
}

}  // namespace stint

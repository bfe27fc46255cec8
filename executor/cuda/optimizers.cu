// Steps of optimizers, as executor/cpu/own/optimizers.cpp takes them.
#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {
namespace {

// The state before the step and after it; the same but in a double buffer.
struct MovingState {
  const float* from;
  float* to;
};
MovingState state_at(const KernelArguments& arguments, std::size_t i) {
  return {reinterpret_cast<const float*>(arguments.updates_from[i]),
          reinterpret_cast<float*>(arguments.updates_to[i])};
}

struct SgdStep {
  const float* g;
  MovingState w;
  MovingState v;  // of momentum, or null
  float rate, decay, momentum;
  __host__ __device__ void operator()(std::int64_t i) const {
    const float weight = w.from[i];
    float direction = g[i] + decay * weight;
    if (v.to != nullptr) direction = v.to[i] = momentum * v.from[i] + direction;
    w.to[i] = weight - rate * direction;
  }
};

std::unique_ptr<LeafKernel> make_sgd(const TaskKernel& kernel, const GpuQueue& queue) {
  const Sgd& sgd = std::get<Sgd>(std::get<Optimizer>(kernel.origin));
  const std::int64_t n = element_count(kernel.updates[0]);
  const bool remembers = kernel.updates.size() > 1;
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const float* g = read_at(arguments, 0);
    const MovingState w = state_at(arguments, 0);
    const MovingState v = remembers ? state_at(arguments, 1) : MovingState{nullptr, nullptr};
    elements("sgd", stream, n,
             {reads(g, n), reads(w.from, n), writes(w.to, n), reads(v.from, n), writes(v.to, n)},
             SgdStep{g, w, v, static_cast<float>(sgd.learning_rate),
                     static_cast<float>(sgd.weight_decay), static_cast<float>(sgd.momentum)});
  });
}

struct AdamStep {
  const float* g;
  MovingState w;
  MovingState m;
  MovingState v;
  float rate, root, kept, epsilon, old_mean, new_mean, old_square, new_square;
  __host__ __device__ void operator()(std::int64_t i) const {
    const float mean = old_mean * m.from[i] + new_mean * g[i];
    const float square = old_square * v.from[i] + new_square * (g[i] * g[i]);
    m.to[i] = mean;
    v.to[i] = square;
    w.to[i] = w.from[i] * kept - rate * (mean / (sqrtf(square) * root + epsilon));
  }
};

AdamStep adam_step(const Adam& adam, std::int64_t updates, const KernelArguments& arguments) {
  const auto steps = static_cast<double>(updates);
  const auto f = [](double number) { return static_cast<float>(number); };
  return {read_at(arguments, 0),
          state_at(arguments, 0),
          state_at(arguments, 1),
          state_at(arguments, 2),
          f(adam.learning_rate / (1 - std::pow(adam.beta1, steps))),
          f(1 / std::sqrt(1 - std::pow(adam.beta2, steps))),
          f(1 - adam.learning_rate * adam.weight_decay),
          f(adam.epsilon),
          f(adam.beta1),
          f(1 - adam.beta1),
          f(adam.beta2),
          f(1 - adam.beta2)};
}

std::unique_ptr<LeafKernel> make_adam(const TaskKernel& kernel, const GpuQueue& queue) {
  const Adam& adam = std::get<Adam>(std::get<Optimizer>(kernel.origin));
  const std::int64_t n = element_count(kernel.updates[0]);
  const std::int64_t of_step = kernel.updates_of_step;
  const std::int64_t first = kernel.update + 1;
  return gpu_kernel([=, stream = queue.stream](const KernelArguments& arguments) {
    const AdamStep step = adam_step(adam, arguments.step * of_step + first, arguments);
    elements("adam", stream, n,
             {reads(step.g, n), reads(step.w.from, n), writes(step.w.to, n), reads(step.m.from, n),
              writes(step.m.to, n), reads(step.v.from, n), writes(step.v.to, n)},
             step);
  });
}

}  // namespace

GpuKernels gpu_optimizer_kernels() {
  static constexpr GpuKernel kernels[] = {{"sgd.update", make_sgd}, {"adam.update", make_adam}};
  return kernels;
}

}  // namespace stint

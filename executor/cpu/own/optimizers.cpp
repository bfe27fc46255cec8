// Steps of optimizers: one pass over a parameter, its gradient and what is remembered of it.
#include <cmath>

#include "executor/cpu/own/lanes.hpp"
#include "executor/cpu/own/own_kernel.hpp"

namespace stint {
namespace {

// The state before the step and after it; the same but in a double buffer.
struct UpdatedState {
  const float* from;
  float* to;
};
UpdatedState state_at(const KernelArguments& arguments, std::size_t i) {
  return {reinterpret_cast<const float*>(arguments.updates_from[i]),
          reinterpret_cast<float*>(arguments.updates_to[i])};
}

void step_plain(const Sgd& sgd, std::int64_t count, const KernelArguments& arguments) {
  const float* g = read_at(arguments, 0);
  const UpdatedState w = state_at(arguments, 0);
  const auto rate = static_cast<float>(sgd.learning_rate);
  const auto decay = static_cast<float>(sgd.weight_decay);
  map_elements(count, w.to, [=](auto load) {
    const Lanes weight = load(w.from);
    return weight - rate * (load(g) + decay * weight);
  });
}

void step_with_momentum(const Sgd& sgd, std::int64_t count, const KernelArguments& arguments) {
  const float* g = read_at(arguments, 0);
  const UpdatedState w = state_at(arguments, 0);
  const UpdatedState v = state_at(arguments, 1);
  const auto rate = static_cast<float>(sgd.learning_rate);
  const auto decay = static_cast<float>(sgd.weight_decay);
  const auto momentum = static_cast<float>(sgd.momentum);
  map_stretches(count, [=](std::int64_t begin, std::int64_t length) {
    map_elements(length, v.to + begin, [=](auto load) {
      return momentum * load(v.from + begin) + (load(g + begin) + decay * load(w.from + begin));
    });
    map_elements(length, w.to + begin,
                 [=](auto load) { return load(w.from + begin) - rate * load(v.to + begin); });
  });
}

std::unique_ptr<CpuKernel> make_sgd(const TaskKernel& kernel) {
  const Sgd& sgd = std::get<Sgd>(std::get<Optimizer>(kernel.origin));
  const std::int64_t count = element_count(kernel.updates[0]);
  const auto step = kernel.updates.size() == 1 ? step_plain : step_with_momentum;
  return loop_kernel([=](const KernelArguments& a) { step(sgd, count, a); });
}

// m and v are corrected for having begun at zero; the decay of the weight is decoupled from the
// gradient. Reference: Loshchilov and Hutter, Decoupled weight decay regularization, 2019.
void step_adam(const Adam& adam, std::int64_t count, std::int64_t updates,
               const KernelArguments& arguments) {
  const float* g = read_at(arguments, 0);
  const UpdatedState w = state_at(arguments, 0);
  const UpdatedState m = state_at(arguments, 1);
  const UpdatedState v = state_at(arguments, 2);
  const auto steps = static_cast<double>(updates);
  const auto rate = static_cast<float>(adam.learning_rate / (1 - std::pow(adam.beta1, steps)));
  const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(adam.beta2, steps)));
  const auto kept = static_cast<float>(1 - adam.learning_rate * adam.weight_decay);
  const auto epsilon = static_cast<float>(adam.epsilon);
  const auto old_mean = static_cast<float>(adam.beta1);
  const auto new_mean = static_cast<float>(1 - adam.beta1);
  const auto old_square = static_cast<float>(adam.beta2);
  const auto new_square = static_cast<float>(1 - adam.beta2);
  map_stretches(count, [=](std::int64_t begin, std::int64_t length) {
    map_elements(length, m.to + begin, [=](auto load) {
      return old_mean * load(m.from + begin) + new_mean * load(g + begin);
    });
    map_elements(length, v.to + begin, [=](auto load) {
      const Lanes gradient = load(g + begin);
      return old_square * load(v.from + begin) + new_square * (gradient * gradient);
    });
    map_elements(length, w.to + begin, [=](auto load) {
      const Lanes size = square_root(load(v.to + begin)) * root + epsilon;
      return load(w.from + begin) * kept - rate * (load(m.to + begin) / size);
    });
  });
}

std::unique_ptr<CpuKernel> make_adam(const TaskKernel& kernel) {
  const Adam& adam = std::get<Adam>(std::get<Optimizer>(kernel.origin));
  const std::int64_t count = element_count(kernel.updates[0]);
  const std::int64_t of_step = kernel.updates_of_step;
  const std::int64_t first = kernel.update + 1;
  return loop_kernel(
      [=](const KernelArguments& a) { step_adam(adam, count, a.step * of_step + first, a); });
}

constexpr OwnKernel kernels[] = {{"sgd.update", make_sgd}, {"adam.update", make_adam}};

}  // namespace

OwnKernels optimizer_kernels() { return kernels; }

}  // namespace stint

// Functions of one element, and their derivatives.
#include "executor/cpu/own/lane_functions.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cpu/own/rectifier.hpp"

namespace stint {
namespace {

// y = function(x) element by element.
template <typename Function>
std::unique_ptr<CpuKernel> make_map(const TaskKernel& kernel, Function function) {
  const std::int64_t count = element_count(kernel.writes[0]);
  return loop_kernel([=](const KernelArguments& arguments) {
    const float* x = read_at(arguments, 0);
    map_elements(count, write_at(arguments, 0), [=](auto load) { return function(load(x)); });
  });
}

// dx = function(kept, dy), where what was kept is x or y.
template <typename Function>
std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel, Function function) {
  const std::int64_t count = element_count(kernel.writes[0]);
  return loop_kernel([=](const KernelArguments& arguments) {
    const float* kept = read_at(arguments, 0);
    const float* dy = read_at(arguments, 1);
    map_elements(count, write_at(arguments, 0),
                 [=](auto load) { return function(load(kept), load(dy)); });
  });
}

// What is not a number stays so.
std::unique_ptr<CpuKernel> make_relu(const TaskKernel& kernel) {
  const auto& layer = layer_of<Relu>(kernel);
  if (const auto slope = static_cast<float>(layer.slope); slope != 0)
    return make_map(kernel, [slope](Lanes x) { return x <= 0.0F ? slope * x : x; });
  return make_map(kernel, [relu = LaneRectifier(layer)](Lanes x) { return relu.of(x); });
}
std::unique_ptr<CpuKernel> make_relu_backward(const TaskKernel& kernel) {
  const auto& layer = layer_of<Relu>(kernel);
  if (const auto slope = static_cast<float>(layer.slope); slope != 0)
    return make_backward(kernel,
                         [slope](Lanes kept, Lanes dy) { return kept <= 0.0F ? slope * dy : dy; });
  return make_backward(kernel, [relu = LaneRectifier(layer)](Lanes kept, Lanes dy) {
    return relu.gradient(kept, dy);
  });
}

// gelu(x) = x Φ(x), with Φ the normal distribution or its approximation by tanh.
constexpr float root_half = 0.707106781F;
constexpr float root_two_over_pi = 0.797884561F;
constexpr float root_of_half_pi_inverse = 0.398942280F;  // 1 / √(2π)
constexpr float cubic = 0.044715F;

Lanes gelu(Lanes x) { return 0.5F * x * (1.0F + error_function(x * root_half)); }
Lanes gelu_slope(Lanes x) {
  const Lanes distribution = 0.5F * (1.0F + error_function(x * root_half));
  return distribution + x * (root_of_half_pi_inverse * exponential(-0.5F * (x * x)));
}

// (1 + tanh u) / 2 = 1 / (1 + exp(−2u)), which is exact far below zero too.
Lanes distribution_by_tanh(Lanes x, Lanes square) {
  const Lanes inner = fused(square, splat(root_two_over_pi * cubic), splat(root_two_over_pi));
  return logistic(2.0F * x * inner);
}
Lanes gelu_by_tanh(Lanes x) { return x * distribution_by_tanh(x, x * x); }
Lanes gelu_slope_by_tanh(Lanes x) {
  const Lanes square = x * x;
  const Lanes share = distribution_by_tanh(x, square);
  const Lanes slope =
      fused(square, splat(6.0F * root_two_over_pi * cubic), splat(2.0F * root_two_over_pi));
  return fused(x * slope, share * (1.0F - share), share);
}

std::unique_ptr<CpuKernel> make_gelu(const TaskKernel& kernel) {
  if (layer_of<Gelu>(kernel).tanh) return make_map(kernel, [](Lanes x) { return gelu_by_tanh(x); });
  return make_map(kernel, [](Lanes x) { return gelu(x); });
}
std::unique_ptr<CpuKernel> make_gelu_backward(const TaskKernel& kernel) {
  if (layer_of<Gelu>(kernel).tanh)
    return make_backward(kernel, [](Lanes x, Lanes dy) { return dy * gelu_slope_by_tanh(x); });
  return make_backward(kernel, [](Lanes x, Lanes dy) { return dy * gelu_slope(x); });
}

std::unique_ptr<CpuKernel> make_sigmoid(const TaskKernel& kernel) {
  return make_map(kernel, [](Lanes x) { return logistic(x); });
}
std::unique_ptr<CpuKernel> make_sigmoid_backward(const TaskKernel& kernel) {
  return make_backward(kernel, [](Lanes y, Lanes dy) { return dy * y * (1.0F - y); });
}

std::unique_ptr<CpuKernel> make_tanh(const TaskKernel& kernel) {
  return make_map(kernel, [](Lanes x) { return hyperbolic_tangent(x); });
}
std::unique_ptr<CpuKernel> make_tanh_backward(const TaskKernel& kernel) {
  return make_backward(kernel, [](Lanes y, Lanes dy) { return dy * (1.0F - y * y); });
}

std::unique_ptr<CpuKernel> make_affine(const TaskKernel& kernel) {
  const auto& layer = layer_of<Affine>(kernel);
  return make_map(
      kernel, [factor = static_cast<float>(layer.factor),
               offset = static_cast<float>(layer.offset)](Lanes x) { return factor * x + offset; });
}
std::unique_ptr<CpuKernel> make_affine_backward(const TaskKernel& kernel) {
  return make_map(kernel, [factor = static_cast<float>(layer_of<Affine>(kernel).factor)](Lanes dy) {
    return factor * dy;
  });
}

constexpr OwnKernel kernels[] = {
    {"relu.forward", make_relu},       {"relu.backward", make_relu_backward},
    {"gelu.forward", make_gelu},       {"gelu.backward", make_gelu_backward},
    {"sigmoid.forward", make_sigmoid}, {"sigmoid.backward", make_sigmoid_backward},
    {"tanh.forward", make_tanh},       {"tanh.backward", make_tanh_backward},
    {"affine.forward", make_affine},   {"affine.backward", make_affine_backward}};

}  // namespace

OwnKernels activation_kernels() { return kernels; }

}  // namespace stint

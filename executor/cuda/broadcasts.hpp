// A smaller tensor that is added or multiplied along the last dimensions of another, and the sums
// that are its gradient: one that is learned, or an activation. As executor/cpu/own/broadcasts.hpp.
#pragma once

#include "executor/cuda/gpu_kernel.hpp"

namespace stint {

// Whether the tensor that is read first has fewer elements than the one that is read next.
bool has_smaller(const TaskKernel& kernel);

// Of the smaller tensor, read first, and the larger one.
std::unique_ptr<LeafKernel> make_broadcast_sum(const TaskKernel& kernel, const GpuQueue& queue);
std::unique_ptr<LeafKernel> make_broadcast_product(const TaskKernel& kernel, const GpuQueue& queue);

// Gradients of the smaller one: of a tensor, or of the products of two, what each element stands
// for.
std::unique_ptr<LeafKernel> make_sums(const TaskKernel& kernel, const GpuQueue& queue);
std::unique_ptr<LeafKernel> make_sums_of_products(const TaskKernel& kernel, const GpuQueue& queue);

}  // namespace stint

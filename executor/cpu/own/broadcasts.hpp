// A smaller tensor that is added or multiplied along the last dimensions of another, and the sums
// that are its gradient: one that is learned, or an activation.
#pragma once

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {

// Of the smaller tensor, read first, and the larger one.
std::unique_ptr<CpuKernel> make_broadcast_sum(const TaskKernel& kernel);
std::unique_ptr<CpuKernel> make_broadcast_product(const TaskKernel& kernel);

// Gradients of the smaller one: of a tensor, or of the products of two, what each element stands
// for.
std::unique_ptr<CpuKernel> make_sums(const TaskKernel& kernel);
std::unique_ptr<CpuKernel> make_sums_of_products(const TaskKernel& kernel);

}  // namespace stint

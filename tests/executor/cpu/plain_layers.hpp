// What kernels should compute, by the references of tests/support/reference_kernels.hpp, from
// numbers in logical order.
#pragma once

#include "tests/executor/cpu/one_layer.hpp"

namespace stint {

// What the task should write, from what it reads. Not for max_pool2d.backward, which reads indices:
// see plain_max_gradient.
std::vector<Numbers> plain_results(const TaskKernel& task, const std::vector<Numbers>& reads);

// The gradient of the input of a max_pool2d, from that input and the gradient of the output.
// Both tasks are of that layer, the first one with indices.
Numbers plain_max_gradient(const TaskKernel& forward, const TaskKernel& backward, const Numbers& x,
                           const Numbers& dy);

}  // namespace stint

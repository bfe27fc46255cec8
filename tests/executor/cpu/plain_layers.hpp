// What kernels should compute, in double precision: each layer as the list of its terms. A term of
// a convolution or a product is one input times one weight, and its output is the sum of such; all
// three of its tasks follow from the same list.
#pragma once

#include "tests/executor/cpu/one_layer.hpp"

namespace stint {

// What the task should write, from what it reads. Not for max_pool2d.backward, which reads indices:
// see plain_max_gradient.
std::vector<Numbers> plain_results(const TaskKernel& task, const std::vector<Numbers>& reads);

// The gradient of the input of a max_pool2d, from that input and the gradient of the output.
Numbers plain_max_gradient(const TaskKernel& forward, const Numbers& x, const Numbers& dy);

}  // namespace stint

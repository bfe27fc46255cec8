// One text for everything about an operation that decides how long its kernel takes and what it
// needs: shapes, attributes, order in memory. A platform's measured kernels are found by it.
#pragma once

#include "models/training/training.hpp"

namespace stint {

// "8x64x56x56,64x64x3x3,64->8x64x56x56 kernel=3,3 padding=1,1,1,1 nhwc" for so many samples; with
// more than one leaf, " leaves=4" follows.
std::string kernel_text(const Training& training, const Operation& operation, std::int64_t samples,
                        std::int64_t leaves);

}  // namespace stint

// The first values of parameters, as PyTorch begins by default: weights and biases of convolutions
// and linear layers uniform within 1/√fan_in, embeddings normal. They follow from the seed, the
// parameter's name and the position alone.
#pragma once

#include <cstdint>
#include <span>

#include "models/layers/infer.hpp"

namespace stint {

// Elements `first`, `first` + 1, … of the parameter.
void fill_initial(const Parameter& parameter, std::int64_t seed, std::int64_t first,
                  std::span<float> values);

}  // namespace stint

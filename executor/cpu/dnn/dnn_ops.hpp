// Which operations are computed by oneDNN.
#pragma once

#include <array>
#include <string_view>

#include "models/training/training.hpp"

namespace stint {

inline bool is_dnn_op(std::string_view op) {
  constexpr std::array<std::string_view, 8> layers = {
      "conv2d.",          "conv_transpose2d.", "max_pool2d.", "avg_pool2d.",
      "global_avg_pool.", "linear.",           "matmul.",     weight_reorder_op};
  for (const std::string_view layer : layers) {
    if (op.starts_with(layer)) return true;
  }
  return false;
}

}  // namespace stint

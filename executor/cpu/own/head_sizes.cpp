#include "executor/cpu/own/head_sizes.hpp"

#include <cmath>

#include "executor/cpu/own/own_kernel.hpp"

namespace stint {

HeadSizes head_sizes(const TaskKernel& kernel) {
  const auto& layer = layer_of<Attention>(kernel);
  const auto& q = kernel.reads[0].shape;
  const auto& v = kernel.reads[2].shape;
  HeadSizes sizes{.samples = q[0], .heads = layer.heads, .queries = q[1], .keys = v[1]};
  sizes.width = q[2] / layer.heads;
  sizes.out_width = v[2] / layer.heads;
  sizes.scale =
      static_cast<float>(layer.scale.value_or(1 / std::sqrt(static_cast<double>(sizes.width))));
  sizes.causal = layer.causal;
  return sizes;
}

}  // namespace stint

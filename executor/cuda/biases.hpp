// Biases of layers: one number for every channel, added to what lies around it and summed over it.
#pragma once

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/gpu_kernel.hpp"

namespace stint {

// Channels amid other sizes.
struct OuterChannels {
  std::int64_t outer, channels, inner;
  std::int64_t elements() const { return outer * channels * inner; }
};
inline OuterChannels channels_of(const KernelOperand& operand, std::int64_t axis) {
  const ChannelView view = view_around(operand, axis);
  return {view.outer, view.channels, view.inner};
}

// To every number of y its channel's bias; and the sums of dy by channel.
void add_bias(const GpuQueue& queue, const OuterChannels& view, float* y, const float* bias);
void sum_bias(const GpuQueue& queue, const OuterChannels& view, const float* dy, float* bias);

}  // namespace stint

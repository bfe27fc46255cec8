// Where elements of an image with its channels last stand in listed order, and the other way round.
#pragma once

#include "executor/cpu/own/own_kernel.hpp"
#include "executor/cuda/launch.cuh"

namespace stint {

struct ListedOrder {
  std::int64_t channels = 1;
  std::int64_t pixels = 1;  // of a sample's channel; 1: it lies as listed

  __host__ __device__ std::int64_t listed(std::int64_t lying) const {
    if (pixels == 1) return lying;
    const std::int64_t sample = lying / (channels * pixels), at = lying % (channels * pixels);
    return sample * channels * pixels + at % channels * pixels + at / channels;
  }
  __host__ __device__ std::int64_t lying(std::int64_t listed) const {
    if (pixels == 1) return listed;
    const std::int64_t sample = listed / (channels * pixels), at = listed % (channels * pixels);
    return sample * channels * pixels + at % pixels * channels + at / pixels;
  }
};

inline ListedOrder listed_order(const KernelOperand& operand) {
  if (!lies_channels_last(operand)) return {};
  return {operand.shape[1], operand.shape[2] * operand.shape[3]};
}

}  // namespace stint

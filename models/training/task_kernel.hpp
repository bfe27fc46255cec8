// What the task of a network computes, with all sizes known: for whoever creates its kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/training/training.hpp"

namespace stint {

struct KernelOperand {
  std::vector<std::int64_t> shape;  // logical; images are [samples, channels, height, width]
  Element element = Element::f32;
  bool channels_last = false;  // of an image: lies as [samples, height, width, channels]
  bool has_samples = false;    // else it is a parameter, or a sum over samples
  int place = 0;               // in the task's list: a tensor stands there once
  std::string order;           // of a weight that is not stored as listed (weight_order.hpp)
};

// As stored: with the zeros that fill up blocks.
std::int64_t element_count(const KernelOperand& operand);

struct TaskKernel {
  std::string
      op;         // "conv2d.forward"; "sum" and "batch_norm.merge" put two partial results together
  Origin origin;  // attributes
  std::vector<KernelOperand> reads;  // in the order of the operation, which may read one twice
  std::vector<KernelOperand> writes;
  std::vector<KernelOperand> updates;
  std::int64_t samples = 0;        // of this task
  std::int64_t leaves = 1;         // in which they are computed, one after the other
  std::int64_t first_sample = 0;   // in the step's batch
  std::int64_t batch = 0;          // samples over which a loss is the mean: the step's, or its own
  std::int64_t averaged_over = 0;  // elements of the micro-batch behind each statistic it reads
  std::int64_t left_samples = 0;   // of a merge: how many each side stands for
  std::int64_t right_samples = 0;
  std::int64_t update = 0;           // of an update: which of its parameter's in the step
  std::int64_t updates_of_step = 1;  // and how many there are
};

}  // namespace stint

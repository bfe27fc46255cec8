// Every operation of a training step as plain loops in double precision over logical shapes,
// written from the definitions: what kernels are compared with, and what finite differences are
// taken of.
//
// Slow on purpose: nothing is shared with the kernels but the mask of dropout.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/training/task_kernel.hpp"

namespace stint {

struct ReferenceTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // in listed order, whatever the layout

  double& operator[](std::int64_t i) { return values[static_cast<std::size_t>(i)]; }
  double operator[](std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
  std::int64_t count() const { return static_cast<std::int64_t>(values.size()); }
  // Of an image: sample, channel, height, width.
  std::int64_t place(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return ((n * shape[1] + c) * shape[2] + h) * shape[3] + w;
  }
};

struct ReferenceTask {
  const TaskKernel& kernel;
  std::vector<ReferenceTensor> reads;
  std::vector<ReferenceTensor> writes;  // zeros, to be filled
  std::vector<ReferenceTensor> updates;
  std::int64_t step = 0;
  std::int64_t seed = 0;

  template <typename Kind>
  const Kind& layer() const {
    return std::get<Kind>(std::get<LayerKind>(kernel.origin));
  }
};

// Throws std::logic_error if there is no such operation.
void run_reference(ReferenceTask& task);

// Families, each in a file of its own; false if the operation is not one of them.
bool run_reference_elements(std::string_view op, ReferenceTask& task);
bool run_reference_images(std::string_view op, ReferenceTask& task);
bool run_reference_norms(std::string_view op, ReferenceTask& task);
bool run_reference_products(std::string_view op, ReferenceTask& task);
bool run_reference_forms(std::string_view op, ReferenceTask& task);
bool run_reference_losses(std::string_view op, ReferenceTask& task);

}  // namespace stint

// Orders of weights (models/training/weight_order.hpp) in oneDNN's words, and back.
//
// oneDNN counts the dimensions of a weight as [groups,] outputs, inputs, height, width; that of a
// transposed convolution is listed with inputs before outputs.
#pragma once

#include <memory>
#include <string>

#include "executor/cpu/dnn/dnn_kernel.hpp"

namespace stint {

enum class ListedAs { counted, inputs_first };

struct WeightSizes {
  dnnl::memory::dims sizes;  // as oneDNN counts them
  ListedAs listed = ListedAs::counted;
};

// As the operand lies. Throws InputError if oneDNN has no such order.
dnnl::memory::desc weight_form(const WeightSizes& weight, const std::string& order);

// The text of an order; "" if it is the listed one, or one without a name.
std::string weight_order_text(const WeightSizes& weight, const dnnl::memory::desc& form);

// One weight in another order.
std::unique_ptr<CpuKernel> make_weight_reorder(const TaskKernel& task);

}  // namespace stint

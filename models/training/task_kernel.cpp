#include "models/training/task_kernel.hpp"

#include "models/training/weight_order.hpp"

namespace stint {

std::int64_t element_count(const KernelOperand& operand) {
  if (const auto order = parse_weight_order(operand.order)) return stored_elements(*order);
  std::int64_t count = 1;
  for (const std::int64_t size : operand.shape) count *= size;
  return count;
}

}  // namespace stint

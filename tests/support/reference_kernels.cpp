#include "tests/support/reference_kernels.hpp"

#include <stdexcept>

namespace stint {

void run_reference(ReferenceTask& task) {
  const std::string& op = task.kernel.op;
  for (const auto family : {run_reference_elements, run_reference_images, run_reference_norms,
                            run_reference_products, run_reference_forms, run_reference_losses}) {
    if (family(op, task)) return;
  }
  throw std::logic_error("no reference of " + op);
}

}  // namespace stint

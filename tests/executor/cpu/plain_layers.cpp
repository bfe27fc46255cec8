#include "tests/executor/cpu/plain_layers.hpp"

#include "tests/support/reference_kernels.hpp"

namespace stint {
namespace {

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

}  // namespace

std::vector<Numbers> plain_results(const TaskKernel& task, const std::vector<Numbers>& reads) {
  ReferenceTask reference{.kernel = task};
  for (std::size_t i = 0; i < reads.size(); ++i)
    reference.reads.push_back({task.reads[i].shape, reads[i]});
  for (const KernelOperand& operand : task.writes)
    reference.writes.push_back({operand.shape, Numbers(count_of(operand.shape))});
  run_reference(reference);
  std::vector<Numbers> results;
  for (ReferenceTensor& written : reference.writes) results.push_back(std::move(written.values));
  return results;
}

Numbers plain_max_gradient(const TaskKernel& forward, const TaskKernel& backward, const Numbers& x,
                           const Numbers& dy) {
  const Numbers indices = plain_results(forward, {x}).at(1);
  return plain_results(backward, {indices, dy}).at(0);
}

}  // namespace stint

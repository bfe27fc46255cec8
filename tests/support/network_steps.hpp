// One step of a network, task after task in listed order: by the references in double precision,
// and by kernels, leaf after leaf, each tensor in a buffer of its own. No schedule, no arenas, no
// threads: what a task makes of its operands, and nothing else.
#pragma once

#include <vector>

#include "executor/cpu/leaf_kernels.hpp"
#include "models/training/lower_network.hpp"
#include "tests/support/reference_kernels.hpp"

namespace stint {

// Where a tensor lies: how far into the one that it is a part of.
struct RootPlace {
  TensorId root = no_tensor;
  std::int64_t offset_bytes = 0;
};
RootPlace root_place(const Graph& graph, TensorId tensor);

// Values lie as they do in memory, as doubles.
class ReferenceStep {
 public:
  // State and inputs are functions of the seed; integers are 0, 1 or 2.
  ReferenceStep(const LoweredNetwork& lowered, std::uint64_t seed);

  void run(TaskId task);
  void run_to_loss();
  double loss() const { return values(lowered_.graph.results[0])[0]; }

  // Results are rounded to floats, as kernels that read them will see them.
  void round_results() { rounds_ = true; }

  std::vector<double> values(TensorId tensor) const;
  void set(TensorId tensor, std::size_t i, double value);
  Element element(TensorId tensor) const;

 private:
  ReferenceTensor gather(TensorId tensor, const KernelOperand& operand) const;
  void scatter(TensorId tensor, const KernelOperand& operand, const ReferenceTensor& result);
  std::int64_t first_element(TensorId tensor) const;
  std::int64_t count(TensorId tensor) const;

  const LoweredNetwork& lowered_;
  std::vector<std::vector<double>> values_;  // by root tensor
  std::vector<Element> elements_;            // by tensor
  bool rounds_ = false;
};

class KernelStep {
 public:
  // `misalignment_bytes` shifts every buffer from a boundary of 64 bytes.
  explicit KernelStep(const LoweredNetwork& lowered, std::int64_t misalignment_bytes = 0);

  // Throws InputError if there is no kernel.
  void run(TaskId task);

  void set(TensorId tensor, Element element, const std::vector<double>& values);
  std::vector<double> values(TensorId tensor, Element element) const;
  std::vector<std::byte> bytes(TensorId tensor) const;

 private:
  std::int64_t offset_of(TensorId tensor) const;  // in the bytes of its root
  std::byte* at(TensorId tensor);
  void run_leaf(const Task& task, const TaskKernel& kernel, std::int64_t leaf,
                std::vector<std::vector<std::byte>>& partials);

  const LoweredNetwork& lowered_;
  std::int64_t misalignment_bytes_;
  std::vector<std::vector<std::byte>> bytes_;  // by root tensor
  KernelPool pool_;
};

// State and inputs of the step.
void copy_given(const LoweredNetwork& lowered, const ReferenceStep& from, KernelStep& to);

}  // namespace stint

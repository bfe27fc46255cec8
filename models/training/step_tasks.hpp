// Appends the tasks of operations to a graph: for a whole micro-batch, for a piece of one, or for a
// merge of partial results.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "models/training/pinned_kernels.hpp"
#include "models/training/task_kernel.hpp"
#include "models/training/tensors.hpp"
#include "models/training/tree.hpp"

namespace stint {

// What an operation reads, writes and updates in one task, position by position.
struct TaskTensors {
  std::vector<TensorId> reads;
  std::vector<TensorId> writes;
  std::vector<TensorId> updates;
};

class StepTasks {
 public:
  // `kernels`, if given, gets what each task computes.
  StepTasks(const Training& training, const StepTensors& tensors, const PinnedKernels& pinned,
            Graph& graph, const Lowering& lowering, std::vector<TaskKernel>* kernels)
      : training_(training),
        tensors_(tensors),
        pinned_(pinned),
        graph_(graph),
        lowering_(lowering),
        kernels_(kernels) {}

  // Of so many leaves, from `first_sample` of the step on.
  void add(const Operation& operation, const std::string& name, const TaskTensors& tensors,
           std::int64_t first_sample, std::int64_t samples, std::int64_t leaves);

  // The update of `count` of a parameter's elements.
  void add_range(const Operation& update, const std::string& name, const TaskTensors& tensors,
                 std::int64_t count, std::int64_t of_elements, std::int64_t first_sample);

  // Two partial results become one.
  struct Merge {
    Combine combine = Combine::sum;
    Phase phase = Phase::backward;
    TensorId left = no_tensor;
    TensorId right = no_tensor;
    TensorId result = no_tensor;
    std::int64_t left_samples = 0;
    std::int64_t right_samples = 0;
  };
  void add_merge(const Merge& merge);

  // A version of a weight is copied before it is replaced.
  void add_stash(TensorId weight, TensorId copy);

 private:
  KernelOperand operand(ValueId id, std::int64_t samples) const;
  bool runs_ahead() const { return !lowering_.pipelined.empty(); }
  void number_update(std::int64_t first_sample, TaskKernel& kernel) const;
  void add_kernel(const Operation& operation, const TaskTensors& tensors, const Task& task,
                  std::int64_t first_sample, std::int64_t samples, std::int64_t leaves);
  double bytes_moved(const Operation& operation, const Task& task, std::int64_t samples) const;
  std::map<std::string, double> features(const Operation& operation, std::int64_t samples) const;
  std::int64_t workspace_bytes(const Operation& operation, const Task& task, std::int64_t samples,
                               std::int64_t leaves) const;
  void permit_overwriting(const Operation& operation, const TaskTensors& tensors, Task& task) const;

  const Training& training_;
  const StepTensors& tensors_;
  const PinnedKernels& pinned_;
  Graph& graph_;
  const Lowering& lowering_;
  std::vector<TaskKernel>* kernels_;
};

// Partial results over pieces or micro-batches, put together by the fixed tree as they come.
class MergeTree {
 public:
  using Make = std::function<TensorId(const TreeMerge& merge, TensorId left, TensorId right)>;

  explicit MergeTree(std::int64_t items = 1) : merges_(dyadic_merges(static_cast<int>(items))) {}
  explicit MergeTree(const std::vector<TreeMerge>& merges) : merges_(merges) {}

  void add(TensorId item, const Make& make);
  TensorId whole() const { return merged_.empty() ? items_.front() : merged_.back(); }

 private:
  TensorId node(int id) const;

  std::vector<TreeMerge> merges_;
  std::vector<TensorId> items_;
  std::vector<TensorId> merged_;
};

}  // namespace stint

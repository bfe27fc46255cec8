#include "models/training/step_tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/training/kernel_text.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

std::vector<TensorId> each_once(const std::vector<TensorId>& list) {
  std::vector<TensorId> unique;
  for (const TensorId tensor : list) {
    if (std::find(unique.begin(), unique.end(), tensor) == unique.end()) unique.push_back(tensor);
  }
  return unique;
}

// The tensor that stands where the value does.
TensorId tensor_at(ValueId value, const std::vector<ValueId>& values,
                   const std::vector<TensorId>& tensors) {
  const auto found = std::find(values.begin(), values.end(), value);
  return tensors[found - values.begin()];
}

// What loops over operands cost beside their bytes: entering a run of elements that lie side by
// side, the last lanes of a run that fills no vector, and parameters that are read for every task.
void add_features(const KernelOperand& operand, std::map<std::string, double>& features) {
  constexpr std::int64_t lanes = 8;
  if (operand.shape.empty()) return;
  const std::int64_t run = operand.channels_last ? operand.shape[1] : operand.shape.back();
  double elements = 1;
  for (const std::int64_t extent : operand.shape) elements *= static_cast<double>(extent);
  const double runs = elements / static_cast<double>(std::max<std::int64_t>(run, 1));
  features["runs"] += runs;
  if (run % lanes != 0) features["broken_runs"] += runs;
  if (!operand.has_samples) features["parameters"] += elements;
}

}  // namespace

double StepTasks::bytes_moved(const Operation& operation, const Task& task,
                              std::int64_t samples) const {
  double bytes = 0;
  for (const auto* list : {&task.reads, &task.writes, &task.updates, &task.updates}) {
    for (const TensorId tensor : *list) bytes += static_cast<double>(graph_.tensors[tensor].bytes);
  }
  if (const auto touched = operation.effort.touched_bytes) {
    bytes -= static_cast<double>(graph_.tensors[task.reads[0]].bytes);
    bytes += static_cast<double>(touched->at(samples));
  }
  return bytes;
}

std::map<std::string, double> StepTasks::features(const Operation& operation,
                                                  std::int64_t samples) const {
  std::map<std::string, double> found = stint::features(operation.effort, samples);
  for (const auto* values : {&operation.reads, &operation.writes, &operation.updates}) {
    for (const ValueId value : *values) add_features(operand(value, samples), found);
  }
  return found;
}

std::int64_t StepTasks::workspace_bytes(const Operation& operation, const Task& task,
                                        std::int64_t samples, std::int64_t leaves) const {
  std::int64_t bytes = operation.effort.workspace.at(samples / leaves);
  const std::int64_t levels = tree_levels(leaves);
  for (std::size_t i = 0; i < operation.writes.size() && levels > 0; ++i) {
    if (tensors_.has_samples(operation.writes[i])) continue;
    bytes =
        aligned_workspace(bytes) + levels * aligned_workspace(graph_.tensors[task.writes[i]].bytes);
  }
  return bytes;
}

// Only an activation of the same size can be given up.
void StepTasks::permit_overwriting(const Operation& operation, const TaskTensors& tensors,
                                   Task& task) const {
  for (const auto& [output, input] : operation.may_overwrite) {
    const TensorId y = tensor_at(output, operation.writes, tensors.writes);
    const TensorId x = tensor_at(input, operation.reads, tensors.reads);
    const Tensor& given_up = graph_.tensors[x];
    if (given_up.kind == Kind::activation && given_up.bytes == graph_.tensors[y].bytes)
      task.may_overwrite.emplace_back(y, x);
  }
}

KernelOperand StepTasks::operand(ValueId id, std::int64_t samples) const {
  const Value& value = training_.values[id];
  KernelOperand operand{
      .element = value.element, .channels_last = value.channels_last, .order = value.order};
  for (const Dimension dimension : value.shape) operand.shape.push_back(dimension.at(samples));
  operand.has_samples = tensors_.has_samples(id);
  return operand;
}

void StepTasks::add_kernel(const Operation& operation, const TaskTensors& tensors, const Task& task,
                           std::int64_t first_sample, std::int64_t samples, std::int64_t leaves) {
  TaskKernel kernel{.op = operation.op, .origin = operation.origin};
  const auto list = [&](const std::vector<ValueId>& values, const std::vector<TensorId>& given,
                        const std::vector<TensorId>& in_task) {
    std::vector<KernelOperand> operands;
    for (std::size_t i = 0; i < values.size(); ++i) {
      operands.push_back(operand(values[i], samples));
      const auto place = std::find(in_task.begin(), in_task.end(), given[i]);
      operands.back().place = static_cast<int>(place - in_task.begin());
    }
    return operands;
  };
  kernel.reads = list(operation.reads, tensors.reads, task.reads);
  kernel.writes = list(operation.writes, tensors.writes, task.writes);
  kernel.updates = list(operation.updates, tensors.updates, task.updates);
  kernel.samples = samples;
  kernel.leaves = leaves;
  kernel.first_sample = first_sample;
  const bool is_own_batch = runs_ahead() && std::holds_alternative<LossKind>(operation.origin) &&
                            operation.phase == Phase::backward;
  kernel.batch = is_own_batch ? tensors_.samples() : lowering_.batch;
  if (std::holds_alternative<Optimizer>(operation.origin)) number_update(first_sample, kernel);
  kernel.averaged_over = operation.averaged_over.at(tensors_.samples());
  kernels_->push_back(std::move(kernel));
}

// Where stages run ahead, every micro-batch is a batch of its own.
void StepTasks::number_update(std::int64_t first_sample, TaskKernel& kernel) const {
  if (!runs_ahead()) return;
  kernel.update = first_sample / tensors_.samples();
  kernel.updates_of_step = lowering_.microbatches;
}

void StepTasks::add(const Operation& operation, const std::string& name, const TaskTensors& tensors,
                    std::int64_t first_sample, std::int64_t samples, std::int64_t leaves) {
  if (!tensors_.can_be_cut(operation)) leaves = 1;
  Task task;
  task.name = name;
  task.phase = operation.phase;
  task.op = operation.op;
  task.reads = each_once(tensors.reads);
  task.writes = tensors.writes;
  task.updates = tensors.updates;
  for (const ValueId output : operation.optional)
    task.optional.push_back(tensor_at(output, operation.writes, tensors.writes));
  permit_overwriting(operation, tensors, task);
  task.flops = flops(operation.effort, samples);
  task.bytes_moved = bytes_moved(operation, task, samples);
  task.shape = kernel_text(training_, operation, samples, leaves);
  task.workspace_bytes =
      pinned_.workspace_bytes(task).value_or(workspace_bytes(operation, task, samples, leaves));
  task.features = features(operation, samples);
  if (kernels_ != nullptr) add_kernel(operation, tensors, task, first_sample, samples, leaves);
  graph_.tasks.push_back(std::move(task));
}

void StepTasks::add_range(const Operation& update, const std::string& name,
                          const TaskTensors& tensors, std::int64_t count, std::int64_t of_elements,
                          std::int64_t first_sample) {
  Task task{.name = name, .phase = update.phase, .op = update.op};
  task.reads = tensors.reads;
  task.updates = tensors.updates;
  task.flops =
      flops(update.effort, 1) / static_cast<double>(of_elements) * static_cast<double>(count);
  task.bytes_moved = bytes_moved(update, task, 1);
  TaskKernel kernel{.op = update.op, .origin = update.origin, .batch = lowering_.batch};
  number_update(first_sample, kernel);
  const KernelOperand some{.shape = {count}};
  kernel.reads = {some};
  kernel.updates.assign(tensors.updates.size(), some);
  std::vector<std::string> updated(tensors.updates.size(), std::to_string(count));
  task.shape = fmt::format("{}->{}", count, fmt::join(updated, ","));
  for (std::size_t i = 0; i < kernel.updates.size(); ++i)
    kernel.updates[i].place = static_cast<int>(i);
  for (const auto* list : {&kernel.reads, &kernel.updates}) {
    for (const KernelOperand& operand : *list) add_features(operand, task.features);
  }
  task.workspace_bytes = pinned_.workspace_bytes(task).value_or(0);
  if (kernels_ != nullptr) kernels_->push_back(std::move(kernel));
  graph_.tasks.push_back(std::move(task));
}

void StepTasks::add_merge(const Merge& merge) {
  const auto bytes = graph_.tensors[merge.result].bytes;
  const auto elements = bytes / bytes_of(Element::f32);
  Task task;
  task.name = graph_.tensors[merge.result].name + ".sum";
  task.phase = merge.phase;
  task.op = merge.combine == Combine::sum ? "sum" : "batch_norm.merge";
  task.reads = {merge.left, merge.right};
  task.writes = {merge.result};
  task.may_overwrite = {{merge.result, merge.left}};
  task.flops = static_cast<double>(elements);
  task.bytes_moved = 3.0 * static_cast<double>(bytes);
  task.shape = std::to_string(elements);
  task.workspace_bytes = pinned_.workspace_bytes(task).value_or(0);
  if (kernels_ != nullptr) {
    const KernelOperand all{.shape = {elements}};
    TaskKernel kernel{
        .op = task.op, .reads = {all, all}, .writes = {all}, .batch = lowering_.batch};
    kernel.reads[1].place = 1;
    kernel.left_samples = merge.left_samples;
    kernel.right_samples = merge.right_samples;
    kernels_->push_back(std::move(kernel));
  }
  graph_.tasks.push_back(std::move(task));
}

void StepTasks::add_stash(TensorId weight, TensorId copy) {
  const auto bytes = graph_.tensors[copy].bytes;
  const auto elements = bytes / bytes_of(Element::f32);
  Task task{.name = graph_.tensors[copy].name + ".stash", .op = stash_op};
  task.reads = {weight};
  task.writes = {copy};
  task.bytes_moved = 2.0 * static_cast<double>(bytes);
  task.shape = std::to_string(elements);
  task.workspace_bytes = pinned_.workspace_bytes(task).value_or(0);
  if (kernels_ != nullptr) {
    const KernelOperand all{.shape = {elements}};
    kernels_->push_back({.op = task.op, .reads = {all}, .writes = {all}, .batch = lowering_.batch});
  }
  graph_.tasks.push_back(std::move(task));
}

TensorId MergeTree::node(int id) const {
  const int leaves = static_cast<int>(merges_.size()) + 1;
  return id < leaves ? items_[id] : merged_[id - leaves];
}

void MergeTree::add(TensorId item, const Make& make) {
  items_.push_back(item);
  while (merged_.size() < merges_.size() &&
         merges_[merged_.size()].end == static_cast<int>(items_.size())) {
    const TreeMerge& merge = merges_[merged_.size()];
    merged_.push_back(make(merge, node(merge.left), node(merge.right)));
  }
}

}  // namespace stint

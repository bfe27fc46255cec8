#include "executor/cpu/leaf_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace stint {
namespace {

std::string text_of(const KernelOperand& operand) {
  return fmt::format("{}{}{}{}{}", fmt::join(operand.shape, "x"), to_string(operand.element),
                     operand.channels_last ? "l" : "", operand.has_samples ? "s" : "",
                     operand.order);
}

std::string text_of(const std::vector<KernelOperand>& list) {
  std::string text;
  for (const KernelOperand& operand : list) text += ' ' + text_of(operand);
  return text;
}

std::string text_of(const TaskKernel& kernel) {
  const std::array<std::int64_t, 7> counts = {
      kernel.samples,       kernel.batch,  kernel.averaged_over,  kernel.left_samples,
      kernel.right_samples, kernel.update, kernel.updates_of_step};
  return fmt::format("{}:{}>{}!{} {}", kernel.op, text_of(kernel.reads), text_of(kernel.writes),
                     text_of(kernel.updates), fmt::join(counts, ","));
}

}  // namespace

TaskKernel leaf_of(const TaskKernel& task) {
  TaskKernel leaf = task;
  for (auto* list : {&leaf.reads, &leaf.writes, &leaf.updates}) {
    for (KernelOperand& operand : *list) {
      if (operand.has_samples) operand.shape[0] /= task.leaves;
    }
  }
  leaf.samples /= task.leaves;
  leaf.leaves = 1;
  leaf.first_sample = 0;
  return leaf;
}

TaskKernel merge_of(const TaskKernel& task, const KernelOperand& output, std::int64_t left_leaves,
                    std::int64_t right_leaves) {
  const KernelOperand all{.shape = {bytes_of(output) / bytes_of(Element::f32)}};
  TaskKernel merge{.op = task.op == "batch_norm.statistics" ? "batch_norm.merge" : "sum",
                   .reads = {all, all},
                   .writes = {all},
                   .batch = task.batch};
  merge.reads[1].place = 1;
  if (merge.op == "sum") return merge;
  merge.left_samples = left_leaves * (task.samples / task.leaves);
  merge.right_samples = right_leaves * (task.samples / task.leaves);
  return merge;
}

bool is_partial(const TaskKernel& task, const KernelOperand& output) {
  return task.leaves > 1 && !output.has_samples;
}

std::int64_t bytes_of(const KernelOperand& operand) {
  return element_count(operand) * bytes_of(operand.element);
}

LeafKernel& KernelPool::get(const TaskKernel& kernel) {
  std::vector<Made>& alike = kernels_[text_of(kernel)];
  const auto found = std::find_if(alike.begin(), alike.end(),
                                  [&](const Made& made) { return made.first == kernel.origin; });
  if (found != alike.end()) return *found->second;
  alike.emplace_back(kernel.origin, make_(kernel));
  return *alike.back().second;
}

}  // namespace stint

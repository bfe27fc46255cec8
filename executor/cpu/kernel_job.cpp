#include "executor/cpu/kernel_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/input_error.hpp"
#include "models/training/tree.hpp"
#include "models/training/workspace.hpp"
#include "schedules/units.hpp"

namespace stint {

KernelJob::KernelJob(const Task& task, const TaskKernel& kernel, const Operands& operands,
                     const Arenas& arenas, KernelPool& pool, std::int64_t seed)
    : kernel_(pool.get(leaf_of(kernel))),
      leaves_(kernel.leaves),
      first_sample_(kernel.first_sample),
      leaf_samples_(kernel.samples / kernel.leaves) {
  point_to_operands(kernel, operands, arenas);
  make_merges(kernel, pool);
  lay_out_workspace(task, operands, arenas);
  arguments_.seed = seed;
  arguments_.reads.resize(reads_.size());
  arguments_.writes.resize(writes_.size());
  arguments_.updates_from.resize(updates_from_.size());
  arguments_.updates_to.resize(updates_to_.size());
  merge_arguments_.reads.resize(2);
  merge_arguments_.writes.resize(1);
}

KernelJob::Pointer KernelJob::pointer(const Place& place, const KernelOperand& operand,
                                      std::int64_t leaves, const Arenas& arenas) {
  if (place.buffer == no_buffer) return {};
  return {{arenas.bytes(place, 0).data(), arenas.bytes(place, 1).data()},
          operand.has_samples ? place.bytes / leaves : 0};
}

void KernelJob::point_to_operands(const TaskKernel& kernel, const Operands& operands,
                                  const Arenas& arenas) {
  const auto point = [&](const std::vector<KernelOperand>& list, const std::vector<Place>& places) {
    std::vector<Pointer> pointers;
    for (const KernelOperand& operand : list)
      pointers.push_back(pointer(places[operand.place], operand, kernel.leaves, arenas));
    return pointers;
  };
  reads_ = point(kernel.reads, operands.reads);
  writes_ = point(kernel.writes, operands.writes);
  updates_from_ = point(kernel.updates, operands.updates_from);
  updates_to_ = point(kernel.updates, operands.updates_to);
}

void KernelJob::make_merges(const TaskKernel& kernel, KernelPool& pool) {
  kernel_workspace_bytes_ = kernel_.workspace_bytes();
  const auto merges = dyadic_merges(static_cast<int>(leaves_));
  for (const TreeMerge& merge : merges) merge_ends_.push_back(merge.end);
  for (std::size_t i = 0; i < kernel.writes.size(); ++i) {
    const KernelOperand& output = kernel.writes[i];
    if (!is_partial(kernel, output)) continue;
    Partial partial{.output = i, .bytes = aligned_workspace(bytes_of(output))};
    for (const TreeMerge& merge : merges) {
      CpuKernel& made =
          pool.get(merge_of(kernel, output, merge.middle - merge.begin, merge.end - merge.middle));
      kernel_workspace_bytes_ = std::max(kernel_workspace_bytes_, made.workspace_bytes());
      partial.merges.push_back(&made);
    }
    partials_.push_back(std::move(partial));
  }
}

void KernelJob::lay_out_workspace(const Task& task, const Operands& operands,
                                  const Arenas& arenas) {
  const std::int64_t levels = tree_levels(leaves_);
  std::int64_t needed = kernel_workspace_bytes_;
  if (!partials_.empty()) needed = aligned_workspace(needed);
  std::vector<std::int64_t> offsets;
  for (const Partial& partial : partials_) {
    offsets.push_back(needed);
    needed += levels * partial.bytes;
  }
  if (needed > task.workspace_bytes)
    throw InputError(
        fmt::format("task {}", in_quotes(task.name)),
        fmt::format("its kernel needs {} of workspace here, the plan gives it {}; expected a plan "
                    "for a platform that `calibrate --for` has measured",
                    bytes_text(needed), bytes_text(task.workspace_bytes)));
  if (needed == 0) return;
  std::byte* const begin = arenas.bytes(operands.workspace, 0).data();
  arguments_.workspace = begin;
  merge_arguments_.workspace = begin;
  for (std::size_t i = 0; i < partials_.size(); ++i) partials_[i].stack = begin + offsets[i];
}

void KernelJob::run(std::int64_t step) {
  int depth = 0;
  std::size_t merged = 0;
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) {
    run_leaf(step, leaf, depth++);
    if (partials_.empty()) continue;
    for (; merged < merge_ends_.size() && merge_ends_[merged] == leaf + 1; ++merged)
      merge(step, merged, --depth);
  }
}

void KernelJob::run_leaf(std::int64_t step, std::int64_t leaf, int depth) {
  for (std::size_t i = 0; i < reads_.size(); ++i) arguments_.reads[i] = reads_[i].at(step, leaf);
  for (std::size_t i = 0; i < writes_.size(); ++i) arguments_.writes[i] = writes_[i].at(step, leaf);
  for (std::size_t i = 0; i < updates_to_.size(); ++i) {
    arguments_.updates_from[i] = updates_from_[i].at(step, leaf);
    arguments_.updates_to[i] = updates_to_[i].at(step, leaf);
  }
  for (const Partial& partial : partials_)
    arguments_.writes[partial.output] = partial_at(partial, step, depth);
  arguments_.step = step;
  arguments_.first_sample = first_sample_ + leaf * leaf_samples_;
  kernel_.run(arguments_);
}

// The two results on top become one, in the place of the lower.
void KernelJob::merge(std::int64_t step, std::size_t which, int depth) {
  for (const Partial& partial : partials_) {
    std::byte* const left = partial_at(partial, step, depth - 1);
    merge_arguments_.reads[0] = left;
    merge_arguments_.reads[1] = partial_at(partial, step, depth);
    merge_arguments_.writes[0] = left;
    merge_arguments_.step = step;
    partial.merges[which]->run(merge_arguments_);
  }
}

std::byte* KernelJob::partial_at(const Partial& partial, std::int64_t step, int depth) const {
  if (depth == 0) return writes_[partial.output].base[step & 1];
  return partial.stack + (depth - 1) * partial.bytes;
}

}  // namespace stint

#include "executor/cpu/kernel_job.hpp"

#include <algorithm>

#include "models/training/tree.hpp"
#include "models/training/workspace.hpp"

namespace stint {

KernelJob::KernelJob(const TaskKernel& kernel, KernelPool& pool, std::int64_t seed)
    : task_(kernel),
      kernel_(pool.get(leaf_of(kernel))),
      leaves_(kernel.leaves),
      leaf_samples_(kernel.samples / kernel.leaves) {
  make_merges(pool);
  lay_out_workspace();
  arguments_.seed = seed;
  merge_arguments_.reads.resize(2);
  merge_arguments_.writes.resize(1);
}

std::vector<KernelJob::Pointer> KernelJob::pointers(
    const std::vector<KernelOperand>& operands,
    const std::vector<TaskAddresses::Halves>& addresses) const {
  std::vector<Pointer> list;
  for (const KernelOperand& operand : operands)
    list.push_back(
        {addresses[operand.place], operand.has_samples ? bytes_of(operand) / leaves_ : 0});
  return list;
}

void KernelJob::point_to(const TaskAddresses& addresses) {
  reads_ = pointers(task_.reads, addresses.reads);
  writes_ = pointers(task_.writes, addresses.writes);
  updates_from_ = pointers(task_.updates, addresses.updates_from);
  updates_to_ = pointers(task_.updates, addresses.updates_to);
  arguments_.reads.resize(reads_.size());
  arguments_.writes.resize(writes_.size());
  arguments_.updates_from.resize(updates_from_.size());
  arguments_.updates_to.resize(updates_to_.size());
  arguments_.workspace = addresses.workspace;
  merge_arguments_.workspace = addresses.workspace;
  for (Partial& partial : partials_) partial.stack = addresses.workspace + partial.offset;
}

void KernelJob::make_merges(KernelPool& pool) {
  workspace_bytes_ = kernel_.workspace_bytes();
  const auto merges = dyadic_merges(static_cast<int>(leaves_));
  for (const TreeMerge& merge : merges) merge_ends_.push_back(merge.end);
  for (std::size_t i = 0; i < task_.writes.size(); ++i) {
    const KernelOperand& output = task_.writes[i];
    if (!is_partial(task_, output)) continue;
    Partial partial{.output = i, .bytes = aligned_workspace(bytes_of(output))};
    for (const TreeMerge& merge : merges) {
      LeafKernel& made =
          pool.get(merge_of(task_, output, merge.middle - merge.begin, merge.end - merge.middle));
      workspace_bytes_ = std::max(workspace_bytes_, made.workspace_bytes());
      partial.merges.push_back(&made);
    }
    partials_.push_back(std::move(partial));
  }
}

// Behind what the kernels themselves need.
void KernelJob::lay_out_workspace() {
  const std::int64_t levels = tree_levels(leaves_);
  for (Partial& partial : partials_) {
    partial.offset = aligned_workspace(workspace_bytes_);
    workspace_bytes_ = partial.offset + levels * partial.bytes;
  }
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
  arguments_.first_sample = task_.first_sample + leaf * leaf_samples_;
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

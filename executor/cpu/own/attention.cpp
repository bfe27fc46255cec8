// Attention, head by head.
#include "executor/cpu/own/attention.hpp"

#include <cmath>

#include "executor/cpu/own/head_sizes.hpp"
#include "executor/cpu/own/own_kernel.hpp"
#include "models/training/effort.hpp"

namespace stint {
namespace {

AttentionLoops loops_of_this_processor() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return wide_attention();
#endif
  return narrow_attention();
}

// Where a head of a sample begins in q (and k), and in v and y.
template <typename Visit>
void visit_heads(const HeadSizes& sizes, Visit visit) {
  for (std::int64_t sample = 0; sample < sizes.samples; ++sample) {
    for (std::int64_t head = 0; head < sizes.heads; ++head) visit(sample, head);
  }
}

struct HeadOffsets {
  std::int64_t q, k, v, y, log_sum;
};
HeadOffsets offsets_of(const HeadSizes& s, std::int64_t sample, std::int64_t head) {
  return {.q = sample * s.queries * s.query_row() + head * s.width,
          .k = sample * s.keys * s.query_row() + head * s.width,
          .v = sample * s.keys * s.value_row() + head * s.out_width,
          .y = sample * s.queries * s.value_row() + head * s.out_width,
          .log_sum = (sample * s.heads + head) * s.queries};
}

Head head_at(const KernelArguments& arguments, const HeadOffsets& at) {
  return {read_at(arguments, 0) + at.q, read_at(arguments, 1) + at.k, read_at(arguments, 2) + at.v};
}

std::unique_ptr<CpuKernel> make_forward(const TaskKernel& kernel) {
  const HeadSizes sizes = head_sizes(kernel);
  const bool keeps_log_sum = kernel.writes.size() > 1;
  const auto run = loops_of_this_processor().forward;
  return loop_kernel(
      [=](const KernelArguments& arguments) {
        visit_heads(sizes, [&](std::int64_t sample, std::int64_t head) {
          const HeadOffsets at = offsets_of(sizes, sample, head);
          run(sizes, head_at(arguments, at), write_at(arguments, 0) + at.y,
              keeps_log_sum ? write_at(arguments, 1) + at.log_sum : nullptr,
              reinterpret_cast<float*>(arguments.workspace));
        });
      },
      attention_workspace_bytes(sizes.keys, sizes.width, 0));
}

std::unique_ptr<CpuKernel> make_backward(const TaskKernel& kernel) {
  const HeadSizes sizes = head_sizes(kernel);
  const auto run = loops_of_this_processor().backward;
  return loop_kernel(
      [=](const KernelArguments& arguments) {
        visit_heads(sizes, [&](std::int64_t sample, std::int64_t head) {
          const HeadOffsets at = offsets_of(sizes, sample, head);
          const HeadGradients gradients{.y = read_at(arguments, 3) + at.y,
                                        .log_sum = read_at(arguments, 4) + at.log_sum,
                                        .dy = read_at(arguments, 5) + at.y,
                                        .dq = write_at(arguments, 0) + at.q,
                                        .dk = write_at(arguments, 1) + at.k,
                                        .dv = write_at(arguments, 2) + at.v};
          run(sizes, head_at(arguments, at), gradients,
              reinterpret_cast<float*>(arguments.workspace));
        });
      },
      attention_workspace_bytes(sizes.keys, sizes.width, sizes.out_width));
}

constexpr OwnKernel kernels[] = {{"attention.forward", make_forward},
                                 {"attention.backward", make_backward}};

}  // namespace

OwnKernels attention_kernels() { return kernels; }

}  // namespace stint

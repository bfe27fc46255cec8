#include "executor/calibrate/kernel_bench.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "executor/ticks.hpp"
#include "models/training/workspace.hpp"

namespace stint {
namespace {

// Long enough to be seen through the noise, short enough for hundreds of kernels.
constexpr double enough_seconds = 0.02;
constexpr double most_seconds = 0.5;
constexpr std::size_t fewest_runs = 5;

void fill(const KernelOperand& operand, std::byte* bytes) {
  const std::int64_t count = element_count(operand);
  if (operand.element != Element::f32) {  // indices and labels: 0 is one of any
    std::memset(bytes, 0, static_cast<std::size_t>(bytes_of(operand)));
    return;
  }
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes
    const float value = 0.1F + 0.9F * static_cast<float>(state >> 8) / 16777216.0F;
    std::memcpy(bytes + i * static_cast<std::int64_t>(sizeof(value)), &value, sizeof(value));
  }
}

double seconds_since(Ticks begin) {
  return static_cast<double>(ticks_after_wait() - begin) * seconds_per_tick();
}

}  // namespace

void KernelBench::Aligned::operator()(std::byte* bytes) const {
  ::operator delete(bytes, std::align_val_t(workspace_alignment_bytes));
}

KernelBench::KernelBench(const TaskKernel& task, KernelPool& pool)
    : task_(task), job_(task, pool, 0) {}

std::byte* KernelBench::add_block(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* const raw = ::operator new(size, std::align_val_t(workspace_alignment_bytes));
  blocks_.emplace_back(static_cast<std::byte*>(raw));
  return blocks_.back().get();
}

// By place: a tensor that is read twice stands once in the task's list.
std::vector<TaskAddresses::Halves> KernelBench::buffers_for(
    const std::vector<KernelOperand>& operands) {
  std::vector<TaskAddresses::Halves> buffers;
  for (const KernelOperand& operand : operands) {
    const auto place = static_cast<std::size_t>(operand.place);
    if (place >= buffers.size()) buffers.resize(place + 1, {nullptr, nullptr});
    if (buffers[place][0] != nullptr) continue;
    std::byte* const bytes = add_block(bytes_of(operand));
    fill(operand, bytes);
    buffers[place] = {bytes, bytes};
  }
  return buffers;
}

double KernelBench::seconds() {
  TaskAddresses addresses{.reads = buffers_for(task_.reads), .writes = buffers_for(task_.writes)};
  addresses.updates_from = buffers_for(task_.updates);
  addresses.updates_to = addresses.updates_from;
  addresses.workspace = add_block(job_.workspace_bytes());
  job_.point_to(addresses);
  job_.run(0);
  std::vector<double> runs;
  double total = 0;
  while ((runs.size() < fewest_runs || total < enough_seconds) && total < most_seconds) {
    const Ticks begin = ticks_now();
    job_.run(0);
    runs.push_back(seconds_since(begin));
    total += runs.back();
  }
  blocks_.clear();
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return *middle;
}

}  // namespace stint

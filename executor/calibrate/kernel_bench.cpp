#include "executor/calibrate/kernel_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "executor/calibrate/core_clock.hpp"

namespace stint {
namespace {

// Long enough to be seen through the noise, short enough for thousands of kernels.
constexpr double enough_seconds = 0.004;
constexpr double most_seconds = 0.5;
constexpr int fewest_readings = 5;
constexpr int most_readings = 100;
// Reading the clock takes a fraction of a microsecond.
constexpr double seconds_of_a_reading = 5e-5;

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

}  // namespace

KernelBench::KernelBench(const TaskKernel& task, KernelPool& pool)
    : task_(task), job_(task, pool, 0) {}

std::byte* KernelBench::add_block(std::int64_t bytes) {
  blocks_.push_back(aligned_block(bytes));
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

void KernelBench::prepare() {
  TaskAddresses addresses{.reads = buffers_for(task_.reads), .writes = buffers_for(task_.writes)};
  addresses.updates_from = buffers_for(task_.updates);
  addresses.updates_to = addresses.updates_from;
  addresses.workspace = add_block(job_.workspace_bytes());
  job_.point_to(addresses);
  run();
}

double KernelBench::seconds_of(int runs) {
  const double begin = seconds_on_core();
  for (int i = 0; i < runs; ++i) run();
  return seconds_on_core() - begin;
}

double KernelBench::seconds() {
  const double first = std::max(seconds_of(1), 1e-8);
  const int runs = std::max(1, static_cast<int>(std::ceil(seconds_of_a_reading / first)));
  double least = std::numeric_limits<double>::infinity();
  double total = 0;
  for (int i = 0; i < most_readings && total < most_seconds; ++i) {
    if (i >= fewest_readings && total >= enough_seconds) break;
    const double reading = seconds_of(runs);
    least = std::min(least, reading / runs);
    total += reading;
  }
  return std::max(least, 1e-9);  // a clock that stood still
}

}  // namespace stint

// Kernels write what is theirs and nothing else: not past their outputs, not past the workspace
// that they asked for. Libraries have been seen to.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <random>

#include "executor/cpu/kernel_job.hpp"
#include "models/training/lower_network.hpp"
#include "models/training/workspace.hpp"

using namespace stint;

namespace {

constexpr std::size_t guard_bytes = 1 << 20;
constexpr std::byte guard{0x5a};

// Bytes that are somebody's, and many behind them that are nobody's.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), held_(bytes_ + guard_bytes + 64, guard) {
    std::memset(begin(), 0, bytes_);
  }
  std::byte* begin() {
    void* at = held_.data();
    std::size_t space = held_.size();
    return static_cast<std::byte*>(std::align(64, bytes_, at, space));
  }
  bool is_intact() {
    const std::byte* behind = begin() + bytes_;
    for (std::size_t i = 0; i < guard_bytes; ++i) {
      if (behind[i] != guard) return false;
    }
    return true;
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> held_;
};

class GuardedTask {
 public:
  explicit GuardedTask(const TaskKernel& task) : job_(task, pool_, 0) {
    addresses_.reads = guarded(task.reads);
    addresses_.writes = guarded(task.writes);
    addresses_.updates_from = guarded(task.updates);
    addresses_.updates_to = addresses_.updates_from;
    blocks_.emplace_back(job_.workspace_bytes());
    addresses_.workspace = blocks_.back().begin();
    job_.point_to(addresses_);
  }
  std::string algorithm() const { return job_.algorithm(); }
  bool keeps_to_its_bytes() {
    job_.run(0);
    return std::all_of(blocks_.begin(), blocks_.end(),
                       [](GuardedBytes& block) { return block.is_intact(); });
  }

 private:
  std::vector<TaskAddresses::Halves> guarded(const std::vector<KernelOperand>& operands) {
    std::vector<TaskAddresses::Halves> addresses;
    for (const KernelOperand& operand : operands) {
      const auto place = static_cast<std::size_t>(operand.place);
      if (place >= addresses.size()) addresses.resize(place + 1, {nullptr, nullptr});
      if (addresses[place][0] != nullptr) continue;
      blocks_.emplace_back(bytes_of(operand));
      addresses[place] = {blocks_.back().begin(), blocks_.back().begin()};
    }
    return addresses;
  }

  KernelPool pool_;
  KernelJob job_;
  std::deque<GuardedBytes> blocks_;
  TaskAddresses addresses_;
};

struct Convolution {
  int channels, filters, kernel, stride, groups, size;
  bool transposed;
};

Network network_of(const Convolution& c) {
  return parse_network(fmt::format(
                           R"({{"format": "stint-model", "version": 1, "name": "one",
    "inputs": [{{"name": "image", "shape": ["batch", {0}, {5}, {5}]}}, {{"name": "target", "shape": ["batch", 1]}}],
    "layers": [{{"name": "first", "op": "scale", "inputs": ["image"]}},
               {{"name": "conv", "op": "{6}", "inputs": ["first"], "filters": {1}, "kernel": [{2}, {2}], "stride": [{3}, {3}], "groups": {4}}},
               {{"name": "mean", "op": "global_avg_pool", "inputs": ["conv"]}},
               {{"name": "flat", "op": "flatten", "inputs": ["mean"]}},
               {{"name": "fc", "op": "linear", "inputs": ["flat"], "features": 1}}],
    "loss": {{"op": "mse", "inputs": ["fc", "target"]}}, "optimizer": {{"op": "sgd"}}}})",
                           c.channels, c.filters, c.kernel, c.stride, c.groups, c.size,
                           c.transposed ? "conv_transpose2d" : "conv2d"),
                       "one");
}

void check_guards(const Convolution& c) {
  CAPTURE(c.channels, c.filters, c.kernel, c.stride, c.groups, c.size, c.transposed);
  const LoweredNetwork lowered = lower_with_kernels(network_of(c), {.batch = 2});
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    if (!lowered.kernels[t].op.starts_with("conv")) continue;
    GuardedTask task(lowered.kernels[t]);
    CAPTURE(lowered.graph.tasks[t].op, lowered.graph.tasks[t].shape, task.algorithm());
    CHECK(task.keeps_to_its_bytes());
  }
}

}  // namespace

TEST_CASE("strided convolutions of single pixels write only what is theirs", "[guarded]") {
  for (const int channels : {8, 9, 16, 24}) {
    for (const int size : {13, 54, 108}) check_guards({channels, 10, 1, 2, 1, size, false});
  }
}

TEST_CASE("convolutions of random sizes write only what is theirs", "[guarded]") {
  std::mt19937_64 random(GENERATE(1, 2, 3));
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  for (int i = 0; i < 25; ++i) {
    Convolution c{up_to(40), up_to(40),      2 * up_to(3) - 1, up_to(3),
                  1,         12 + up_to(60), random() % 4 == 0};
    if (random() % 4 == 0) c.groups = c.filters = c.channels;
    check_guards(c);
  }
}

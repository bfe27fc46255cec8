// How fast is every kernel of a network, on its own, on one thread? Prints, for each kind of
// operation, how many of a step's tasks it has, the sum of their fastest times, and what that is in
// operations and in bytes of operands per second; with --all, every distinct kernel.
//
//     training_kernels MODEL BATCH [--all]
//
// The fastest of many executions, on the same buffers each time: small operands stay in the caches.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/timing.hpp"
#include "executor/cpu/leaf_kernels.hpp"
#include "files/input_error.hpp"
#include "models/training/lower_network.hpp"

using namespace stint;

namespace {

struct Bill {
  int tasks = 0;
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

// Operands of a kernel in fresh memory. Whole numbers are zero, so that they are labels and rows.
class OperandMemory {
 public:
  explicit OperandMemory(const TaskKernel& kernel, std::int64_t workspace_bytes) {
    for (const KernelOperand& it : kernel.reads) arguments_.reads.push_back(take(it));
    for (const KernelOperand& it : kernel.writes) arguments_.writes.push_back(take(it));
    for (const KernelOperand& it : kernel.updates) {
      arguments_.updates_to.push_back(take(it));
      arguments_.updates_from.push_back(arguments_.updates_to.back());
    }
    operand_bytes_ = static_cast<double>(taken_bytes_);
    arguments_.workspace = take({.shape = {workspace_bytes / 4 + 1}});
  }

  const KernelArguments& arguments() const { return arguments_; }
  double operand_bytes() const { return operand_bytes_; }

 private:
  std::byte* take(const KernelOperand& operand) {
    constexpr std::size_t alignment = 64;
    const auto bytes = static_cast<std::size_t>(bytes_of(operand));
    taken_bytes_ += bytes;
    blocks_.emplace_back((bytes + 2 * alignment) / sizeof(float), 0.0F);
    std::vector<float>& block = blocks_.back();
    if (operand.element == Element::f32) {
      for (std::size_t i = 0; i < block.size(); ++i)
        block[i] = static_cast<float>(i * 2654435761U % 1024) / 512 - 1;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(block.data());
    return reinterpret_cast<std::byte*>((address + alignment - 1) / alignment * alignment);
  }

  KernelArguments arguments_;
  std::vector<std::vector<float>> blocks_;
  std::size_t taken_bytes_ = 0;
  double operand_bytes_ = 0;
};

// Within a tenth of a second, but of at least five.
double fastest_seconds(CpuKernel& kernel, const KernelArguments& arguments) {
  const double start = thread_seconds();
  double fastest = 1e9;
  for (int i = 0; i < 5 || thread_seconds() - start < 0.1; ++i)
    fastest = std::min(fastest, seconds_of([&] { kernel.run(arguments); }));
  return fastest;
}

Bill measure(const Task& task, const TaskKernel& whole) {
  const TaskKernel leaf = leaf_of(whole);
  const auto kernel = make_cpu_kernel(leaf);
  const OperandMemory memory(leaf, kernel->workspace_bytes());
  return {1, fastest_seconds(*kernel, memory.arguments()), task.flops, memory.operand_bytes()};
}

void print(const std::string& name, const Bill& bill, double all_seconds) {
  fmt::print("{:<44} {:>6} {:>10.3f} {:>6.1f} {:>10.1f} {:>8.1f}\n", name, bill.tasks,
             bill.seconds * 1e3, 100 * bill.seconds / all_seconds, bill.flops / bill.seconds * 1e-9,
             bill.bytes / bill.seconds * 1e-9);
}

void add(Bill& to, const Bill& more) {
  to.tasks += more.tasks;
  to.seconds += more.seconds;
  to.flops += more.flops;
  to.bytes += more.bytes;
}

std::map<std::string, Bill> measure_all(const LoweredNetwork& lowered, bool every) {
  std::map<std::string, Bill> measured;
  std::map<std::string, Bill> bills;
  for (std::size_t t = 0; t < lowered.kernels.size(); ++t) {
    const Task& task = lowered.graph.tasks[t];
    const std::string name = task.op + ' ' + task.shape;
    if (!measured.contains(name)) measured[name] = measure(task, lowered.kernels[t]);
    add(bills[every ? name : task.op], measured[name]);
  }
  return bills;
}

void print_table(const std::map<std::string, Bill>& bills) {
  Bill all;
  for (const auto& [name, bill] : bills) add(all, bill);
  fmt::print("{:<44} {:>6} {:>10} {:>6} {:>10} {:>8}\n", "kernel", "tasks", "ms", "%", "GFLOP/s",
             "GB/s");
  for (const auto& [name, bill] : bills) print(name, bill, all.seconds);
  print("all", all, all.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw InputError("arguments", "too few; expected MODEL BATCH [--all]");
    const Network network = read_network(argv[1]);
    const LoweredNetwork lowered = lower_with_kernels(network, {.batch = std::stoll(argv[2])});
    print_table(measure_all(lowered, argc > 3));
  } catch (const std::exception& error) {
    fmt::print(stderr, "training_kernels: {}\n", error.what());
    return 1;
  }
  return 0;
}

// How fast is every kernel of a network, on its own, on one thread? Prints, for each kind of
// operation, how many of a step's tasks it has, the sum of their fastest times, and what that is in
// operations and in bytes of operands per second; with --all, every distinct kernel.
//
//     training_kernels MODEL BATCH [--all]
//
// The fastest of many executions, on the same buffers each time: small operands stay in the caches.

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "executor/calibrate/kernel_bench.hpp"
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

double operand_bytes(const TaskKernel& kernel) {
  std::int64_t bytes = 0;
  for (const auto* list : {&kernel.reads, &kernel.writes, &kernel.updates}) {
    for (const KernelOperand& operand : *list) bytes += bytes_of(operand);
  }
  return static_cast<double>(bytes);
}

Bill measure(const Task& task, const TaskKernel& kernel) {
  KernelPool pool;
  KernelBench bench(kernel, pool);
  bench.prepare();
  return {1, bench.seconds(), task.flops, operand_bytes(kernel)};
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

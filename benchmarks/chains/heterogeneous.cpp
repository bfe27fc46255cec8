// How the table of a heterogeneous chain grows: time and memory of the best persistent schedule
// with 500 units of memory, back-tracking included, for 50 to 1000 stages. Chains are random, with
// tapes that hold their outputs, in a tenth of the memory that keeping everything takes. Other
// numbers of stages may be given as arguments. Seconds are of processor time, all threads together;
// the wall clock is beside it.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <ctime>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/persistent.hpp"

using namespace stint;

namespace {

ChainProblem random_chain(int stages) {
  std::mt19937_64 random(1);
  const auto pick = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<std::uint64_t>(to - from + 1));
  };
  ChainProblem problem;
  problem.input_bytes = pick(1000, 6000);
  std::int64_t before = problem.input_bytes;
  for (int i = 0; i < stages; ++i) {
    ChainStage stage;
    stage.forward_cost = pick(1, 10);
    stage.backward_cost = pick(1, 20);
    stage.output_bytes = pick(1000, 6000);
    stage.gradient_bytes = before;
    stage.tape = Tape::holds_output;
    stage.tape_bytes = stage.output_bytes * pick(1, 4) + pick(0, 1000);
    stage.forward_workspace_bytes = pick(0, 2000);
    stage.backward_workspace_bytes = pick(0, 2000);
    before = stage.output_bytes;
    problem.stages.push_back(stage);
  }
  return problem;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure(int stages) {
  const ChainProblem problem = random_chain(stages);
  const ChainArrays chain = arrays_of(problem);
  PersistentOptions options;
  options.units = 500;
  options.threads = 2;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  const PersistentPlan plan = solve_persistent(problem, full_memory_bytes(chain) / 10, options);
  const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const double more = plan.value / cost_without_recomputing(chain) - 1;
  fmt::print("{:>8} {:>12.2f} {:>12.2f} {:>10.0f} {:>12} {:>12}\n", stages, used, passed.count(),
             peak_mib(), plan.operations.size(),
             plan.feasible ? fmt::format("+{:.1f} %", 100 * more) : "no plan");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<int> sizes = {50, 100, 200, 300, 500, 700, 1000};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::stoi(argv[i]));
    fmt::print("{:>8} {:>12} {:>12} {:>10} {:>12} {:>12}\n", "stages", "processor, s", "wall, s",
               "peak, MiB", "operations", "recomputing");
    for (const int stages : sizes) measure(stages);
  } catch (const std::exception& error) {
    fmt::print(stderr, "heterogeneous: {}\n", error.what());
    return 1;
  }
}

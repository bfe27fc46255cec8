// What does it cost to run a task? Ourselves, StarPU and oneTBB on graphs of empty tasks and of
// small gemms, in turns; prints tables in Markdown. The number of rounds, and of empty tasks per
// graph, may be given as arguments.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/overhead/contest.hpp"
#include "benchmarks/overhead/gemm.hpp"
#include "benchmarks/overhead/plain_loop.hpp"
#include "benchmarks/overhead/starpu_rival.hpp"
#include "benchmarks/overhead/stint_contestant.hpp"
#include "benchmarks/overhead/tbb_rival.hpp"

using namespace stint;

namespace {

constexpr int ourselves = 1;  // in the list below

std::vector<Contestant> all_contestants() {
  return {plain_loop(),
          stint_contestant(),
          tbb_contestant(),
          starpu_contestant("eager"),
          starpu_contestant("lws"),
          starpu_contestant("dmda")};
}

void print_header(const std::string& title, const std::vector<Contestant>& contestants) {
  fmt::print("\n{}\n\n| ns per task: fastest (median) |", title);
  for (const auto& contestant : contestants) fmt::print(" {} |", contestant.name);
  for (std::size_t i = ourselves + 1; i < contestants.size(); ++i)
    fmt::print(" {} / {} |", contestants[i].name, contestants[ourselves].name);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < 2 * contestants.size() - ourselves - 1; ++i) fmt::print("--:|");
  fmt::print("\n");
  std::fflush(stdout);
}

void print_row(const std::string& name, const std::vector<Timing>& timings) {
  fmt::print("| {} |", name);
  for (const auto& [fastest, median] : timings)
    fmt::print(" {:.1f} ({:.1f}) |", fastest * 1e9, median * 1e9);
  for (std::size_t i = ourselves + 1; i < timings.size(); ++i)
    fmt::print(" {:.1f} |", timings[i].fastest_seconds / timings[ourselves].fastest_seconds);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_table(const std::string& title, const std::vector<Contestant>& contestants, int tasks,
                 Work work, const ContestOptions& options) {
  print_header(title, contestants);
  for (const auto& shape : all_shapes(tasks))
    print_row(shape.name, time_per_task(contestants, shape, work, options));
}

struct GemmRow {
  int n;
  int fewer;  // times fewer tasks than empty ones, so that a round stays short
};

void measure(const ContestOptions& options, int tasks) {
  const auto contestants = all_contestants();
  print_table(fmt::format("Empty tasks, {} per graph", tasks), contestants, tasks, empty_work(),
              options);
  for (const auto& [n, fewer] : {GemmRow{28, 4}, GemmRow{64, 20}, GemmRow{128, 100}}) {
    Gemm gemm(n);
    const int fewer_tasks = std::max(1, tasks / fewer);
    print_table(fmt::format("A gemm of {}^3 per task, {} per graph", n, fewer_tasks), contestants,
                fewer_tasks, gemm.work(), options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ContestOptions options;
    if (argc > 1) options.rounds = std::max(1, std::stoi(argv[1]));
    measure(options, argc > 2 ? std::max(1, std::stoi(argv[2])) : 2000);
  } catch (const std::exception& error) {
    fmt::print(stderr, "overhead: {}\n", error.what());
    return 1;
  }
}

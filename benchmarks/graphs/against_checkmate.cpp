// Our plans of training graphs and their proofs next to Checkmate's program, solved by HiGHS.
//
// against_checkmate [SECONDS [FILE…]]: so many seconds for HiGHS on each graph and bound; all
// seconds are the processor's.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/graphs/checkmate.hpp"
#include "planner/keep_all.hpp"
#include "planner/plan.hpp"

namespace {

using namespace stint;

// Of this process and those that it has waited for.
double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    seconds += static_cast<double>(usage.ru_utime.tv_sec) +
               static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
  }
  return seconds;
}

Problem bounded(const Graph& graph, const Platform& platform, std::int64_t bytes) {
  Request request;
  if (bytes > 0) request.memory["n0/ram"] = bytes;
  request.strategy = "graph";
  return make_problem(graph, platform, request, graph.name);
}

std::string ours_text(const Problem& problem, double all_once) {
  const double start = processor_seconds();
  const Outcome outcome = plan(problem, {});
  const double seconds = processor_seconds() - start;
  if (!outcome.schedule) return fmt::format("no plan | | {:.1f}", seconds);
  const Predicted& predicted = outcome.schedule->predicted;
  return fmt::format("+{:.3f} % | {:.3f} %{} | {:.1f}", (predicted.seconds / all_once - 1) * 100,
                     predicted.objective.gap * 100, predicted.optimal ? " (optimal)" : "", seconds);
}

std::string milp_text(const Problem& problem, std::int64_t bytes, double all_once, double limit) {
  const double start = processor_seconds();
  const auto answer = solve_by_highs(checkmate_milp(problem, bytes), limit);
  const double seconds = processor_seconds() - start;
  if (!answer) return fmt::format("no answer | | {:.1f}", seconds);
  return fmt::format("+{:.3f} % | {:.3f} %{} | {:.1f}", (answer->value / all_once - 1) * 100,
                     (answer->value - answer->bound) / answer->value * 100,
                     answer->is_proved ? " (optimal)" : "", seconds);
}

void compare(const std::string& file, const Platform& platform, double limit) {
  const Graph graph = read_graph(file);
  const Problem whole = bounded(graph, platform, 0);
  const auto arena = keep_all_arena(whole, MemoryId{0});
  double all_once = 0;
  for (const double seconds : whole.seconds[0]) all_once += seconds;
  for (const int percent : {90, 80, 70, 60, 50}) {
    const std::int64_t bytes = *arena * percent / 100;
    const Problem problem = bounded(graph, platform, bytes);
    fmt::print("| {} | {} | {} % | {} | {} |\n", graph.name, graph.tasks.size(), percent,
               ours_text(problem, all_once), milp_text(problem, bytes, all_once, limit));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 60;
  std::vector<std::string> files(argv + std::min(argc, 2), argv + argc);
  const std::string folder = STINT_SOURCE_DIR "/tests/planner/graphs/";
  if (files.empty())
    files = {folder + "chain32.json", folder + "unet60.json", folder + "resnet120.json"};
  const Platform platform = read_platform(STINT_SOURCE_DIR "/platforms/course.json");
  fmt::print(
      "| graph | tasks | memory | ours, with addresses | proved gap | s | Checkmate by HiGHS, live "
      "bytes | its gap | s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const std::string& file : files) compare(file, platform, limit);
}

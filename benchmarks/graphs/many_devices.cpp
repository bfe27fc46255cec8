// Large graphs on several devices: what placement finds within the limit, how much of it is proved,
// how long that takes, and beside it the best plan that keeps everything on one device. Machines:
// two kinds of cores in one memory, a processor and an accelerator, a processor and two of them.
// Arguments: tasks of the graphs (1000), limit (10), and kinds.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/graphs/placed_graphs.hpp"
#include "benchmarks/timing.hpp"
#include "planner/plan.hpp"

using namespace stint;

namespace {

Outcome planned(const Model& model, const Platform& platform, const std::string& strategy,
                double limit) {
  Request request;
  request.strategy = strategy;
  request.limit = limit;
  return plan(make_problem(model, platform, request, "model"), {});
}

// The machine with one of its devices only; the tasks of a kind that is gone go with it.
double on_one_device(const Graph& graph, const Platform& platform, double limit) {
  double least = 0;
  for (const Device& device : platform.devices) {
    Graph alone = graph;
    for (Task& task : alone.tasks) {
      const double seconds = task.seconds.at(device.kind);
      task.seconds = {{device.kind, seconds}};
    }
    const Outcome outcome = planned(alone, platform, "keep-all", limit);
    const double value = outcome.schedule->predicted.objective.value;
    if (least == 0 || value < least) least = value;
  }
  return least;
}

void print_line(const std::string& kind, int tasks, const Platform& platform, double limit) {
  const Graph graph = placed_graph_of(kind, tasks, 1);
  for (const std::string strategy : {"auto", "placement"}) {
    Outcome outcome;
    const double seconds = seconds_of([&] { outcome = planned(graph, platform, strategy, limit); });
    const Predicted& predicted = outcome.schedule->predicted;
    fmt::print("| {} {} | {} | {} | {:.5g} | {:.5g} | {:.2f} % | {} | {:.5g} | {:.1f} |\n", kind,
               graph.tasks.size(), platform.name, strategy, predicted.objective.value,
               predicted.objective.lower_bound, 100 * predicted.objective.gap, predicted.strategy,
               on_one_device(graph, platform, limit), seconds);
    std::fflush(stdout);
  }
}

int run(const std::vector<std::string>& arguments) {
  const int tasks = arguments.empty() ? 1000 : std::atoi(arguments[0].c_str());
  const double limit = arguments.size() < 2 ? 10 : std::atof(arguments[1].c_str());
  std::vector<std::string> kinds(
      arguments.begin() + std::min<std::ptrdiff_t>(2, std::ssize(arguments)), arguments.end());
  if (kinds.empty()) kinds = placed_kinds();
  fmt::print(
      "| graph and tasks | machine | strategy | joules | bound | gap | by | one device | seconds "
      "|\n|---|---|---|--:|--:|--:|---|--:|--:|\n");
  for (const std::string& kind : kinds) {
    for (const Platform& platform :
         {two_kinds_of_cores(), processor_and_accelerator(), processor_and_two_accelerators()})
      print_line(kind, tasks, platform, limit);
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run({values + 1, values + count});
  } catch (const std::exception& problem) {
    fmt::print(stderr, "many_devices: {}\n", problem.what());
    return 1;
  }
}

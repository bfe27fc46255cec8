// How good placements are on a machine of two devices with memories of their own, and how much of
// that is proved: graphs of 60 tasks in several shapes, three power states, memory of the
// accelerator and deadline short; then two networks on a server with two accelerators. Beside it
// the best plan on one device. Arguments: tasks of the graphs (60), limit (10), and kinds.

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/graphs/placed_graphs.hpp"
#include "benchmarks/timing.hpp"
#include "planner/keep_all.hpp"
#include "planner/plan.hpp"

using namespace stint;

namespace {

Request request_of(const std::string& strategy, double limit) {
  Request request;
  request.strategy = strategy;
  request.limit = limit;
  return request;
}

std::optional<double> value_of(const Outcome& outcome) {
  if (!outcome.schedule) return std::nullopt;
  return outcome.schedule->predicted.objective.value;
}

// The least of the strategies for one device.
std::optional<double> on_one_device(const Model& model, const Platform& platform, Request request) {
  std::optional<double> best;
  for (const std::string strategy : {"keep-all", "chain", "graph"}) {
    request.strategy = strategy;
    const auto value = value_of(plan(make_problem(model, platform, request, "model"), {}));
    if (value && (!best || *value < *best)) best = value;
  }
  return best;
}

std::string text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

void print_line(const std::string& name, const Model& model, const Platform& platform,
                const Request& request) {
  Outcome outcome;
  const Problem problem = make_problem(model, platform, request, "model");
  const double seconds = seconds_of([&] { outcome = plan(problem, {}); });
  const auto one = on_one_device(model, platform, request);
  if (!outcome.schedule) {
    fmt::print("| {} | - | - | - | {:.1f} | {} | | |\n", name, seconds, text(one));
    return;
  }
  const Predicted& predicted = outcome.schedule->predicted;
  const Proof& proof = predicted.objective;
  fmt::print("| {} | {:.5g} | {:.5g} | {:.2f} % | {:.1f} | {} | {} | {:.2f} |\n", name, proof.value,
             proof.lower_bound, 100 * proof.gap, seconds, text(one), predicted.recomputed,
             static_cast<double>(predicted.copied_bytes) * 1e-9);
}

void print_made(const std::string& kind, int tasks, double limit) {
  const Platform platform = processor_and_accelerator();
  const Graph graph = placed_graph_of(kind, tasks, 1);
  double fastest = 0;
  for (const Task& task : graph.tasks) fastest += task.seconds.at("gpu");
  const Problem free = make_problem(graph, platform, {}, kind);
  const auto all = static_cast<double>(keep_all_arena(free, MemoryId{0}).value_or(0));
  for (const double memory : {1.0, 0.6, 0.4}) {
    for (const double slack : {1.15, 1.5}) {
      Request request = request_of("placement", limit);
      request.memory["n0/hbm"] = static_cast<std::int64_t>(all * memory);
      request.deadline_seconds = fastest * slack;
      const std::string name =
          fmt::format("{} {}, {:.0f} %, {:.2f}", kind, graph.tasks.size(), 100 * memory, slack);
      print_line(name, graph, platform, request);
    }
  }
}

void print_network(const std::string& name, std::int64_t batch, double limit) {
  const std::string source = STINT_SOURCE_DIR;
  const Platform platform = read_platform(source + "/platforms/xeon-v100-pcie.json");
  Request request = request_of("placement", limit);
  request.batch = batch;
  print_line(name, read_model(source + "/models/" + name + ".json"), platform, request);
}

int run(const std::vector<std::string>& arguments) {
  const int tasks = arguments.empty() ? 60 : std::atoi(arguments[0].c_str());
  const double limit = arguments.size() < 2 ? 10 : std::atof(arguments[1].c_str());
  std::vector<std::string> kinds(
      arguments.begin() + std::min<std::ptrdiff_t>(2, std::ssize(arguments)), arguments.end());
  if (kinds.empty()) kinds = placed_kinds(), kinds.insert(kinds.end(), {"resnet18", "gpt_tiny"});
  fmt::print(
      "| graph and tasks, memory, deadline | joules | bound | gap | seconds | one device | "
      "recomputed | GB copied |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const std::string& kind : kinds) {
    const auto& made = placed_kinds();
    if (std::find(made.begin(), made.end(), kind) != made.end())
      print_made(kind, tasks, limit);
    else
      print_network(kind, 32, limit);
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run({values + 1, values + count});
  } catch (const std::exception& problem) {
    fmt::print(stderr, "placement: {}\n", problem.what());
    return 1;
  }
}

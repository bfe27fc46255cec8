// How good and how fast is the strategy `graph`? For every graph and amount of memory: what the
// best plan costs above the best known, or above its own bound, in live bytes and with addresses,
// and the processor seconds that each took. Prints one table.
//
//   graph_planning [made[:NAME] | FILE | FOLDER]… [--shares 0.8,0.5] [--live] [--limit UNITS]
//
// Files and folders are of the kind that vector_json.hpp reads; they bring their own amounts of
// memory. Without arguments all graphs that are made here.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/graphs/made_graphs.hpp"
#include "benchmarks/graphs/vector_json.hpp"
#include "files/input_error.hpp"
#include "planner/graphs/graph_solver.hpp"
#include "planner/plan.hpp"

using namespace stint;

namespace {

struct Options {
  std::vector<std::string> sources;
  std::vector<double> shares{0.9, 0.8, 0.7, 0.6, 0.5, 0.4};
  bool with_addresses = true;
  double limit = 10;
};

constexpr double watts = 35;

// One worker and round numbers; memory without end.
Platform machine() {
  return parse_platform(R"({"format": "stint-platform", "version": 1, "name": "bench",
 "nodes": [{"name": "n0", "base_watts": 20, "memories": [{"name": "ram", "bytes": 1099511627776}],
   "devices": [{"name": "cpu", "kind": "cpu", "memory": "ram", "workers": 1, "idle_watts": 8,
     "states": [{"name": "s", "speed": 1, "busy_watts": 7}]}]}]})",
                        "machine");
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Result {
  double cost = 0;  // seconds of the plan; 0: none
  double bound = 0;
  bool optimal = false;
  double seconds = 0;
};

Problem problem_of(const Graph& graph, std::int64_t bytes, double limit) {
  Request request;
  request.memory["n0/ram"] = bytes;
  request.strategy = "graph";
  request.limit = limit;
  return make_problem(graph, machine(), request, graph.name);
}

std::vector<double> costs_of(const Problem& problem) { return problem.seconds[0]; }

std::int64_t peak_without_recomputing(const Graph& graph) {
  const Problem problem = problem_of(graph, 1, 0);
  const auto flat = device_graph(problem, DeviceId{0});
  return SequenceMeter(*flat, costs_of(problem)).measure(listed_order(problem)).peak_bytes;
}

Result live(const Graph& graph, std::int64_t bytes, double limit) {
  const Problem problem = problem_of(graph, bytes, limit);
  const auto flat = device_graph(problem, DeviceId{0});
  const double start = processor_seconds();
  GraphSolverOptions options;
  options.limit = limit;
  const Recognised recognised = recognise_chain(graph, problem.before);
  if (recognised.chain) options.chain = &*recognised.chain;
  GraphSolver solver(*flat, costs_of(problem), {listed_order(problem)}, options);
  const auto plan = solver.solve(bytes);
  Result result;
  result.seconds = processor_seconds() - start;
  result.bound = solver.bound();
  if (plan) result.cost = plan->measure.cost;
  result.optimal = plan && solver.is_proved();
  return result;
}

Result addressed(const Graph& graph, std::int64_t bytes, double limit) {
  const Problem problem = problem_of(graph, bytes, limit);
  const double start = processor_seconds();
  const Outcome outcome = plan(problem, {});
  Result result;
  result.seconds = processor_seconds() - start;
  if (!outcome.schedule) return result;
  const Predicted& predicted = outcome.schedule->predicted;
  result.cost = predicted.seconds;
  result.bound = predicted.objective.lower_bound / watts;
  result.optimal = predicted.optimal;
  return result;
}

std::string percent(double value, double of) {
  if (value <= 0 || of <= 0) return "-";
  return fmt::format("{:+.3f}", (value / of - 1) * 100);
}

void print_half(const Result& result, double best, double base) {
  fmt::print(" {:>8} {:>8} {:>8} {:>8} {:>4} {:>6.1f} |", percent(result.cost, base),
             percent(result.cost, best), percent(result.bound, base),
             percent(result.cost, result.bound), result.optimal ? "yes" : "", result.seconds);
}

void print_row(const Graph& graph, const KnownPlan& known, const Options& options) {
  double base = 0;
  for (const Task& task : graph.tasks) base += task.seconds.at("cpu").value;
  fmt::print("{:<20} {:>5} {:>5.2f} |", graph.name, graph.tasks.size(), known.share);
  std::fflush(stdout);
  print_half(live(graph, known.bytes, options.limit), known.best_seconds, base);
  std::fflush(stdout);
  if (options.with_addresses)
    print_half(addressed(graph, known.bytes, options.limit), known.best_seconds, base);
  fmt::print("\n");
  std::fflush(stdout);
}

void measure_made(const std::string& name, const Options& options) {
  const Graph graph = made_graph(name);
  const auto peak = static_cast<double>(peak_without_recomputing(graph));
  for (const double share : options.shares)
    print_row(graph, {share, static_cast<std::int64_t>(peak * share), 0, 0}, options);
}

void measure_file(const std::string& path, const Options& options) {
  const GraphVector vector = read_vector(path);
  for (const KnownPlan& known : vector.known) print_row(vector.graph, known, options);
}

void measure(const std::string& source, const Options& options) {
  if (source.starts_with("made:")) return measure_made(source.substr(5), options);
  if (source == "made") {
    for (const std::string& name : made_graph_names()) measure_made(name, options);
    return;
  }
  if (!std::filesystem::is_directory(source)) return measure_file(source, options);
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source))
    if (entry.is_regular_file() && is_vector(entry.path())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) measure_file(path, options);
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream list(text);
  for (std::string number; std::getline(list, number, ',');) all.push_back(std::stod(number));
  return all;
}

Options options_of(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (argument == "--live")
      options.with_addresses = false;
    else if (argument == "--shares" && has_value)
      options.shares = numbers(arguments[++i]);
    else if (argument == "--limit" && has_value)
      options.limit = std::stod(arguments[++i]);
    else
      options.sources.push_back(argument);
  }
  if (options.sources.empty()) options.sources = {"made"};
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of({argv + 1, argv + argc});
  const std::string head = fmt::format(" {:>8} {:>8} {:>8} {:>8} {:>4} {:>6} |", "again,%",
                                       "best,%", "bound,%", "gap,%", "opt", "s");
  fmt::print("{:<20} {:>5} {:>5} |{}{}\n", "graph", "tasks", "share", head,
             options.with_addresses ? head : "");
  try {
    for (const std::string& source : options.sources) measure(source, options);
  } catch (const InputError& error) {
    fmt::print(stderr, "graph_planning: {}\n", error.what());
    return 2;
  }
}

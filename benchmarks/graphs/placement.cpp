// How good placements are on a machine of two devices with memories of their own, and how much of
// that is proved: graphs of 60 tasks in several shapes, three power states, memory of the
// accelerator and deadline short; then two networks on a server with two accelerators. Beside it
// the best plan on one device. What can be asked for is in `usage`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/graphs/placed_graphs.hpp"
#include "benchmarks/timing.hpp"
#include "planner/keep_all.hpp"
#include "planner/plan.hpp"

using namespace stint;

namespace {

constexpr const char* usage = R"(placement_planning [OPTIONS] [TASKS [LIMIT [KIND...]]]

Plans graphs of about TASKS tasks (60) on a processor and an accelerator, with LIMIT units of search
(10), and prints what the plans cost, what is proved, and the best plan on one device.

KIND is {}, or a network of models/, which is planned
for a server with two accelerators; by default all kinds, resnet18 and gpt_tiny.

  --seed N           of the graphs (1)
  --memory PERCENT   of what keeping everything takes on the accelerator; may be given again
                     (100, 60, 40)
  --deadline FACTOR  of the seconds of all tasks on the accelerator; may be given again (1.15, 1.5)
  --auto             as `plan` does if nothing else is asked for, all strategies together
  --threads N        of the search (1)
  --placement-only   no plans on one device
  --help             print this
)";

struct Options {
  int tasks = 60;
  double limit = 10;
  int seed = 1;
  std::vector<double> percents;
  std::vector<double> slacks;
  std::string strategy = "placement";
  int threads = 1;
  bool is_placement_only = false;
  bool is_help = false;
  std::vector<std::string> kinds;
};

double number_of(const std::string& text) {
  std::size_t read = 0;
  const double number = std::stod(text, &read);
  if (read != text.size()) throw std::invalid_argument("not a number: " + text);
  return number;
}

Options options_of(const std::vector<std::string>& arguments) {
  Options options;
  int positions = 0;
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    const auto value = [&] {
      if (std::next(word) == arguments.end()) throw std::invalid_argument(*word + " needs a value");
      return number_of(*++word);
    };
    if (*word == "--help" || *word == "-h")
      options.is_help = true;
    else if (*word == "--seed")
      options.seed = static_cast<int>(value());
    else if (*word == "--memory")
      options.percents.push_back(value());
    else if (*word == "--deadline")
      options.slacks.push_back(value());
    else if (*word == "--auto")
      options.strategy = "auto";
    else if (*word == "--threads")
      options.threads = static_cast<int>(value());
    else if (*word == "--placement-only")
      options.is_placement_only = true;
    else if (word->starts_with("-"))
      throw std::invalid_argument("no option named " + *word + "; see --help");
    else if (++positions == 1)
      options.tasks = static_cast<int>(number_of(*word));
    else if (positions == 2)
      options.limit = number_of(*word);
    else
      options.kinds.push_back(*word);
  }
  if (options.percents.empty()) options.percents = {100, 60, 40};
  if (options.slacks.empty()) options.slacks = {1.15, 1.5};
  if (options.kinds.empty()) {
    options.kinds = placed_kinds();
    options.kinds.insert(options.kinds.end(), {"resnet18", "gpt_tiny"});
  }
  return options;
}

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
                const Request& request, const Options& options) {
  Outcome outcome;
  const Problem problem = make_problem(model, platform, request, "model");
  SearchOptions searching;
  searching.threads = options.threads;
  const double seconds = seconds_of([&] { outcome = plan(problem, searching); });
  std::optional<double> one;
  if (!options.is_placement_only) one = on_one_device(model, platform, request);
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

void print_made(const std::string& kind, const Options& options) {
  const Platform platform = processor_and_accelerator();
  const Graph graph = placed_graph_of(kind, options.tasks, options.seed);
  double fastest = 0;
  for (const Task& task : graph.tasks) fastest += task.seconds.at("gpu");
  const Problem free = make_problem(graph, platform, {}, kind);
  const auto all = static_cast<double>(keep_all_arena(free, MemoryId{0}).value_or(0));
  for (const double percent : options.percents) {
    for (const double slack : options.slacks) {
      Request request = request_of(options.strategy, options.limit);
      request.memory["n0/hbm"] = static_cast<std::int64_t>(all * percent / 100);
      request.deadline_seconds = fastest * slack;
      const std::string name = fmt::format("{} {}, {}, {:.0f} %, {:.2f}", kind, options.seed,
                                           graph.tasks.size(), percent, slack);
      print_line(name, graph, platform, request, options);
    }
  }
}

void print_network(const std::string& name, std::int64_t batch, const Options& options) {
  const std::string source = STINT_SOURCE_DIR;
  const Platform platform = read_platform(source + "/platforms/xeon-v100-pcie.json");
  Request request = request_of(options.strategy, options.limit);
  request.batch = batch;
  print_line(name, read_model(source + "/models/" + name + ".json"), platform, request, options);
}

int run(const std::vector<std::string>& arguments) {
  const Options options = options_of(arguments);
  const auto& made = placed_kinds();
  if (options.is_help) {
    fmt::print(usage, fmt::join(made, ", "));
    return 0;
  }
  fmt::print(
      "| graph, seed and tasks, memory, deadline | joules | bound | gap | seconds | one device | "
      "recomputed | GB copied |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const std::string& kind : options.kinds) {
    if (std::find(made.begin(), made.end(), kind) != made.end())
      print_made(kind, options);
    else
      print_network(kind, 32, options);
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

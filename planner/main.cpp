// plan: reads a model and a platform, writes a schedule.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "files/input_error.hpp"
#include "files/program_end.hpp"
#include "files/text_file.hpp"
#include "planner/chains/chain_frontier.hpp"
#include "planner/explain.hpp"
#include "planner/memory_request.hpp"
#include "planner/memory_sweep.hpp"
#include "planner/outcome_json.hpp"
#include "planner/plan.hpp"
#include "planner/power/time_sweep.hpp"
#include "planner/report.hpp"
#include "planner/shard_request.hpp"
#include "planner/training_request.hpp"
#include "planner/what_if.hpp"
#include "platforms/here.hpp"
#include "schedules/learned_times.hpp"

namespace {

enum Exit { ok = stint::exit_ok, infeasible = 3, no_plan = 4 };

constexpr unsigned most_usual_threads = 16;  // nothing is spread wider than that

int usual_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, most_usual_threads));
}

struct Options {
  std::string model;
  std::string platform;
  std::string output;  // "" is none
  std::string from;    // a report to learn from; "" is none
  std::vector<std::string> memory;
  std::string bill = "makespan";
  std::string grain;  // "" is auto where there are layers with leaves to cut
  std::vector<std::string> shard;
  std::string frontier;  // "" is none
  bool no_recompute = false;
  bool no_offload = false;
  bool what_if = false;
  int threads = usual_threads();
  bool json = false;
  bool quiet = false;
  stint::Request request;
  stint::TrainingRequest training;
};

std::atomic<bool> interrupted{false};

// Once: stop and write the best plan found. Twice: end.
void interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

void expect_number(const std::string& option, double value, bool is_good) {
  if (is_good && std::isfinite(value)) return;
  throw stint::InputError(option, std::to_string(value) + "; expected a number above 0");
}

void expect_sensible(const Options& options) {
  const std::string inputs[] = {options.model, options.platform, options.from};
  if (std::count(std::begin(inputs), std::end(inputs), "-") > 1)
    throw stint::InputError("-", "standard input is asked for twice; expected once");
  const stint::Request& request = options.request;
  const double deadline = request.deadline_seconds.value_or(1);
  expect_number("--deadline", deadline, deadline > 0);
  expect_number("--limit", request.limit, request.limit > 0);
  if (options.json && options.output == "-")
    throw stint::InputError(
        "-o -", "standard output is asked for twice, --json prints there; expected a file");
}

// What is asked for every amount of a memory is asked of plans that are able to save some of it.
void bound_by_capacity(const stint::Platform& platform, stint::Request& request) {
  const stint::MemoryId memory = default_memory(platform);
  request.memory.try_emplace(memory_name(platform, memory), platform.memories[memory].bytes);
}

stint::Request request_of(const Options& options, const stint::Model& model,
                          const stint::Platform& platform) {
  stint::Request request = options.request;
  request.recompute = !options.no_recompute;
  request.offload = !options.no_offload;
  request.grain = stint::grain_of(options.grain, model, request.leaves);
  set_bill(request, options.bill, "--bill");
  const auto set_shards = [&] {
    request.shards = shards_of(options.shard, model, platform, request, options.model);
  };
  const bool shards_follow_memory = stint::is_left_to_the_planner(options.shard);
  if (!shards_follow_memory) set_shards();
  std::vector<stint::MemoryOption> memory;
  for (const std::string& text : options.memory) memory.push_back(stint::parse_memory_option(text));
  request.memory = memory_bounds(memory, model, platform, request, options.model);
  if (options.frontier == "memory") bound_by_capacity(platform, request);
  if (shards_follow_memory) set_shards();
  return request;
}

// One line that is redrawn, for people who watch.
stint::SearchOptions search_options(const Options& options, bool draw) {
  stint::SearchOptions search;
  search.threads = options.threads;
  search.interrupted = &interrupted;
  if (draw) {
    search.improved = [](const stint::Schedule& schedule) {
      std::cerr << "\r\033[K" << progress_text(schedule.predicted) << std::flush;
    };
  }
  return search;
}

int report(const Options& options, const stint::Problem& problem, const stint::Outcome& outcome) {
  if (outcome.schedule && !options.output.empty())
    stint::write_text(options.output, schedule_text(*outcome.schedule) + "\n");
  std::vector<stint::WhatIf> answers;
  if (outcome.schedule && options.what_if)
    answers = what_if(problem, *outcome.schedule, search_options(options, false));
  if (options.json) stint::write_text("-", outcome_text(outcome, answers));
  if (!outcome.schedule) {
    std::cerr << "plan: " << no_plan_text(outcome) << '\n';
    return outcome.status == stint::Status::infeasible ? infeasible : no_plan;
  }
  if (options.quiet) return ok;
  std::cerr << plan_text(problem, *outcome.schedule) << '\n';
  if (options.what_if) std::cerr << what_if_text(outcome.schedule->predicted, answers) << '\n';
  return ok;
}

int write_frontier(const Options& options, const stint::Problem& problem) {
  const stint::SearchOptions search = search_options(options, false);
  const bool over_time = options.frontier == "time";
  const auto table = over_time ? std::nullopt : chain_frontier(problem, search);
  const stint::Frontier frontier = over_time ? time_sweep(problem, search)
                                   : table   ? *table
                                             : memory_sweep(problem, search);
  if (frontier.points.empty())
    throw stint::InputError(
        options.model, "there is no plan for it even without a bound; expected one for --frontier");
  stint::write_text(options.output.empty() ? "-" : options.output, frontier_text(frontier) + "\n");
  if (!options.quiet) std::cerr << summary(frontier);
  return ok;
}

int plan(const Options& options) {
  expect_sensible(options);
  stint::expect_strategy(options.request);
  stint::Model model = read_model(options.model, options.training);
  stint::Platform platform = options.platform == "here" ? stint::discover_platform()
                                                        : stint::read_platform(options.platform);
  if (!options.from.empty())
    learn_times(stint::read_run_report(options.from), options.from, model, platform);
  const stint::Problem problem =
      make_problem(model, platform, request_of(options, model, platform), options.model);
  const bool draw = !options.quiet && isatty(STDERR_FILENO) != 0;
  if (!options.quiet) std::cerr << problem_text(problem) << '\n';
  if (!options.frontier.empty()) return write_frontier(options, problem);
  stint::Outcome outcome = plan(problem, search_options(options, draw));
  explain(problem, search_options(options, false), outcome);
  if (draw) std::cerr << "\r\033[K";
  return report(options, problem, outcome);
}

// What an ONNX file does not say.
void add_training_options(CLI::App& app, stint::TrainingRequest& training) {
  app.add_option("--loss", training.loss, "of an ONNX file: cross_entropy or mse");
  app.add_option("--optimizer", training.optimizer, "of an ONNX file: sgd or adam");
  app.add_option("--learning-rate", training.learning_rate, "of an ONNX file");
  app.add_option("--momentum", training.momentum, "of an ONNX file, with sgd");
  app.add_option("--weight-decay", training.weight_decay, "of an ONNX file");
}

void add_options(CLI::App& app, Options& options) {
  using stint::Objective;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::map<std::string, Objective> objectives{{"energy", Objective::energy},
                                                    {"time", Objective::time},
                                                    {"edp", Objective::edp},
                                                    {"memory", Objective::memory}};
  const std::map<std::string, stint::ImageLayout> layouts{{"nhwc", stint::ImageLayout::nhwc},
                                                          {"nchw", stint::ImageLayout::nchw}};
  const std::map<std::string, bool> fusing{{"off", false}, {"auto", true}};
  stint::Request& request = options.request;
  app.add_option("model", options.model,
                 "model of layers (.json, .onnx) or graph of tasks; - is standard input")
      ->required();
  app.add_option("platform", options.platform, "machine; - is standard input, here is this machine")
      ->required();
  app.add_option("-o,--output", options.output,
                 "where the schedule goes; - is standard output, the default without --json");
  app.add_option("--from", options.from,
                 "report of a run: plan with the times that it measured; - is standard input");
  app.add_option("--batch", request.batch, "samples of a step")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--microbatches", request.microbatches, "parts of the batch, one after another")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--leaves", request.leaves,
                 "parts of a micro-batch that are summed over in a fixed order")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--grain", options.grain,
                 "cut layers along the batch: leaves of a piece, or auto, the default");
  app.add_option("--shard", options.shard,
                 "cut layers across devices: LAYER=columns:N, rows:N, channels:N or heads:N, N for "
                 "all that can be, auto or off, the default; changes sums")
      ->allow_extra_args(false);
  app.add_option(
      "--pipeline", request.pipeline,
      "stages in a row on micro-batches: auto, gpipe, 1f1b, interleaved[:CHUNKS], zb-h1, "
      "zb-h2, or pipedream, which updates weights after every micro-batch");
  app.add_option("--stages", request.stages, "of the pipeline")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--layout", request.layout, "how images lie in memory: nhwc or nchw")
      ->transform(CLI::CheckedTransformer(layouts).description(""));
  app.add_option("--fuse", request.fuse,
                 "compute a small convolution and what follows it in one go: off or auto")
      ->transform(CLI::CheckedTransformer(fusing).description(""));
  app.add_option("--memory", options.memory,
                 "bound: NAME=SIZE or SIZE; NAME is a memory or a device, SIZE is bytes, 512MiB, "
                 "2GB or 60% of what keeping everything needs")
      ->allow_extra_args(false);
  app.add_option("--deadline", request.deadline_seconds, "most seconds of a step");
  app.add_option("--objective", request.objective, "energy, time, edp or memory")
      ->transform(CLI::CheckedTransformer(objectives).description(""));
  app.add_option("--bill", options.bill,
                 "what is always on is billed for: makespan, deadline or period=SECONDS");
  app.add_flag("--no-recompute", options.no_recompute, "run every task once");
  app.add_flag("--no-offload", options.no_offload, "move nothing away to bring it back");
  app.add_option("--strategy", request.strategy, "auto, or the one to use");
  app.add_option("--limit", request.limit, "units of search, the same on every machine");
  app.add_option("--seed", request.seed, "of random choices")
      ->check(CLI::Range(std::int64_t{0}, most));
  app.add_option("--threads", options.threads,
                 "of the search, by default all of this machine; never changes the plan")
      ->check(CLI::Range(1, 1024));
  app.add_option("--frontier", options.frontier,
                 "write the curve of cost instead of a plan: against memory, or of energy against "
                 "time")
      ->check(CLI::IsMember({"memory", "time"}).description(""));
  app.add_flag("--what-if", options.what_if,
               "also plan with more memory, faster links, a later deadline: what would it save?");
  app.add_flag("--json", options.json, "print the status and the prediction as one JSON object");
  app.add_flag("-q,--quiet", options.quiet, "print nothing but errors");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Plan a training step: least energy within the memory you have.", "plan"};
  app.set_version_flag("--version", STINT_VERSION);
  Options options;
  add_options(app, options);
  add_training_options(app, options.training);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return stint::complain_of_options("plan", error.what());
  }
  if (options.output.empty() && !options.json) options.output = "-";

  std::signal(SIGINT, interrupt);
  return stint::run_to_the_end("plan", [&] { return plan(options); });
}

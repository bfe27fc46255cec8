// run: replays a schedule exactly, and compares what was predicted with what was measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "executor/accelerator.hpp"
#include "executor/run.hpp"
#include "files/input_error.hpp"
#include "files/program_end.hpp"
#include "files/text_file.hpp"
#include "schedules/share.hpp"

namespace {

enum Exit { ok = stint::exit_ok, not_as_asked = 5 };

struct Options {
  std::string schedule;
  std::string output;
  std::string data = "synthetic:0";
  std::string meter = "auto";
  std::string tolerance;
  std::string evaluate;
  std::vector<std::string> storage;
  bool restore = false;
  bool json = false;
  bool quiet = false;
  stint::RunOptions run;
};

std::atomic<bool> interrupted{false};

std::string version_text() {
  return fmt::format("{} ({} kernels for GPUs)", STINT_VERSION,
                     stint::has_accelerators() ? "with" : "without");
}

// Once: end after the actions in hand. Twice: end.
void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

bool is_number(const std::string& text) {
  constexpr std::size_t most_digits = 18;
  return !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// `synthetic:SEED`, `random:SEED`, or without a seed; nothing if the data come from files.
std::optional<std::int64_t> seed_of(const std::string& spec) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string source = spec.substr(0, colon);
  if (source != "synthetic" && source != "random") return std::nullopt;
  if (colon == spec.size()) return 0;
  const std::string digits = spec.substr(colon + 1);
  if (!is_number(digits))
    throw stint::InputError("--data " + spec, "no seed; expected " + source + ":SEED, a number");
  return std::stoll(digits);
}

std::int64_t batches_of(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "all") return stint::all_batches;
  if (!is_number(text) || std::stoll(text) == 0)
    throw stint::InputError("--eval " + text,
                            "no number of batches; expected one from 1 on, or all");
  return std::stoll(text);
}

stint::StorageFolders storage_of(const std::vector<std::string>& options) {
  stint::StorageFolders folders;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size()) {
      throw stint::InputError("--storage " + option, "no folder; expected MEMORY=FOLDER");
    }
    folders[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return folders;
}

void expect_sensible(const Options& options) {
  if (!stint::meter_kind(options.meter)) {
    throw stint::InputError("--meter " + options.meter,
                            "no such meter; expected auto, powercap, perf, nvml or model");
  }
  if (options.schedule.empty()) {
    throw stint::InputError("run", "no schedule; expected one to replay, or --restore");
  }
  if (options.json && options.output == "-") {
    throw stint::InputError(
        "-o -", "standard output is asked for twice, --json prints there; expected a file");
  }
}

// What was asked for and not kept, or nothing.
std::string complaint(const Options& options, const stint::RunReport& report,
                      const std::optional<double>& tolerance) {
  if (!report.replayed_exactly) return "not replayed exactly: an action began too early";
  if (options.run.meter.required && !report.energy.basis.starts_with("measured")) {
    return "no measured energy: " + report.energy.why_not_better.value_or(report.energy.basis);
  }
  if (const std::string fault = loss_fault(report); !fault.empty()) return fault;
  if (!tolerance) return "";
  for (const auto& [what, error] :
       {std::pair("seconds", report.error_seconds()), std::pair("joules", report.error_joules())}) {
    if (error && std::abs(*error) > *tolerance) {
      return fmt::format("measured {} are off by {:+.1f} %; expected at most {}", what,
                         100 * *error, options.tolerance);
    }
  }
  return "";
}

// What a run that was killed left set.
int restore(const Options& options) {
  const std::string& file = options.run.power.saved_file;
  const auto count = stint::read_saved_settings(file).size();
  try {
    stint::restore_saved_settings(file, stint::PowerControl(options.run.power.places));
  } catch (const stint::PowerFault& fault) {
    const std::string remedy = fault.to_type.empty() ? "" : "; type " + fault.to_type;
    throw std::runtime_error("not everything was put back: " + std::string(fault.what()) + remedy);
  }
  if (!options.quiet) std::cerr << "run: " << count << " values put back\n";
  return ok;
}

int run(Options& options) {
  stint::RunPowerOptions& power = options.run.power;
  power.set = !options.run.synthetic;
  power.saved_file = stint::saved_settings_file();
  power.places.powercap = options.run.meter.places.powercap;
  power.places.nvml = options.run.meter.places.nvml;
  if (options.restore) return restore(options);
  expect_sensible(options);
  std::optional<double> tolerance;
  if (!options.tolerance.empty()) tolerance = stint::share_of(options.tolerance, "--tolerance");
  if (const auto seed = seed_of(options.data))
    options.run.seed = *seed;
  else
    options.run.data = options.data;
  options.run.held_out_batches = batches_of(options.evaluate);
  options.run.storage = storage_of(options.storage);
  options.run.meter.kind = *stint::meter_kind(options.meter);
  options.run.file = options.schedule == "-" ? "standard input" : options.schedule;
  const stint::Schedule schedule = stint::read_schedule(options.schedule);
  if (!options.output.empty()) stint::expect_writable(options.output);
  const stint::RunReport report = stint::run(schedule, options.run, interrupted);
  const std::string text = run_report_text(report) + "\n";
  if (!options.output.empty()) stint::write_text(options.output, text);
  if (options.json) stint::write_text("-", text);
  if (!options.quiet && !options.json) {
    if (options.output == "-") {
      std::cerr << summary(report);
    } else {
      stint::write_text("-", summary(report));
    }
  }
  const std::string wrong = complaint(options, report, tolerance);
  if (wrong.empty()) return ok;
  return stint::complain("run", wrong, not_as_asked);
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("schedule", options.schedule, "what to replay; - is standard input");
  app.add_option("--steps", options.run.steps, "training steps that are measured")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  app.add_option("--warmup", options.run.warmup_steps,
                 "steps before them, after which the run begins anew")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  app.add_option("--data", options.data,
                 "inputs: synthetic or synthetic:SEED; for a network also idx:FOLDER, "
                 "cifar10:FOLDER or npy:FILE,FILE...");
  app.add_flag("--synthetic", options.run.synthetic,
               "replay a network's plan by its costs alone, as on any machine");
  app.add_option("--load", options.run.load_file,
                 "FILE.npz: state to begin with; FILE.onnx: weights");
  app.add_option("--save", options.run.save_file, "FILE.npz: where the state goes at the end");
  app.add_option(
      "--eval", options.evaluate,
      "batches held out from training, to judge the trained network by: a number, or all");
  app.add_option("--meter", options.meter, "of energy: auto, powercap, perf, nvml or model");
  app.add_flag("--require-measured", options.run.meter.required,
               "exit 5 unless the energy comes from a counter");
  app.add_option("--powercap-root", options.run.meter.places.powercap,
                 "the folder of powercap counters");
  app.add_option("--perf-root", options.run.meter.places.perf, "the folder of perf's power unit");
  app.add_option("--nvml-library", options.run.meter.places.nvml, "the library that knows of GPUs");
  app.add_flag("--allow-degraded", options.run.power.allow_degraded,
               "run a plan whose power states cannot be set, in those that the machine is in");
  app.add_flag("--restore", options.restore,
               "put back the power settings that a killed run left, and do nothing else");
  app.add_option("--cpufreq-root", options.run.power.places.cpufreq,
                 "the folder of frequency policies");
  app.add_option("--tolerance", options.tolerance,
                 "exit 5 if seconds or joules are further off than this, such as 10%");
  app.add_option("--storage", options.storage,
                 "MEMORY=FOLDER: where the file of a storage memory goes; the temporary folder "
                 "without")
      ->allow_extra_args(false);
  app.add_option("-o,--output", options.output, "where the report goes; - is standard output");
  app.add_flag("--json", options.json, "print the report as one JSON object");
  app.add_flag("-q,--quiet", options.quiet, "print nothing but errors");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Replay a schedule exactly; compare predicted with measured.", "run"};
  app.set_version_flag("--version", version_text());
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return stint::complain_of_options("run", error.what());
  }

  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return stint::run_to_the_end("run", [&] {
    try {
      return run(options);
    } catch (const stint::NotMeasured& error) {
      return stint::complain("run", error.what(), not_as_asked);
    }
  });
}

// show: explains and checks any of our files.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "files/input_error.hpp"
#include "files/program_end.hpp"
#include "files/text_file.hpp"
#include "schedules/show.hpp"

namespace {

enum Exit { ok = stint::exit_ok, violations = 5 };

struct Options {
  std::string file;
  std::string second;      // or nothing
  std::int64_t batch = 0;  // 0: not given
  bool check = false;
  bool json = false;
  std::string trace;
  std::string paje;
  std::string dot;
  std::string simgrid;  // a folder
  std::string perturb;  // an error, or nothing
  stint::PerturbOptions errors;
  stint::MeterPlaces counters;
  std::string cpufreq = stint::PowerPlaces{}.cpufreq;
};

void expect_sensible(const Options& options) {
  const std::string outputs[] = {options.trace, options.paje, options.dot};
  const auto to_output = std::count(std::begin(outputs), std::end(outputs), "-");
  const auto unused = std::count(std::begin(outputs), std::end(outputs), "");
  if (to_output + (options.check || options.json ? 1 : 0) > 1) {
    throw stint::InputError("-", "standard output is asked for twice; expected once");
  }
  if (!options.second.empty() && (unused < 3 || !options.simgrid.empty())) {
    throw stint::InputError(
        options.second,
        "a second file beside --trace, --paje, --dot or --simgrid; expected one file");
  }
  if (!options.perturb.empty() && (!options.second.empty() || options.check)) {
    throw stint::InputError("--perturb " + options.perturb,
                            "beside a second file or --check; expected one schedule");
  }
  if (options.simgrid == "-") {
    throw stint::InputError("-", "no folder; expected one that --simgrid may write two files to");
  }
}

void write_simgrid(const std::string& folder, const stint::SimgridFiles& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw stint::InputError(folder, error.message() + "; expected a folder to write to");
  stint::write_text(folder + "/platform.xml", files.platform);
  stint::write_text(folder + "/replay.txt", files.replay);
}

std::string perturbed(const Options& options, const stint::Shown& shown) {
  stint::PerturbOptions errors = options.errors;
  errors.error = stint::error_of(options.perturb);
  const stint::Perturbation result = perturb(shown, errors);
  return options.json ? summary_json(result) : summary(result);
}

std::string answer(const Options& options, const std::vector<stint::Shown>& shown) {
  std::string text;
  if (!options.perturb.empty()) return perturbed(options, shown[0]);
  if (options.json) {
    return shown.size() == 1 ? summary_json(shown[0]) : comparison_json(shown[0], shown[1]);
  }
  if (options.check) {
    for (const stint::Shown& file : shown) text += check_text(file);
    return text;
  }
  return shown.size() == 1 ? summary(shown[0]) : comparison(shown[0], shown[1]);
}

int show(const Options& options) {
  expect_sensible(options);
  std::vector<stint::Shown> shown = {stint::read_shown(options.file)};
  shown[0].counters = options.counters;
  shown[0].power = {options.cpufreq, options.counters.powercap, options.counters.nvml};
  if (!options.second.empty()) shown.push_back(stint::read_shown(options.second));
  if (options.batch > 0) set_batch(shown[0], options.batch);
  if (!options.trace.empty()) stint::write_text(options.trace, trace_text(shown[0]));
  if (!options.paje.empty()) stint::write_text(options.paje, paje_text(shown[0]));
  if (!options.dot.empty()) stint::write_text(options.dot, dot_text(shown[0]));
  if (!options.simgrid.empty()) write_simgrid(options.simgrid, simgrid_files(shown[0]));
  const bool piped = options.trace == "-" || options.paje == "-" || options.dot == "-";
  if (!piped) stint::write_text("-", answer(options, shown));
  const bool broken = std::any_of(shown.begin(), shown.end(),
                                  [](const stint::Shown& file) { return file.has_violations(); });
  return options.check && broken ? violations : ok;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Explain a file: a model of layers (.json, .onnx), a graph of tasks, a platform, a schedule, "
      "a run's report "
      "or a frontier.",
      "show"};
  app.set_version_flag("--version", STINT_VERSION);
  Options options;
  app.add_option("FILE", options.file,
                 "a model of layers (.json, .onnx), a graph of tasks, a platform, a schedule, a "
                 "run's report or a "
                 "frontier; "
                 "- is standard input, here this machine")
      ->required()
      ->option_text(" ");
  app.add_option("SECOND", options.second, "a schedule to compare the first with")
      ->option_text(" ");
  app.add_flag("--check", options.check,
               "list every violation of a schedule; exit 5 if there are any");
  app.add_option("--batch", options.batch, "samples of a step, for a model of layers")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  app.add_flag("--json", options.json, "print one JSON object");
  app.add_option("--trace", options.trace, "write a Chrome trace, for ui.perfetto.dev")
      ->type_name("FILE");
  app.add_option("--paje", options.paje, "write a Paje trace, for ViTE and pj_dump")
      ->type_name("FILE");
  app.add_option("--dot", options.dot, "write a picture for Graphviz's dot")->type_name("FILE");
  app.add_option("--simgrid", options.simgrid, "write what simgrid_replay needs to a folder")
      ->type_name("DIR");
  app.add_option("--perturb", options.perturb,
                 "what if times of tasks are wrong by up to this much, such as 10%")
      ->type_name("P%");
  app.add_option("--samples", options.errors.samples, "with --perturb: how many random errors")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--seed", options.errors.seed, "with --perturb: of the random errors")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  app.add_option("--powercap-root", options.counters.powercap,
                 "with here: the folder of powercap counters")
      ->type_name("DIR");
  app.add_option("--perf-root", options.counters.perf, "with here: the folder of perf's power unit")
      ->type_name("DIR");
  app.add_option("--nvml-library", options.counters.nvml,
                 "with here: the library that knows of GPUs")
      ->type_name("FILE");
  app.add_option("--cpufreq-root", options.cpufreq, "with here: the folder of frequency policies")
      ->type_name("DIR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return stint::complain_of_options("show", error.what());
  }

  return stint::run_to_the_end("show", [&] { return show(options); });
}

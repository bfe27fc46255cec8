// calibrate: measures this machine, and writes it down as a platform.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <iostream>
#include <limits>
#include <map>
#include <string>

#include "executor/calibrate/calibration_text.hpp"
#include "files/input_error.hpp"
#include "files/program_end.hpp"
#include "files/text_file.hpp"

namespace {

struct Options {
  std::string output;  // "" is none
  bool compare = false;
  bool json = false;
  bool quiet = false;
  stint::CalibrateOptions calibrate;
};

std::atomic<bool> interrupted{false};

void interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

void draw_progress(std::size_t done, std::size_t all) {
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / all;
  std::cerr << "\r\033[K"
            << fmt::format("[{}{}] step {} of {}", std::string(filled, '#'),
                           std::string(width - filled, ' '), done + 1, all)
            << std::flush;
}

// The platform goes to standard output unless something else does.
std::string output_of(const Options& options) {
  if (options.output.empty() && !options.json && !options.compare) return "-";
  return options.output;
}

void print(const Options& options, const stint::Calibration& found) {
  if (options.json) {
    stint::write_text("-", calibration_json(found) + "\n");
  } else if (options.compare) {
    stint::write_text("-", comparison_text(found));
  }
  if (!options.quiet) std::cerr << calibration_text(found);
}

int calibrate(Options& options) {
  if (options.output == "-" && (options.json || options.compare)) {
    throw stint::InputError("-o -", "standard output asked for twice; expected a file");
  }
  const std::string output = output_of(options);
  if (!output.empty() && output != "-") stint::expect_writable(output);
  const bool draw = !options.quiet && isatty(STDERR_FILENO) != 0;
  if (draw) options.calibrate.progress = draw_progress;
  const stint::Calibration found = stint::calibrate(options.calibrate, interrupted);
  if (draw) std::cerr << "\r\033[K";
  if (interrupted) {
    return stint::complain("calibrate", "interrupted; nothing was written", stint::exit_failed);
  }
  if (!output.empty()) stint::write_text(output, platform_text(found.platform) + "\n");
  print(options, found);
  return stint::exit_ok;
}

void add_options(CLI::App& app, Options& options) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::map<std::string, stint::ImageLayout> layouts{{"nhwc", stint::ImageLayout::nhwc},
                                                          {"nchw", stint::ImageLayout::nchw}};
  const std::map<std::string, bool> fusing{{"off", false}, {"auto", true}};
  const std::map<std::string, bool> busy{{"one", false}, {"all", true}};
  stint::CalibrateOptions& calibrate = options.calibrate;
  app.add_option("-o,--output", options.output,
                 "where the platform goes; - is standard output, the default");
  CLI::Option* const file =
      app.add_option("--for", calibrate.file,
                     "model or schedule whose kernels are measured; else all ops are modelled");
  const auto number = [&](const char* name, std::int64_t& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::Range(std::int64_t{1}, most))->needs(file);
  };
  number("--batch", calibrate.batch, "samples of a step, with --for");
  number("--microbatches", calibrate.microbatches, "as in plan, with --for");
  number("--leaves", calibrate.leaves, "as in plan, with --for");
  number("--grain", calibrate.grain, "as in plan, with --for");
  app.add_option("--layout", calibrate.layout, "as in plan, with --for: nhwc or nchw")
      ->transform(CLI::CheckedTransformer(layouts).description(""))
      ->needs(file);
  app.add_option("--fuse", calibrate.fuse, "as in plan, with --for: off or auto")
      ->transform(CLI::CheckedTransformer(fusing).description(""))
      ->needs(file);
  app.add_option("--busy", calibrate.all_busy,
                 "workers that run while one is measured: all, the default, or one")
      ->transform(CLI::CheckedTransformer(busy).description(""));
  app.add_flag("--quick", calibrate.quick, "fewer and smaller shapes: within a minute")
      ->excludes(file);
  app.add_option("--powercap-root", calibrate.meters.powercap, "the folder of powercap counters");
  app.add_option("--perf-root", calibrate.meters.perf, "the folder of perf's power unit");
  app.add_flag("--compare", options.compare,
               "print errors by op, next to those of models that others use")
      ->excludes(file);
  app.add_flag("--json", options.json, "print what was found as one object");
  app.add_flag("-q,--quiet", options.quiet, "print nothing but errors");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measure this machine, and write it down as a platform.", "calibrate"};
  app.set_version_flag("--version", STINT_VERSION);
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return stint::complain_of_options("calibrate", error.what());
  }

  std::signal(SIGINT, interrupt);
  return stint::run_to_the_end("calibrate", [&] { return calibrate(options); });
}

// calibrate: measures this machine, and writes it down as a platform.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <string>

#include "executor/calibrate/calibrate.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"

namespace {

enum Exit { ok = 0, failed = 1, bad_input = 2 };

struct Options {
  std::string output;  // "" is none
  std::string file;    // --for
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
  std::cerr << "\r\033[K" << fmt::format("kernel {} of {}", done + 1, all) << std::flush;
}

int calibrate(Options& options) {
  const bool draw = !options.quiet && isatty(STDERR_FILENO) != 0;
  if (draw) options.calibrate.progress = draw_progress;
  const stint::Platform platform = stint::calibrate(options.file, options.calibrate, interrupted);
  if (draw) std::cerr << "\r\033[K";
  if (interrupted) {
    std::cerr << "calibrate: interrupted; nothing was written\n";
    return failed;
  }
  stint::write_text(options.output.empty() ? "-" : options.output, platform_text(platform) + "\n");
  if (!options.quiet) std::cerr << stint::calibration_text(platform);
  return ok;
}

void add_options(CLI::App& app, Options& options) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::map<std::string, stint::ImageLayout> layouts{{"nhwc", stint::ImageLayout::nhwc},
                                                          {"nchw", stint::ImageLayout::nchw}};
  stint::CalibrateOptions& calibrate = options.calibrate;
  app.add_option("-o,--output", options.output,
                 "where the platform goes; - is standard output, the default");
  app.add_option("--for", options.file, "model or schedule whose kernels are measured")->required();
  app.add_option("--batch", calibrate.batch, "samples of a step")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--microbatches", calibrate.microbatches, "as in plan")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--leaves", calibrate.leaves, "as in plan")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--grain", calibrate.grain, "as in plan")
      ->check(CLI::Range(std::int64_t{1}, most));
  app.add_option("--layout", calibrate.layout, "as in plan: nhwc or nchw")
      ->transform(CLI::CheckedTransformer(layouts).description(""));
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
    std::cerr << "calibrate: " << stint::one_line(error.what()) << "; see --help\n";
    return bad_input;
  }

  std::signal(SIGINT, interrupt);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error like any other
  try {
    return calibrate(options);
  } catch (const stint::InputError& error) {
    std::cerr << "calibrate: " << error.what() << '\n';
    return bad_input;
  } catch (const std::exception& error) {
    std::cerr << "calibrate: " << error.what() << '\n';
    return failed;
  }
}

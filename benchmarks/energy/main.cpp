// How well a step is predicted: this machine is calibrated, with a counter that draws known watts
// for the time that the program is on its cores; networks that the calibration does not know are
// planned and run, twice; seconds, watts and joules stand next to each other.
//
//   predictions [--quick | --least] [--machine FILE] [NETWORK:BATCH…]
//
// Every network is predicted twice: by the time models of the machine in general, and by its own
// kernels (calibrate --for); on one worker, and on all. What calibration finds in general is
// written to the file; if it is there already, it is taken from it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "benchmarks/energy/compared_run.hpp"
#include "executor/calibrate/calibrate.hpp"
#include "executor/calibrate/calibration_text.hpp"
#include "executor/median.hpp"
#include "files/input_error.hpp"
#include "files/text_file.hpp"
#include "schedules/text_table.hpp"
#include "schedules/units.hpp"
#include "tests/support/work_counter.hpp"

using namespace stint;

namespace {

const std::atomic<bool> never{false};
const std::vector<std::string> usual = {"lenet5:16",  "lenet5:64",  "mlp:64",        "dahl_cnn:16",
                                        "gpt_tiny:4", "resnet18:2", "mobilenet_v2:1"};
constexpr DrawnWatts watts{.idle = 10, .busy = 5};

struct Options {
  bool quick = false;
  bool least = false;   // hardly anything: to see that it works
  std::string machine;  // a platform file
  std::vector<std::string> networks;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--least") {
      options.least = true;
    } else if (argument == "--machine" && i + 1 < argc) {
      options.machine = argv[++i];
    } else if (argument.starts_with("-")) {
      throw InputError(argument,
                       "no such option; expected [--quick] [--machine FILE] [NETWORK:BATCH…]");
    } else {
      options.networks.push_back(argument);
    }
  }
  if (options.networks.empty()) options.networks = usual;
  return options;
}

struct Asked {
  std::string name;
  std::string file;
  std::int64_t batch = 1;
};

Asked asked(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  return {text, fmt::format("{}/models/{}.json", STINT_SOURCE_DIR, name),
          colon == std::string::npos ? 1 : std::stoll(text.substr(colon + 1))};
}

Platform calibrated(const Options& options, const MeterPlaces& places) {
  if (std::filesystem::exists(options.machine)) return read_platform(options.machine);
  CalibrateOptions calibrate_options{.quick = options.quick || options.least, .meters = places};
  if (options.least) {
    calibrate_options.design = {.networks = 4, .most_flops = 1e6, .most_bytes = 1 << 18};
    calibrate_options.power_window_seconds = 0.1;
  }
  const Calibration found = calibrate(calibrate_options, never);
  fmt::print("{}", calibration_text(found));
  if (!options.machine.empty()) write_text(options.machine, platform_text(found.platform));
  return found.platform;
}

// The machine in general, with the kernels of one network besides.
Platform with_kernels_of(const Asked& network, Platform platform) {
  const MeterPlaces nowhere{.powercap = "none", .perf = "none", .nvml = "none"};
  const Calibration found =
      calibrate({.file = network.file, .batch = network.batch, .meters = nowhere}, never);
  for (std::size_t i = 0; i < platform.devices.size(); ++i)
    platform.devices[i].kernels = found.platform.devices[i].kernels;
  return platform;
}

Platform with_one_worker(Platform platform) {
  platform.devices.resize(1);
  platform.devices.front().workers = 1;
  return platform;
}

double seconds_of(const Spent& spent) { return spent.seconds; }
double watts_of(const Spent& spent) { return spent.watts; }
double joules_of(const Spent& spent) { return spent.joules; }

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

void add_row(const ComparedRun& run, TextTable& table) {
  const Spent mean = run.mean();
  table.row({run.name, run.basis, std::to_string(run.workers), seconds_text(run.predicted.seconds),
             seconds_text(mean.seconds), signed_percent(error_of(run, seconds_of)),
             percent_text(floor_of(run, seconds_of)), fmt::format("{:.2f}", run.predicted.watts),
             fmt::format("{:.2f}", mean.watts), signed_percent(error_of(run, watts_of)),
             joules_text(run.predicted.joules), joules_text(mean.joules),
             signed_percent(error_of(run, joules_of)), percent_text(floor_of(run, joules_of))});
}

// The medians of some runs' errors and floors, and how often the floor the error is.
std::vector<std::string> medians(const std::vector<ComparedRun>& runs,
                                 double (*quantity)(const Spent&)) {
  std::vector<double> errors;
  std::vector<double> floors;
  for (const ComparedRun& run : runs) {
    errors.push_back(std::abs(error_of(run, quantity)));
    floors.push_back(floor_of(run, quantity));
  }
  const double error = median(errors);
  const double floor = median(floors);
  return {percent_text(error), percent_text(floor),
          floor > 0 ? fmt::format("{:.2f}", error / floor) : "-"};
}

void add_medians(const std::vector<ComparedRun>& runs, const std::string& basis, bool several,
                 TextTable& table) {
  std::vector<ComparedRun> some;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(some), [&](const ComparedRun& run) {
    return run.basis == basis && (run.workers > 1) == several;
  });
  if (some.empty()) return;
  std::vector<std::string> cells = {several ? "several" : "one", basis,
                                    std::to_string(some.size())};
  for (const auto quantity : {seconds_of, watts_of, joules_of}) {
    for (std::string& cell : medians(some, quantity)) cells.push_back(std::move(cell));
  }
  table.row(std::move(cells));
}

void print(const std::vector<ComparedRun>& runs) {
  TextTable table({{"network", TextTable::Align::left},
                   {"predicted by", TextTable::Align::left},
                   {"workers"},
                   {"predicted"},
                   {"measured"},
                   {"error"},
                   {"floor"},
                   {"watts"},
                   {"measured"},
                   {"error"},
                   {"joules"},
                   {"measured"},
                   {"error"},
                   {"floor"}});
  for (const ComparedRun& run : runs) add_row(run, table);
  TextTable summary({{"workers", TextTable::Align::left},
                     {"medians by", TextTable::Align::left},
                     {"plans"},
                     {"seconds"},
                     {"floor"},
                     {"ratio"},
                     {"watts"},
                     {"floor"},
                     {"ratio"},
                     {"joules"},
                     {"floor"},
                     {"ratio"}});
  for (const bool several : {false, true}) {
    for (const char* basis : {"models", "kernels"}) add_medians(runs, basis, several, summary);
  }
  fmt::print("\n{}\n{}", table.text(), summary.text());
}

void measure(const Options& options) {
  const WorkCounter counter(watts, WorkCounter::Threads::several);
  const MeterPlaces places{
      .powercap = WorkCounter::root, .perf = "none", .nvml = "none", .files = &counter};
  const Platform general = calibrated(options, places);
  std::vector<ComparedRun> runs;
  for (const std::string& text : options.networks) {
    const Asked network = asked(text);
    const Model model = read_model(network.file);
    const auto add = [&](const Platform& platform, const char* basis) {
      for (const Platform& some : {with_one_worker(platform), platform})
        runs.push_back(planned_run(network.name, model, network.batch, some, basis));
    };
    add(general, "models");
    add(with_kernels_of(network, general), "kernels");
  }
  for (int turn = 0; turn < 2; ++turn) {
    for (ComparedRun& run : runs) run_again(places, options.least ? 2 : 20, run);
  }
  print(runs);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measure(parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "predictions: {}\n", error.what());
    return 1;
  }
}

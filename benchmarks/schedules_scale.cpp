// Does judging a schedule stay linear? Validates and simulates schedules of up to a million actions
// in memory, and reads one of a hundred thousand from its JSON text. Prints a table. Other numbers
// of actions may be given as arguments.

#include <fmt/format.h>
#include <sys/resource.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/large_schedule.hpp"
#include "benchmarks/timing.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

using namespace stint;

namespace {

// The largest resident size of this process so far, in MiB; sizes grow from row to row.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void require_valid(const Schedule& schedule) {
  const auto violations = validate(schedule);
  if (violations.empty()) return;
  throw std::logic_error("the benchmark's schedule is not valid: " + to_string(violations.front()));
}

// One row of the table; gives the seconds of validate and simulate together.
double measure(int actions) {
  const Schedule schedule = large_schedule(actions);
  require_valid(schedule);
  const int repeats = actions > 100000 ? 3 : 7;
  const double validating = median_seconds(repeats, [&] { validate(schedule); });
  const double simulating = median_seconds(repeats, [&] { simulate(schedule); });
  fmt::print("{:>10} {:>12} {:>12} {:>12.3f} {:>12.3f} {:>14.0f}\n", schedule.actions.size(),
             schedule.buffers.size(), schedule.graph.tasks.size(), validating, simulating,
             peak_mib());
  return validating + simulating;
}

void measure_json(int actions) {
  const Schedule schedule = large_schedule(actions);
  std::string text;
  const double writing = median_seconds(3, [&] { text = schedule_text(schedule); });
  const double reading = median_seconds(3, [&] { parse_schedule(text, "large.json"); });
  fmt::print("JSON of {} actions, {:.1f} MB: written in {:.2f} s, read in {:.2f} s\n",
             schedule.actions.size(), static_cast<double>(text.size()) / 1e6, writing, reading);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<int> sizes = {10000, 100000, 1000000};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::stoi(argv[i]));
    fmt::print("{:>10} {:>12} {:>12} {:>12} {:>12} {:>14}\n", "actions", "buffers", "tasks",
               "validate s", "simulate s", "peak RSS MiB");
    double before = 0;
    double last = 0;
    for (const int size : sizes) before = std::exchange(last, measure(size));
    if (sizes.size() > 1)
      fmt::print("validate + simulate, last row over the one before: {:.1f}x\n", last / before);
    measure_json(std::min(100000, sizes.back()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "schedules_scale: {}\n", error.what());
    return 1;
  }
}

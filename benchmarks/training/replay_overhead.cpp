// What does replay add to the kernels of a step, and how long does a schedule take to start? For a
// plan of a network on one worker, prints the seconds of each part of the start-up, and of a step:
// replayed, next to the same kernels called one after the other by a plain loop, in turns.
//
//     replay_overhead SCHEDULE [TURNS]
//
// Processor time of the one thread. The overhead is that of the median turn.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks/timing.hpp"
#include "executor/cpu/cpu_backend.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/generated_samples.hpp"
#include "executor/replay.hpp"
#include "executor/seating.hpp"
#include "executor/step_data.hpp"
#include "files/input_error.hpp"
#include "schedules/schedule_json.hpp"
#include "schedules/simulate.hpp"
#include "schedules/validate.hpp"

using namespace stint;

namespace {

template <typename Work>
auto timed(const char* what, Work work) {
  const double begin = thread_seconds();
  auto result = work();
  fmt::print("{:<28} {:>9.3f} s\n", what, thread_seconds() - begin);
  return result;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

void compare(const Program& program, Replay& replay, int turns) {
  std::vector<double> replayed, looped, overhead;
  std::int64_t step = 0;
  const auto replay_step = [&] { replay.run_step(step++); };
  const auto loop_step = [&] {
    for (const Entry& entry : program.lanes[0].entries) entry.job->run(step);
    ++step;
  };
  for (int turn = 0; turn < turns + 2; ++turn) {
    const double whole = seconds_of(replay_step);
    const double kernels = seconds_of(loop_step);
    if (turn < 2) continue;  // the first touch their memory
    replayed.push_back(whole);
    looped.push_back(kernels);
    overhead.push_back(whole / kernels - 1);
  }
  fmt::print("{:<28} {:>9.3f} ms, of {} actions\n", "step, replayed", median(replayed) * 1e3,
             program.lanes[0].entries.size());
  fmt::print("{:<28} {:>9.3f} ms\n", "its kernels in a plain loop", median(looped) * 1e3);
  fmt::print("{:<28} {:>9.2f} %\n", "overhead", median(overhead) * 100);
}

void measure(const std::string& file, int turns) {
  const double begin = thread_seconds();
  const Schedule schedule = timed("read", [&] { return read_schedule(file); });
  timed("judge", [&] { return validate(schedule).size(); });
  const auto& network = std::get<Network>(schedule.model);
  const auto lowered =
      timed("lower", [&] { return lower_with_kernels(network, schedule.lowering); });
  const GeneratedSamples samples(sample_inputs(network), 0);
  const NetworkValues values(network, lowered, schedule.lowering, samples, 0);
  Arenas arenas = timed("map", [&] { return Arenas(schedule, {}); });
  CpuBackend backend(schedule, lowered, arenas, values, 0);
  const Program program =
      timed("compile", [&] { return compile(schedule, simulate(schedule).seconds, backend); });
  if (program.lanes.size() != 1)
    throw InputError(file, "several workers; expected one, whose kernels a loop can call");
  StepData data(schedule, arenas, values);
  timed("first values", [&] { return data.reset(0), 0; });
  data.bring_inputs(0);
  fmt::print("{:<28} {:>9.3f} s\n", "start-up", thread_seconds() - begin);
  const Stop never{false};
  Replay replay(
      program, {0}, [](WorkerId) {}, never);
  compare(program, replay, turns);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw InputError("arguments", "too few; expected SCHEDULE [TURNS]");
    measure(argv[1], argc > 2 ? std::stoi(argv[2]) : 20);
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_overhead: {}\n", error.what());
    return 1;
  }
  return 0;
}

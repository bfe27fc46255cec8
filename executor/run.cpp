#include "executor/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/measurements.hpp"
#include "executor/replay.hpp"
#include "executor/seating.hpp"
#include "executor/step_data.hpp"
#include "files/input_error.hpp"
#include "files/sha256.hpp"
#include "schedules/validate.hpp"

namespace stint {
namespace {

void expect_valid(const Schedule& schedule, const std::string& file) {
  const std::vector<Violation> violations = validate(schedule);
  if (violations.empty()) return;
  const auto& [rule, where, what] = violations.front();
  const std::string more = violations.size() == 1 ? ""
                                                  : fmt::format(" (and {} more, see show --check)",
                                                                violations.size() - 1);
  throw InputError(file + ": " + where, fmt::format("R{}: {}{}", rule, what, more));
}

std::string action_text(const Schedule& schedule, ActionId action) {
  return describe_action(schedule, action, workers(schedule.platform));
}

// Runs steps one after another, with their inputs brought in and their results taken.
class Runner {
 public:
  Runner(const Schedule& schedule, const Backend& backend, Replay& replay, StepData& data)
      : schedule_(schedule), backend_(backend), replay_(replay), data_(data) {}

  template <typename Visit>
  void run_steps(std::int64_t steps, Visit after_step) {
    data_.reset();
    for (std::int64_t step = 0; step < steps; ++step) {
      data_.bring_inputs(step);
      const StepEnd end = replay_.run_step(step);
      if (end == StepEnd::failed) {
        throw std::runtime_error(fmt::format("step {}, {}: {}", step,
                                             action_text(schedule_, replay_.failure()->action),
                                             replay_.failure()->what));
      }
      if (end == StepEnd::interrupted)
        throw Interrupted(fmt::format("interrupted in step {}", step));
      data_.collect_results(step, backend_.step_digest());
      after_step(replay_.times());
    }
  }

 private:
  const Schedule& schedule_;
  const Backend& backend_;
  Replay& replay_;
  StepData& data_;
};

// The highest byte that any action touches, or that is there from the start.
std::map<std::string, std::int64_t> highest_bytes(const Schedule& schedule) {
  std::map<std::string, std::int64_t> touched;
  for (const auto& [name, bytes] : schedule.arenas) touched[name] = 0;
  for (const Buffer& buffer : schedule.buffers) {
    const std::int64_t last = std::max(buffer.offset, buffer.second_offset.value_or(0));
    std::int64_t& highest = touched[memory_name(schedule.platform, buffer.memory)];
    highest = std::max(highest, last + buffer.bytes);
  }
  return touched;
}

RunReport head_of_report(const Schedule& schedule, const Simulation& simulation,
                         const RunOptions& options) {
  return {.schedule_sha256 = sha256(schedule_text(schedule)),
          .numerics_sha256 = schedule.numerics_sha256,
          .name = name_of(schedule.model),
          .steps = options.steps,
          .warmup_steps = options.warmup_steps,
          .predicted = {simulation.makespan_seconds, simulation.joules_by.total()},
          .peak_bytes = highest_bytes(schedule)};
}

}  // namespace

RunReport run_unjudged(const Schedule& schedule, const Simulation& simulation, Arenas& arenas,
                       Backend& backend, const RunOptions& options,
                       const std::atomic<bool>& interrupted) {
  const Program program = compile(schedule, simulation.seconds, backend);
  StepData data(schedule, arenas, options.seed);
  Seating seating(schedule.platform, program);
  Measurements measurements(schedule, simulation, options.steps);
  RunReport report = head_of_report(schedule, simulation, options);
  {
    Replay replay(
        program, seating.spin_seconds(), [&](WorkerId worker) { seating.pin(worker); },
        interrupted);
    Runner runner(schedule, backend, replay, data);
    runner.run_steps(options.warmup_steps, [](const StepTimes&) {});
    runner.run_steps(options.steps, [&](const StepTimes& times) { measurements.add(times); });
  }
  measurements.report(report);
  report.state_sha256 = data.state_sha256(options.steps);
  report.results_sha256 = data.results_sha256();
  for (const std::string& note : seating.notes()) report.notes.push_back(note);
  return report;
}

RunReport run(const Schedule& schedule, const RunOptions& options,
              const std::atomic<bool>& interrupted) {
  expect_valid(schedule, options.file);
  Arenas arenas(schedule, options.storage);
  SyntheticBackend backend(schedule, arenas, options.pace, options.seed);
  return run_unjudged(schedule, simulate(schedule), arenas, backend, options, interrupted);
}

}  // namespace stint

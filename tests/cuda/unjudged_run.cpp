// unjudged_run SCHEDULE [ACTION:EARLIER]...: trains two steps on GPUs without asking the judge
// first; then again for every pair, with EARLIER taken from the `after` of ACTION. For each it
// prints whether the judge would have let it pass, and the code with which the run ended.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "executor/accelerator.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/device_backend.hpp"
#include "executor/run.hpp"
#include "platforms/names.hpp"
#include "schedules/validate.hpp"

using namespace stint;

namespace {

void train(const Schedule& schedule) {
  const auto& network = std::get<Network>(schedule.model);
  const LoweredNetwork lowered =
      lower_with_kernels(network, schedule.lowering, std::ssize(schedule.graph.tasks));
  const auto samples = open_samples("", network, schedule.lowering.batch, 0, false);
  const NetworkValues values(network, lowered, schedule.lowering, *samples, 0);
  const auto accelerator = open_accelerator(schedule, 0);
  Arenas arenas(schedule, {}, accelerator.get());
  DeviceBackend backend(schedule, lowered, arenas, values, 0, *accelerator);
  const std::atomic<bool> interrupted{false};
  RunOptions options;
  options.steps = 2;
  run_unjudged(schedule, arenas, backend, values, options, interrupted);
}

// A plan gives products of matrices the workspace that they need on a CPU. On a GPU cuBLAS has its
// own, so nothing touches those bytes and whatever comes upon them is no race.
Schedule without_unused_workspace(Schedule schedule) {
  const std::vector<Worker> all = workers(schedule.platform);
  for (const Action& action : schedule.actions) {
    if (action.what != Do::compute || action.workspace == no_buffer) continue;
    if (!is_gpu(schedule.platform.devices[all[action.worker].device])) continue;
    Task& task = schedule.graph.tasks[action.task];
    if (!task.op.starts_with("linear")) continue;
    task.workspace_bytes = 1;
    schedule.buffers[action.workspace].bytes = 1;
  }
  return schedule;
}

// Whether the judge finds fault with more than predicted values, times and energies, which fewer
// bytes and another order change.
bool is_sound(const Schedule& plan) {
  constexpr int of_predictions = 20;  // the first of the rules on values that follow from the rest
  const Schedule schedule = without_unused_workspace(plan);
  const auto violations = validate(schedule, schedule.graph);
  return std::all_of(violations.begin(), violations.end(), [](const Violation& violation) {
    return violation.rule >= of_predictions;
  });
}

// Whether the judge lets the schedule pass, and how a process of its own ends that runs it.
void judge_and_train(const Schedule& schedule, const std::string& name) {
  std::cout << name << (is_sound(schedule) ? " valid " : " invalid ") << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    try {
      train(schedule);
      std::exit(0);
    } catch (const std::exception& error) {
      std::cerr << "unjudged_run: " << error.what() << '\n';
      std::exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  const Schedule whole = read_schedule(arguments[1]);
  judge_and_train(whole, "whole");
  for (int i = 2; i < count; ++i) {
    const std::string pair = arguments[i];
    Schedule schedule = whole;
    auto& after = schedule.actions.at(std::stoul(pair)).after;
    std::erase(after, ActionId{std::stoi(pair.substr(pair.find(':') + 1))});
    judge_and_train(schedule, pair);
  }
}

// unjudged_run SCHEDULE ACTION: trains two steps on GPUs without asking the judge first, after the
// `after` of one action has been taken away; of none if ACTION is none. Prints whether the judge
// would have let it pass.
#include <atomic>
#include <exception>
#include <iostream>
#include <string>

#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/device_backend.hpp"
#include "executor/run.hpp"
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

}  // namespace

int main(int, char** arguments) {
  try {
    Schedule schedule = read_schedule(arguments[1]);
    const std::string action = arguments[2];
    if (action != "none") schedule.actions.at(std::stoul(action)).after.clear();
    std::cout << (validate(schedule).empty() ? "valid" : "invalid") << '\n';
    train(schedule);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "unjudged_run: " << error.what() << '\n';
    return 1;
  }
}

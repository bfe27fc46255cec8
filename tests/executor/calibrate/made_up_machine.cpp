#include "tests/executor/calibrate/made_up_machine.hpp"

#include <memory>
#include <random>

#include "schedules/cost.hpp"

namespace stint {

StepClocks made_up_clocks(const TimeModel& model, double noise) {
  const auto engine = std::make_shared<std::mt19937_64>(1);
  const auto clock = [=](double share_of_time) {
    return [=](const NetworkStep&, const LoweredNetwork& lowered) {
      std::vector<double> seconds;
      for (const Task& task : lowered.graph.tasks) {
        const double share = static_cast<double>((*engine)() >> 11) * 0x1p-52 - 1;  // from -1 to 1
        seconds.push_back(share_of_time * modelled_seconds(task, model) * (1 + noise * share));
      }
      return seconds;
    };
  };
  return {clock(1), clock(0.8)};
}

Task costs(double flops, double bytes) {
  Task task;
  task.op = "work";
  task.shape = std::to_string(flops) + "," + std::to_string(bytes);
  task.flops = flops;
  task.bytes_moved = bytes;
  return task;
}

}  // namespace stint

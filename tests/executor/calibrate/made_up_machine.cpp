#include "tests/executor/calibrate/made_up_machine.hpp"

#include <memory>
#include <random>

#include "schedules/cost.hpp"

namespace stint {

KernelClocks made_up_clocks(const TimeModel& model, double noise) {
  const auto engine = std::make_shared<std::mt19937_64>(1);
  const auto reading = [engine, noise](double seconds) {
    const double share = static_cast<double>((*engine)() >> 11) * 0x1p-52 - 1;  // from -1 to 1
    return seconds * (1 + noise * share);
  };
  return {
      [=](const Task& task, const TaskKernel&) { return reading(modelled_seconds(task, model)); },
      [=](const Task& task, const TaskKernel&) {
        return reading(0.8 * modelled_seconds(task, model));
      }};
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

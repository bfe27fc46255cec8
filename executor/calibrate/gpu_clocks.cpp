#include "executor/calibrate/gpu_clocks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <limits>
#include <optional>
#include <utility>

#include "executor/accelerator.hpp"
#include "executor/arenas.hpp"
#include "executor/calibrate/gpu_step.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/open_samples.hpp"
#include "executor/device_backend.hpp"
#include "executor/operands.hpp"
#include "executor/progress.hpp"
#include "executor/run.hpp"
#include "platforms/names.hpp"

namespace stint {
namespace {

constexpr std::int64_t measured_steps = 5;
constexpr int measured_copies = 5;
constexpr double least_seconds = 1e-9;  // of a clock that stood still

// Everything that a step of a network needs on a GPU.
class GpuBench {
 public:
  GpuBench(const NetworkStep& step, const LoweredNetwork& lowered, const Platform& platform,
           DeviceId gpu)
      : schedule_(gpu_step(step, lowered.graph, platform, gpu)),
        samples_(open_samples("", step.network, step.lowering.batch, measured_seed, false)),
        values_(step.network, lowered, step.lowering, *samples_, measured_seed),
        accelerator_(open_accelerator(schedule_, measured_seed)),
        arenas_(schedule_, {}, accelerator_.get()),
        backend_(schedule_, lowered, arenas_, values_, measured_seed, *accelerator_) {}

  RunReport run(std::int64_t steps, const std::atomic<bool>& interrupted) {
    RunOptions options;
    options.steps = steps;
    return run_unjudged(schedule_, arenas_, backend_, values_, options, interrupted).report;
  }

 private:
  Schedule schedule_;
  std::unique_ptr<SampleSource> samples_;
  NetworkValues values_;
  std::unique_ptr<Accelerator> accelerator_;
  Arenas arenas_;
  DeviceBackend backend_;
};

std::vector<double> seconds_of_step(const NetworkStep& step, const LoweredNetwork& lowered,
                                    const Platform& platform, DeviceId gpu) {
  const RunReport report = GpuBench(step, lowered, platform, gpu).run(measured_steps, nobody_stops);
  std::vector<double> seconds;
  for (const RunAction& action : report.actions)
    seconds.push_back(std::max(action.measured_seconds, least_seconds));
  return seconds;
}

WorkerId worker_of(const Platform& platform, const Link& link) {
  const std::vector<Worker> all = workers(platform);
  for (std::size_t w = 0; w < all.size(); ++w) {
    if (!all[w].is_link()) continue;
    const Link& other = platform.links[all[w].link];
    if (other.from == link.from && other.to == link.to) return static_cast<WorkerId>(w);
  }
  return no_worker;
}

// One copy, and nothing else.
Schedule copy_schedule(const Platform& platform, const Link& link, std::int64_t bytes) {
  Schedule schedule;
  schedule.platform = platform;
  for (const MemoryId memory : {link.from, link.to}) {
    schedule.arenas[memory_name(platform, memory)] = bytes;
    schedule.buffers.push_back({.id = static_cast<std::int64_t>(schedule.buffers.size()),
                                .tensor = no_tensor,
                                .memory = memory,
                                .bytes = bytes});
  }
  schedule.actions.push_back({.id = 0,
                              .worker = worker_of(platform, link),
                              .what = Do::copy,
                              .reads = {BufferId{0}},
                              .writes = {BufferId{1}}});
  return schedule;
}

}  // namespace

bool is_of_gpu(const Platform& platform, MemoryId memory) {
  return std::any_of(platform.devices.begin(), platform.devices.end(), [&](const Device& device) {
    return is_gpu(device) && device.memory == memory;
  });
}

StepClock gpu_clock(const Platform& platform, DeviceId gpu) {
  return [&platform, gpu](const NetworkStep& step, const LoweredNetwork& lowered) {
    return seconds_of_step(step, lowered, platform, gpu);
  };
}

double gpu_copy_seconds(const Platform& platform, const Link& link, std::int64_t bytes) {
  const Schedule schedule = copy_schedule(platform, link, bytes);
  const auto accelerator = open_accelerator(schedule, measured_seed);
  const Arenas arenas(schedule, {}, accelerator.get());
  const auto end = [&](BufferId buffer) {
    const Place at = place(schedule, buffer);
    return CopyEnd{at.memory, {arenas.bytes(at, 0).data(), arenas.bytes(at, 1).data()}};
  };
  const auto copy = accelerator->copy(ActionId{0}, end(BufferId{0}), end(BufferId{1}), bytes);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < measured_copies; ++i) {
    accelerator->start_clocks();
    copy->run(0);
    const DeviceSpan span = accelerator->device_spans().front();
    least = std::min(least, span.end_seconds - span.begin_seconds);
  }
  return std::max(least, least_seconds);
}

BusyGpu::BusyGpu(const NetworkStep& step, const Platform& platform, DeviceId gpu) {
  std::promise<void> begun;
  std::future<void> beginning = begun.get_future();
  worker_ = std::thread([&, begun = std::move(begun)]() mutable {
    const LoweredNetwork lowered = lower_with_kernels(step.network, step.lowering);
    std::optional<GpuBench> bench;
    try {
      bench.emplace(step, lowered, platform, gpu);
      begun.set_value();
    } catch (...) {
      return begun.set_exception(std::current_exception());
    }
    try {
      while (!stopped_) bench->run(measured_steps, stopped_);
    } catch (const std::exception&) {  // stopped, or a GPU that failed: its counter will show it
    }
  });
  try {
    beginning.get();
  } catch (...) {
    worker_.join();
    throw;
  }
}

BusyGpu::~BusyGpu() {
  stopped_ = true;
  worker_.join();
}

}  // namespace stint

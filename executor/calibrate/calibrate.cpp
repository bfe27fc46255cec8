#include "executor/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include "files/input_error.hpp"
#include "platforms/cores.hpp"
#include "platforms/here.hpp"
#include "schedules/any_file.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

struct Asked {
  Network network;
  Lowering lowering;
};

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw InputError(file, fmt::format("{}; expected a model of layers, or a schedule of one", what));
}

Asked asked_for(const Network& network, const CalibrateOptions& options) {
  return {network,
          {.batch = options.batch,
           .microbatches = options.microbatches,
           .leaves = options.leaves,
           .layout = options.layout,
           .cuts = uniform_cuts(network, options.grain)}};
}

Asked asked_for(const std::string& file, const CalibrateOptions& options) {
  if (is_onnx_file(file)) return asked_for(std::get<Network>(read_model(file)), options);
  const AnyFile any = read_any_file(file);
  if (const auto* network = std::get_if<Network>(&any)) return asked_for(*network, options);
  const auto* schedule = std::get_if<Schedule>(&any);
  if (schedule == nullptr) fail(file, "neither");
  const auto* network = std::get_if<Network>(&schedule->model);
  if (network == nullptr) fail(file, "a schedule of tasks, whose costs are given");
  Asked asked{*network, schedule->lowering};
  asked.lowering.kernels.clear();
  return asked;
}

}  // namespace

Platform calibrate(const std::string& file, const CalibrateOptions& options,
                   const std::atomic<bool>& interrupted) {
  const Asked asked = asked_for(file, options);
  Platform platform = discover_platform();
  const Cores& cores = Cores::here();
  int core = 0;
  for (Device& device : platform.devices) {
    cores.pin_this_thread(core);
    core += device.workers;
    device.kernels = measure_kernels(asked.network, asked.lowering, interrupted, options.progress);
  }
  cores.pin_this_thread_to_all();
  return platform;
}

std::string calibration_text(const Platform& platform) {
  std::string text;
  for (const Device& device : platform.devices) {
    double seconds = 0;
    std::int64_t workspace_bytes = 0;
    for (const Kernel& kernel : device.kernels) {
      seconds += kernel.seconds;
      workspace_bytes = std::max(workspace_bytes, kernel.workspace_bytes);
    }
    text +=
        fmt::format("{}: {} kernels measured, {} in all, at most {} of workspace\n", device.name,
                    device.kernels.size(), seconds_text(seconds), bytes_text(workspace_bytes));
  }
  return text;
}

}  // namespace stint

#include "executor/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "executor/accelerator.hpp"
#include "executor/calibrate/conditions.hpp"
#include "executor/calibrate/fit_time_model.hpp"
#include "executor/calibrate/found_gpus.hpp"
#include "executor/calibrate/gpu_clocks.hpp"
#include "executor/calibrate/measure_caches.hpp"
#include "executor/calibrate/measure_gpu_kernels.hpp"
#include "executor/calibrate/measure_gpu_power.hpp"
#include "executor/calibrate/measure_hand_overs.hpp"
#include "executor/calibrate/measure_kernels.hpp"
#include "executor/calibrate/measure_links.hpp"
#include "executor/calibrate/measure_power.hpp"
#include "files/input_error.hpp"
#include "models/training/fuse.hpp"
#include "platforms/cores.hpp"
#include "platforms/here.hpp"
#include "schedules/any_file.hpp"
#include "schedules/cache_traffic.hpp"

namespace stint {
namespace {

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw InputError(file, fmt::format("{}; expected a model of layers, or a schedule of one", what));
}

NetworkStep asked_for(const Network& network, const CalibrateOptions& options) {
  return {
      network,
      {.batch = options.batch,
       .microbatches = options.microbatches,
       .leaves = options.leaves,
       .layout = options.layout,
       .fuse = options.fuse && can_fuse(network, options.layout),
       .post_ops = options.fuse ? post_ops_of(network, options.layout) : std::vector<std::string>{},
       .cuts = uniform_cuts(network, options.grain)}};
}

NetworkStep asked_for(const std::string& file, const CalibrateOptions& options) {
  if (is_onnx_file(file)) return asked_for(std::get<Network>(read_model(file)), options);
  const AnyFile any = read_any_file(file);
  if (const auto* network = std::get_if<Network>(&any)) return asked_for(*network, options);
  const auto* schedule = std::get_if<Schedule>(&any);
  if (schedule == nullptr) fail(file, "neither");
  const auto* network = std::get_if<Network>(&schedule->model);
  if (network == nullptr) fail(file, "a schedule of tasks, whose costs are given");
  NetworkStep asked{*network, schedule->lowering};
  asked.lowering.kernels.clear();
  return asked;
}

// Forty shapes and more for every op, besides those held out; or just enough for a fit.
DesignLimits design_limits(bool quick) {
  if (quick) return {.networks = 32, .most_flops = 1e8, .most_bytes = 4 << 20};
  return {.networks = 80, .most_flops = 1e9, .most_bytes = 16 << 20};
}

std::vector<std::int64_t> copied_sizes(bool quick) {
  std::vector<std::int64_t> sizes;
  const std::int64_t most = quick ? 16 << 20 : 64 << 20;
  for (std::int64_t bytes = 4096; bytes <= most; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}

// What is measured may take half of the memory that is free.
StepClocks clocks_of(int core, bool all_busy, std::int64_t free_bytes) {
  const StepClock alone = lone_core_clock(core, free_bytes / 2);
  const bool others = all_busy && Cores::here().count() > 1;
  return {others ? busy_core_clock(core, free_bytes / 2) : alone, alone};
}

// Calls `measure(device, clocks)` with the clocks of each device's first core. What a byte costs
// beyond each cache is known by then.
template <typename Measure>
void for_each_device(Platform& platform, bool all_busy, const std::atomic<bool>& interrupted,
                     const Measure& measure) {
  int core = 0;
  for (Device& device : platform.devices) {
    if (is_gpu(device)) continue;
    if (interrupted) break;
    const TimeModel caches = cache_prices_of(device, byte_clock(core, all_busy));
    if (!caches.terms.empty()) device.time_model[cache_prices] = caches;
    measure(device, clocks_of(core, all_busy, available_memory_bytes()));
    if (interrupted) break;
    if (!caches.terms.empty()) device.time_model[cache_prices] = caches;
    measure_hand_overs(core, device);
    core += device.workers;
  }
  Cores::here().pin_this_thread_to_all();
}

void measure_power(const CalibrateOptions& options, const std::vector<NetworkStep>& networks,
                   const std::atomic<bool>& interrupted, Calibration& found) {
  const ChosenMeter chosen = choose_meter(MeterKind::automatic, false, options.meters);
  found.why_no_power = chosen.why_not_better;
  if (chosen.meter == nullptr) return assume_joules_beyond_caches(found.platform);
  std::vector<LoweredNetwork> lowered;
  for (std::size_t i = 0; i < std::min<std::size_t>(networks.size(), 12); ++i)
    lowered.push_back(lower_with_kernels(networks[i].network, networks[i].lowering));
  const PowerLoads loads(std::move(lowered));
  const std::string source = fmt::format("{} ({})", chosen.basis, fmt::join(chosen.domains, ", "));
  if (measure_power(loads, options.power_window_seconds, source, *chosen.meter, interrupted,
                    found.platform)) {
    found.power_basis = chosen.basis;
  } else {
    found.why_no_power = chosen.basis + ": too few windows could be read";
    assume_joules_beyond_caches(found.platform);
  }
}

// The largest products of all, that keep a GPU busy longest.
const NetworkStep& heaviest(const std::vector<NetworkStep>& networks) {
  const auto flops = [](const NetworkStep& step) {
    double sum = 0;
    for (const Task& task : lower_with_kernels(step.network, step.lowering).graph.tasks)
      sum += task.flops;
    return sum;
  };
  return *std::ranges::max_element(networks, {}, flops);
}

// Calls `measure(device, number)` for each GPU.
template <typename Measure>
void for_each_gpu(Platform& platform, const std::atomic<bool>& interrupted,
                  const Measure& measure) {
  for (std::size_t d = 0; d < platform.devices.size() && !interrupted; ++d) {
    if (is_gpu(platform.devices[d])) measure(platform.devices[d], DeviceId{static_cast<int>(d)});
  }
}

// The n-th GPU of CUDA is taken for the n-th of NVML.
void measure_power_of_gpus(const CalibrateOptions& options,
                           const std::vector<NetworkStep>& networks,
                           const std::atomic<bool>& interrupted, Calibration& found) {
  if (!has_gpus(found.platform) || networks.empty() || interrupted) return;
  const ChosenMeter chosen = choose_meter(MeterKind::nvml, true, options.meters);
  if (chosen.meter == nullptr) return;
  const NetworkStep& load = heaviest(networks);
  int number = 0;
  for_each_gpu(found.platform, interrupted, [&](Device&, DeviceId gpu) {
    const GpuPowerWindows windows{options.power_window_seconds, fmt::format("gpu-{}", number++),
                                  chosen.basis};
    measure_gpu_power(load, windows, *chosen.meter, interrupted, found.platform, gpu);
  });
}

// Calls `measure(device, number)` for the first GPU of each name, which speaks for those alike.
template <typename Measure>
void for_each_kind_of_gpu(const std::vector<FoundGpu>& gpus, const std::atomic<bool>& interrupted,
                          Calibration& found, const Measure& measure) {
  std::map<std::string, std::size_t> known;  // device by name of the GPU
  auto gpu = gpus.begin();
  for_each_gpu(found.platform, interrupted, [&](Device& device, DeviceId id) {
    const auto [first, is_new] = known.try_emplace((gpu++)->name, static_cast<std::size_t>(id));
    if (is_new) return measure(device, id);
    const Device& alike = found.platform.devices[first->second];
    device.time_model = alike.time_model;
    device.kernels = alike.kernels;
    found.devices.push_back({device.name, found.devices[first->second].errors});
  });
}

void model_in_general(const NetworkDesign& design, const StepClocks& clocks,
                      const CalibrateOptions& options, const std::atomic<bool>& interrupted,
                      Device& device, Calibration& found) {
  const auto seen = observe(design, device, clocks, interrupted, options.progress);
  if (interrupted) return;
  JudgedModels judged = fit_and_judge(seen, cache_knots(device.caches));
  device.time_model = std::move(judged.time_model);
  found.devices.push_back({device.name, std::move(judged.errors)});
}

void measure_in_general(const CalibrateOptions& options, const std::vector<FoundGpu>& gpus,
                        const std::atomic<bool>& interrupted, Calibration& found) {
  const DesignLimits limits = options.design.value_or(design_limits(options.quick));
  const NetworkDesign design = network_design(limits);
  for_each_device(found.platform, options.all_busy, interrupted,
                  [&](Device& device, const auto& clocks) {
                    model_in_general(design, clocks, options, interrupted, device, found);
                  });
  std::vector<NetworkStep> on_gpus;
  for_each_kind_of_gpu(gpus, interrupted, found, [&](Device& device, DeviceId gpu) {
    const StepClock clock = gpu_clock(found.platform, gpu);
    const NetworkDesign fitting =
        network_design_for_gpus(limits, found.platform.memories[device.memory].bytes);
    model_in_general(fitting, {clock, clock}, options, interrupted, device, found);
    on_gpus = fitting.fitted;
  });
  if (interrupted) return;
  measure_power(options, design.fitted, interrupted, found);
  measure_power_of_gpus(options, on_gpus, interrupted, found);
  if (interrupted) return;
  const std::string folder = std::filesystem::temp_directory_path();
  measure_links(copy_clock_here(found.platform, folder), copied_sizes(options.quick),
                found.platform);
}

// Those of plans in which memory is no matter, and of others, which leave GELUs apart.
std::vector<Kernel> kernels_of_plans(NetworkStep asked, const StepClock& clock,
                                     bool orders_weights) {
  std::vector<Kernel> kernels = measure_kernels(asked, clock, orders_weights);
  if (std::erase(asked.lowering.post_ops, gelu_post_op) == 0) return kernels;
  for (Kernel& kernel : measure_kernels(asked, clock, orders_weights)) {
    const bool is_known = std::ranges::any_of(kernels, [&](const Kernel& known) {
      return known.op == kernel.op && known.shape == kernel.shape;
    });
    if (!is_known) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// Plans for GPUs fuse nothing.
void measure_for(NetworkStep asked, const CalibrateOptions& options,
                 const std::vector<FoundGpu>& gpus, const std::atomic<bool>& interrupted,
                 Calibration& found) {
  if (has_gpus(found.platform)) {
    asked.lowering.fuse = false;
    asked.lowering.post_ops.clear();
  }
  for_each_device(found.platform, options.all_busy, interrupted,
                  [&](Device& device, const auto& clocks) {
                    options.progress(found.devices.size(), found.platform.devices.size());
                    device.kernels = kernels_of_plans(
                        asked, without_traffic(clocks.seconds, device), !has_gpus(found.platform));
                    found.devices.push_back({device.name, {}});
                  });
  for_each_kind_of_gpu(gpus, interrupted, found, [&](Device& device, DeviceId gpu) {
    options.progress(found.devices.size(), found.platform.devices.size());
    device.kernels = measure_gpu_kernels(asked, found.platform, gpu);
    found.devices.push_back({device.name, {}});
  });
  if (!interrupted) measure_gpu_links(copied_sizes(options.quick), found.platform);
  if (!interrupted) measure_power(options, {asked}, interrupted, found);
  measure_power_of_gpus(options, {asked}, interrupted, found);
}

}  // namespace

Calibration calibrate(const CalibrateOptions& options, const std::atomic<bool>& interrupted) {
  Calibration found{.platform = discover_platform(), .all_busy = options.all_busy};
  const std::vector<FoundGpu> gpus = find_gpus();
  add_gpus(gpus, found.platform);
  if (options.file.empty()) {
    measure_in_general(options, gpus, interrupted, found);
  } else {
    measure_for(asked_for(options.file, options), options, gpus, interrupted, found);
  }
  found.platform.description = fmt::format(
      "This machine, measured with {} busy: {}. {}.",
      options.all_busy ? "all workers" : "one worker", conditions_here(),
      found.power_basis.empty() ? "Watts and joules per byte are defaults, not measurements"
                                : "Base watts and joules per byte of links are defaults");
  return found;
}

}  // namespace stint

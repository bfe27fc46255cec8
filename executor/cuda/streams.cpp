#include "executor/cuda/streams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/accelerator.hpp"
#include "files/input_error.hpp"

namespace stint {
namespace {

// For cuBLAS, which would else allocate its own while a step runs. As large as its manual
// recommends for the largest devices.
constexpr std::int64_t blas_workspace_bytes = std::int64_t{32} << 20;

// Throws InputError unless there is that device.
void expect_device(int device, const std::string& worker) {
  const std::string where = "worker " + in_quotes(worker);
  std::string found;
  try {
    const int count = device_count();
    if (device < count) return;
    found = fmt::format("needs GPU {}, and this machine has {}", device, count);
  } catch (const CudaError& error) {
    found = error.what();
  }
  throw InputError(where, found +
                              "; expected a GPU of NVIDIA with its driver, or --synthetic, "
                              "which replays costs alone");
}

}  // namespace

GpuStream make_gpu_stream(int device) {
  use_device(device);
  GpuStream made;
  made.device = device;
  made.stream = make_stream();
  made.blas_workspace.reset(allocate_on_device(blas_workspace_bytes));
  made.blas = make_blas(made.stream.get(), {made.blas_workspace.get(),
                                            static_cast<std::size_t>(blas_workspace_bytes)});
  made.dnn = make_dnn(made.stream.get());
  return made;
}

std::vector<FoundGpu> found_gpus() {
  std::vector<FoundGpu> gpus;
  try {
    for (int device = 0; device < device_count(); ++device) {
      const GpuStream stream = make_gpu_stream(device);
      const auto [bytes, free_bytes] = device_memory();
      gpus.push_back({device_text(device), bytes, free_bytes - kept_free_bytes});
    }
  } catch (const CudaError&) {  // no driver
  }
  return gpus;
}

GpuStreams::GpuStreams(const Schedule& schedule)
    : schedule_(schedule), workers_(workers(schedule.platform)) {
  find_devices();
  is_last_.resize(schedule.actions.size());
  std::map<WorkerId, std::size_t> last;
  for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
    const WorkerId worker = schedule.actions[i].worker;
    if (device_of_worker_[worker] < 0) continue;
    if (schedule.actions[i].occupies != no_worker)
      throw InputError(fmt::format("/actions/{}/occupies", i),
                       "a copy to or from a GPU that holds up a worker; expected a link that is "
                       "not blocking");
    if (!streams_.contains(worker)) make_stream_of(worker);
    last[worker] = i;
  }
  for (const auto& [worker, action] : last) is_last_[action] = true;
  make_events();
}

GpuStreams::~GpuStreams() { wait_for_all(); }

// The n-th device of that kind in the platform is CUDA's n-th.
void GpuStreams::find_devices() {
  const Platform& platform = schedule_.platform;
  std::vector<int> device_of_device(platform.devices.size(), -1);
  device_of_memory_.assign(platform.memories.size(), -1);
  int count = 0;
  for (std::size_t d = 0; d < platform.devices.size(); ++d) {
    if (!is_gpu(platform.devices[d])) continue;
    device_of_device[d] = count++;
    device_of_memory_[platform.devices[d].memory] = device_of_device[d];
  }
  for (const Worker& worker : workers_) {
    if (!worker.is_link()) {
      device_of_worker_.push_back(device_of_device[worker.device]);
      continue;
    }
    const Link& link = platform.links[worker.link];
    device_of_worker_.push_back(std::max(device_of_memory_[link.from], device_of_memory_[link.to]));
  }
}

void GpuStreams::make_stream_of(WorkerId worker) {
  const int device = device_of_worker_[worker];
  expect_device(device, workers_[worker].name);
  use_device(device);
  if (!workers_[worker].is_link()) {
    streams_[worker] = make_gpu_stream(device);
    return;
  }
  streams_[worker].device = device;
  streams_[worker].stream = make_stream();
}

void GpuStreams::make_events() {
  events_.resize(schedule_.actions.size());
  make_clocks();
  for (const Action& action : schedule_.actions) {
    for (const ActionId earlier : action.after) {
      const WorkerId other = schedule_.actions[earlier].worker;
      if (other == action.worker || device_of_worker_[other] < 0 || events_[earlier]) continue;
      use_device(device_of_worker_[other]);
      events_[earlier] = make_event();
    }
  }
}

void GpuStreams::make_clocks() {
  clocks_.begins.resize(schedule_.actions.size());
  clocks_.ends.resize(schedule_.actions.size());
  for (std::size_t i = 0; i < schedule_.actions.size(); ++i) {
    const int device = device_of_worker_[schedule_.actions[i].worker];
    if (device < 0) continue;
    use_device(device);
    clocks_.begins[i] = make_timed_event();
    clocks_.ends[i] = make_timed_event();
    GpuClocks::Zero& zero = clocks_.zeros[device];
    if (zero.stream) continue;
    zero.stream = make_stream();
    zero.event = make_timed_event();
  }
}

void GpuStreams::start_clocks() {
  for (auto& [device, zero] : clocks_.zeros) {
    use_device(device);
    record(zero.event.get(), zero.stream.get());
    wait_on_host(zero.event.get());
    zero.at = ticks_after_wait();
  }
}

std::vector<DeviceSpan> GpuStreams::spans() const {
  std::vector<DeviceSpan> spans(schedule_.actions.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const int device = device_of_worker_[schedule_.actions[i].worker];
    if (device < 0) continue;
    const GpuClocks::Zero& zero = clocks_.zeros.at(device);
    spans[i] = {device, zero.at, seconds_between(zero.event.get(), clocks_.begins[i].get()),
                seconds_between(zero.event.get(), clocks_.ends[i].get())};
  }
  return spans;
}

bool GpuStreams::performs(ActionId action) const {
  return device_of_worker_[schedule_.actions[action].worker] >= 0;
}

std::vector<cudaEvent_t> GpuStreams::events_before(ActionId id) const {
  const Action& action = schedule_.actions[id];
  std::vector<cudaEvent_t> events;
  for (const ActionId earlier : action.after) {
    if (schedule_.actions[earlier].worker != action.worker && events_[earlier])
      events.push_back(events_[earlier].get());
  }
  return events;
}

GpuPlace GpuStreams::place(ActionId action) const {
  const GpuStream& stream = streams_.at(schedule_.actions[action].worker);
  return {.device = stream.device,
          .stream = stream.stream.get(),
          .waits = events_before(action),
          .begin = clocks_.begins[action].get(),
          .end = clocks_.ends[action].get(),
          .event = events_[action].get(),
          .is_last = is_last_[action]};
}

void GpuStreams::wait_for_all() noexcept {
  for (const auto& [worker, stream] : streams_) {
    try {
      wait_on_host(stream.stream.get());
    } catch (const CudaError&) {  // told already, by whoever met it first
    }
  }
}

}  // namespace stint

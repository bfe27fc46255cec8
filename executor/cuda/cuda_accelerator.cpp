// The module's one entry point: GPUs of NVIDIA as an Accelerator.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "executor/accelerator.hpp"
#include "executor/cuda/host_witness.hpp"
#include "executor/cuda/streams.hpp"
#include "files/input_error.hpp"
#include "schedules/units.hpp"

namespace stint {
namespace {

// Puts its work behind what it waits for, and an event behind it where someone waits.
class InPlaceJob : public Job {
 public:
  InPlaceJob(GpuPlace place, std::unique_ptr<Job> job)
      : place_(std::move(place)), job_(std::move(job)) {}

  void run(std::int64_t step) override {
    use_device(place_.device);
    for (cudaEvent_t event : place_.waits) wait_in_stream(place_.stream, event);
    record(place_.begin, place_.stream);
    job_->run(step);
    record(place_.end, place_.stream);
    if (place_.event != nullptr) record(place_.event, place_.stream);
    if (place_.is_last) wait_on_host(place_.stream);
  }

 private:
  GpuPlace place_;
  std::unique_ptr<Job> job_;
};

class AfterDevicesJob : public Job {
 public:
  AfterDevicesJob(std::vector<cudaEvent_t> events, std::unique_ptr<Job> job)
      : events_(std::move(events)), job_(std::move(job)) {}

  void run(std::int64_t step) override {
    for (cudaEvent_t event : events_) wait_on_host(event);
    job_->run(step);
  }

 private:
  std::vector<cudaEvent_t> events_;
  std::unique_ptr<Job> job_;
};

// Between two memories, of which one at least is a device's.
class GpuCopy : public Job {
 public:
  GpuCopy(const CopyEnd& from, int from_device, const CopyEnd& to, int to_device,
          std::int64_t bytes, cudaStream_t stream)
      : from_(from),
        from_device_(from_device),
        to_(to),
        to_device_(to_device),
        bytes_(bytes),
        stream_(stream) {}

  void run(std::int64_t step) override {
    if (bytes_ == 0) return;
    std::byte* const to = to_.at[step & 1];
    const std::byte* const from = from_.at[step & 1];
    if (from_device_ >= 0 && to_device_ >= 0 && from_device_ != to_device_)
      copy_between_devices(to, to_device_, from, from_device_, bytes_, stream_);
    else
      copy_async(to, from, bytes_, way(), stream_);
  }

 private:
  CopyWay way() const {
    if (from_device_ < 0) return CopyWay::to_device;
    return to_device_ < 0 ? CopyWay::to_host : CopyWay::within_device;
  }

  CopyEnd from_;
  int from_device_;
  CopyEnd to_;
  int to_device_;
  std::int64_t bytes_;
  cudaStream_t stream_;
};

class GpuLoad : public Job {
 public:
  GpuLoad(std::unique_ptr<Job> fill, std::vector<std::unique_ptr<GpuCopy>> copies)
      : fill_(std::move(fill)), copies_(std::move(copies)) {}

  void run(std::int64_t step) override {
    fill_->run(step);
    for (const auto& copy : copies_) copy->run(step);
  }

 private:
  std::unique_ptr<Job> fill_;
  std::vector<std::unique_ptr<GpuCopy>> copies_;
};

class CudaAccelerator : public Accelerator {
 public:
  CudaAccelerator(const Schedule& schedule, std::int64_t seed)
      : schedule_(schedule), seed_(seed), streams_(schedule) {}

  bool holds(MemoryId memory) const override { return streams_.device_of(memory) >= 0; }

  std::byte* allocate(MemoryId memory, std::int64_t bytes) override {
    if (!holds(memory)) return allocate_pinned(bytes);
    const int device = streams_.device_of(memory);
    use_device(device);
    expect_free(memory, device, bytes);
    return allocate_on_device(bytes);
  }

  void release(MemoryId memory, std::byte* arena) noexcept override {
    streams_.wait_for_all();
    if (holds(memory))
      free_on_device(arena);
    else
      free_pinned(arena);
  }

  void put(MemoryId memory, std::byte* to, std::span<const std::byte> bytes) override {
    transfer(memory, to, bytes.data(), std::ssize(bytes), CopyWay::to_device);
  }
  void get(MemoryId memory, const std::byte* from, std::span<std::byte> bytes) override {
    transfer(memory, bytes.data(), from, std::ssize(bytes), CopyWay::to_host);
  }

  bool performs(ActionId action) const override { return streams_.performs(action); }

  std::unique_ptr<KernelJob> kernel(ActionId action, const TaskKernel& task,
                                    const KernelPlan& plan) override {
    std::unique_ptr<KernelJob> least;
    for (int way = 0; way < gpu_ways(task.op); ++way) {
      auto job = made(action, task, way);
      const bool is_it = plan.algorithm.empty() ? job->workspace_bytes() <= plan.workspace_bytes
                                                : job->algorithm() == plan.algorithm;
      if (is_it) return job;
      if (!least || job->workspace_bytes() < least->workspace_bytes()) least = std::move(job);
    }
    return least;
  }

  std::vector<KernelPlan> kernels(ActionId action, const TaskKernel& task) override {
    std::vector<KernelPlan> found;
    for (int way = 0; way < gpu_ways(task.op); ++way) {
      const auto job = made(action, task, way);
      if (found.empty() || found.back().algorithm != job->algorithm())
        found.push_back({job->algorithm(), job->workspace_bytes()});
    }
    return found;
  }

  std::unique_ptr<Job> in_place(ActionId action, std::unique_ptr<Job> job) override {
    return std::make_unique<InPlaceJob>(streams_.place(action), std::move(job));
  }

  std::unique_ptr<Job> copy(ActionId action, const CopyEnd& from, const CopyEnd& to,
                            std::int64_t bytes) override {
    return in_place(action, copy_of(action, from, to, bytes));
  }

  std::byte* allocate_staging(std::int64_t bytes) override {
    staging_.emplace_back(allocate_pinned(bytes), &free_pinned);
    return staging_.back().get();
  }

  std::unique_ptr<Job> load(ActionId action, std::unique_ptr<Job> fill,
                            std::vector<StagedBytes> loads) override {
    std::vector<std::unique_ptr<GpuCopy>> copies;
    for (const auto& [to, bytes, staged] : loads)
      copies.push_back(copy_of(action, {no_memory, {staged, staged}}, to, bytes));
    return in_place(action, std::make_unique<GpuLoad>(std::move(fill), std::move(copies)));
  }

  std::unique_ptr<Job> after_devices(ActionId action, std::unique_ptr<Job> job) override {
    std::vector<cudaEvent_t> events = streams_.events_before(action);
    if (events.empty()) return job;
    return std::make_unique<AfterDevicesJob>(std::move(events), std::move(job));
  }

  void start_clocks() override { streams_.start_clocks(); }
  std::vector<DeviceSpan> device_spans() const override { return streams_.spans(); }

  Witness* witness() override { return host_witness(); }

 private:
  std::unique_ptr<KernelJob> made(ActionId action, const TaskKernel& task, int way) {
    const WorkerId worker = schedule_.actions[action].worker;
    use_device(streams_.device(worker));
    GpuQueue queue = streams_.queue(worker);
    queue.way = way;
    const auto make = [queue](const TaskKernel& leaf) { return make_gpu_kernel(leaf, queue); };
    return std::make_unique<KernelJob>(task, pools_.try_emplace({worker, way}, make).first->second,
                                       seed_);
  }

  // Contexts and libraries are there already, and have taken what they take.
  void expect_free(MemoryId memory, int device, std::int64_t bytes) const {
    const DeviceMemory memory_now = device_memory();
    const std::int64_t left = memory_now.free_bytes - kept_free_bytes;
    if (bytes <= left) return;
    throw InputError("/arenas/" + memory_name(schedule_.platform, memory),
                     fmt::format("{}; expected at most {}: GPU {}, {}, has {} free beside {} of "
                                 "context and libraries, and {} are kept for what these load later",
                                 bytes_text(bytes), bytes_text(std::max<std::int64_t>(0, left)),
                                 device, device_text(device), bytes_text(memory_now.free_bytes),
                                 bytes_text(memory_now.bytes - memory_now.free_bytes),
                                 bytes_text(kept_free_bytes)));
  }

  std::unique_ptr<GpuCopy> copy_of(ActionId action, const CopyEnd& from, const CopyEnd& to,
                                   std::int64_t bytes) const {
    const auto device = [&](const CopyEnd& end) {
      return end.memory == no_memory ? -1 : streams_.device_of(end.memory);
    };
    return std::make_unique<GpuCopy>(from, device(from), to, device(to), bytes,
                                     streams_.place(action).stream);
  }

  // Between steps: no work is under way.
  void transfer(MemoryId memory, std::byte* to, const std::byte* from, std::int64_t bytes,
                CopyWay way) {
    const int device = streams_.device_of(memory);
    use_device(device);
    CudaStream& stream = transfers_[device];
    if (!stream) stream = make_stream();
    copy_async(to, from, bytes, way, stream.get());
    wait_on_host(stream.get());
  }

  const Schedule& schedule_;
  std::int64_t seed_;
  GpuStreams streams_;
  std::map<int, CudaStream> transfers_;  // by device
  std::vector<std::unique_ptr<std::byte, decltype(&free_pinned)>> staging_;
  std::map<std::pair<WorkerId, int>, KernelPool> pools_;  // by worker and way
};

}  // namespace
}  // namespace stint

extern "C" __attribute__((visibility("default"))) void stint_find_gpus(
    std::vector<stint::FoundGpu>& gpus) {
  gpus = stint::found_gpus();
}

extern "C" __attribute__((visibility("default"))) stint::Accelerator* stint_open_accelerator(
    const stint::Schedule& schedule, std::int64_t seed) {
  return new stint::CudaAccelerator(schedule, seed);
}

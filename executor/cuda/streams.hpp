// Who performs what, and what it waits for: one stream for every worker of a GPU and for every link
// to or from one; an event behind every action that one of another stream, or of the host, comes
// after. Events are recorded and waited for exactly where the schedule has `after`.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "executor/accelerator.hpp"
#include "executor/cuda/gpu_kernel.hpp"
#include "platforms/names.hpp"

namespace stint {

// The stream of a worker or link, with the libraries that put their work into it.
struct GpuStream {
  int device = 0;  // as CUDA counts them
  CudaStream stream;
  std::unique_ptr<std::byte, decltype(&free_on_device)> blas_workspace{nullptr, &free_on_device};
  BlasHandle blas;
  DnnHandle dnn;

  GpuQueue queue() const { return {stream.get(), blas.get(), dnn.get()}; }
};

// What libraries may load onto a device when a kernel is first used: an allowance, not a
// measurement.
inline constexpr std::int64_t kept_free_bytes = std::int64_t{16} << 20;

// For a worker of that device: a stream, libraries, and their workspace.
GpuStream make_gpu_stream(int device);

// Every GPU with all that on it; none where there is no driver.
std::vector<FoundGpu> found_gpus();

// Everything that an action waits for and tells, in its stream.
struct GpuPlace {
  int device = 0;
  cudaStream_t stream = nullptr;
  std::vector<cudaEvent_t> waits;
  cudaEvent_t begin = nullptr;  // timed: recorded before it, and behind it
  cudaEvent_t end = nullptr;
  cudaEvent_t event = nullptr;  // recorded behind it; null: nobody waits
  bool is_last = false;         // of its stream in the step: it waits until all has ended
};

// Timed events around every action, and one for each device from which they count.
struct GpuClocks {
  struct Zero {
    CudaStream stream;
    CudaEvent event;
    Ticks at = 0;
  };
  std::map<int, Zero> zeros;            // by device
  std::vector<CudaEvent> begins, ends;  // by action
};

class GpuStreams {
 public:
  // The schedule must outlive it. Throws InputError if there are fewer devices than the plan uses,
  // or it has a copy that holds up a worker.
  explicit GpuStreams(const Schedule& schedule);
  ~GpuStreams();
  GpuStreams(const GpuStreams&) = delete;
  GpuStreams& operator=(const GpuStreams&) = delete;

  int device_of(MemoryId memory) const { return device_of_memory_[memory]; }  // -1: the host's
  bool performs(ActionId action) const;
  GpuQueue queue(WorkerId worker) const { return streams_.at(worker).queue(); }
  int device(WorkerId worker) const { return streams_.at(worker).device; }
  GpuPlace place(ActionId action) const;
  std::vector<cudaEvent_t> events_before(ActionId action) const;  // of other streams

  // Between steps. Clocks of devices begin where the host is known to be.
  void start_clocks();
  std::vector<DeviceSpan> spans() const;  // by action, of the last step

  void wait_for_all() noexcept;  // for who cleans up: whatever has failed

 private:
  void find_devices();
  void make_stream_of(WorkerId worker);
  void make_events();
  void make_clocks();

  const Schedule& schedule_;
  std::vector<Worker> workers_;
  std::vector<int> device_of_memory_;
  std::vector<int> device_of_worker_;  // -1: the host's
  std::map<WorkerId, GpuStream> streams_;
  std::vector<CudaEvent> events_;  // by action
  GpuClocks clocks_;
  std::vector<bool> is_last_;  // by action
};

}  // namespace stint

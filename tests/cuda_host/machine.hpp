// The state behind all three libraries: memory, streams, events, the objects that a program
// creates, and what it knows to have happened. One lock guards it all (calls.hpp takes it).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/cuda_host/clock.hpp"
#include "tests/cuda_host/findings.hpp"
#include "tests/cuda_host/memory.hpp"
#include "tests/cuda_host/races.hpp"
#include "tests/cuda_host/scheduler.hpp"

namespace cuda_host {

// What a stream executes: its accesses are checked before it is enqueued. `work` runs without the
// lock and finds device bytes only by aliases taken before.
struct DeviceOperation {
  std::string name;
  std::vector<MemoryAccess> accesses;
  std::function<void()> work;
  bool across_devices = false;  // may reach memory of devices other than its stream's
  bool is_copy = false;
  // What a device's clock goes by.
  double bytes = 0;
  double flops = 0;
};

// A thread of the host, and what it knows to have happened.
struct HostThread {
  AgentId agent{};
  VectorClock clock;
  double seconds = 0;  // that it knows to have passed on clocks of devices
};

struct EventState {
  int device = 0;
  bool is_timed = false;
  std::shared_ptr<StreamMark> mark;  // of the last record; null before the first
};

class HostMachine {
 public:
  using Lock = StreamScheduler::Lock;

  static HostMachine& get();

  std::mutex mutex;
  SeparateMemory memory;
  cudaError_t lost = cudaSuccess;  // the error that every call gives from now on

  cudaStream_t create_stream(int device, bool blocking);
  void destroy_stream(cudaStream_t handle);
  StreamQueue& stream(cudaStream_t handle) { return *find_stream(handle); }

  // Misuse if the operation accesses what it may not, or races with another one.
  void submit(cudaStream_t stream, DeviceOperation operation);
  void host_accesses(const std::string& name, const MemoryAccess& access);

  // The calling thread tells all that it knows to those who hear of `what` and `count`.
  void tell(const void* what, std::uint64_t count);
  void hear(const void* what, std::uint64_t count);

  cudaEvent_t create_event(int device, bool is_timed);
  void destroy_event(cudaEvent_t handle);
  EventState& event(cudaEvent_t handle);
  void record(cudaEvent_t event, cudaStream_t stream);
  void wait(cudaStream_t stream, cudaEvent_t event);

  float elapsed(cudaEvent_t begin, cudaEvent_t end);  // milliseconds

  // The host waits, or asks (true: done, and known to be).
  void finish(cudaStream_t stream, Lock& lock);
  void finish(cudaEvent_t event, Lock& lock);
  void finish_device(int device, Lock& lock);
  bool poll(cudaStream_t stream);
  bool poll(cudaEvent_t event);

  void free(const void* address, MemoryPlace place);

  // Handles and descriptors of libraries, by the name of their kind.
  void add_object(const void* object, const std::string& kind) { objects_.emplace(object, kind); }
  bool has_object(const void* object, const std::string& kind) const;
  void remove_object(const void* object) { objects_.erase(object); }

  void lose(cudaError_t error);  // nothing that is enqueued runs any more
  void end();                    // stops threads and reports leaks

 private:
  HostMachine() : scheduler_(mutex) {}
  std::shared_ptr<StreamQueue> find_stream(cudaStream_t handle);
  std::shared_ptr<StreamQueue> default_stream(int device);
  std::shared_ptr<StreamQueue> new_queue(int device, bool blocking);
  std::shared_ptr<StreamMark> mark(const std::shared_ptr<StreamQueue>& stream);
  void wait(const std::shared_ptr<StreamQueue>& stream, const std::shared_ptr<StreamMark>& mark);
  void order_with_default(const std::shared_ptr<StreamQueue>& stream);
  void check_accesses(const StreamQueue& stream, const DeviceOperation& operation) const;
  void check_race(const MemoryAccess& access, const AccessActor& actor);
  HostThread& thread();  // the calling one
  void use_event(cudaEvent_t handle, bool records);
  void finish(const std::shared_ptr<StreamMark>& mark, Lock& lock);
  bool poll(const std::shared_ptr<StreamMark>& mark);

  StreamScheduler scheduler_;
  AccessHistory history_;
  AccessHistory event_calls_;  // by handle: recording writes, waiting reads
  std::map<std::pair<const void*, std::uint64_t>, HostThread> told_;
  int agents_ = 1;
  std::uintptr_t last_handle_ = 0x1000;  // never given twice, never an address
  std::uint64_t operations_ = 0;
  std::int64_t waits_ = 0;                                       // of streams for events
  std::map<int, std::shared_ptr<StreamQueue>> default_streams_;  // by device
  std::map<cudaStream_t, std::shared_ptr<StreamQueue>> streams_;
  std::map<cudaEvent_t, EventState> events_;
  std::map<const void*, std::string> objects_;
};

int& current_device();  // of this thread

}  // namespace cuda_host

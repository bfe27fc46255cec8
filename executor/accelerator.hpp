// GPUs as the executor sees them: memory of their own, pinned memory for the host's side of copies,
// and jobs that only put work into streams. What does all that is a module of its own, opened when
// a schedule needs it, so that programs start on machines without its libraries.
//
// A job of an accelerator has ended when its work is enqueued. Who comes after it on the device
// waits for its event there; who comes after it on the host waits for its event before it runs
// (`after_devices`); and the last job of every stream waits for all of it, because a step ends when
// everything in it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/backend.hpp"
#include "executor/cpu/kernel_job.hpp"

namespace stint {

inline constexpr const char* cuda_kind = "cuda";  // of devices, in platform files
inline bool is_gpu(const Device& device) { return device.kind == cuda_kind; }
bool has_gpus(const Platform& platform);

// One end of a copy in even and odd steps.
struct CopyEnd {
  MemoryId memory = no_memory;
  TaskAddresses::Halves at = {nullptr, nullptr};
};

// Bytes that are loaded: first to the host, then on.
struct StagedBytes {
  CopyEnd to;
  std::int64_t bytes = 0;
  std::byte* staged = nullptr;
};

// What a plan gives a task's kernel.
struct KernelPlan {
  std::string algorithm;  // pinned; "": any that fits
  std::int64_t workspace_bytes = 0;
};

class Accelerator {
 public:
  Accelerator() = default;
  virtual ~Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  // Whether the memory is one of its devices', where the host's code may not go.
  virtual bool holds(MemoryId memory) const = 0;
  // An arena: on the device, or pinned. Throws InputError if there is not so much.
  virtual std::byte* allocate(MemoryId memory, std::int64_t bytes) = 0;
  virtual void release(MemoryId memory, std::byte* arena) noexcept = 0;
  // Between steps.
  virtual void put(MemoryId memory, std::byte* to, std::span<const std::byte> bytes) = 0;
  virtual void get(MemoryId memory, const std::byte* from, std::span<std::byte> bytes) = 0;

  // Whether the action is one of its workers' or copies to or from its memories.
  virtual bool performs(ActionId action) const = 0;
  // The kernel of a task, which is to be pointed to addresses and put in its place: the pinned one,
  // else the likely best that the plan's workspace suffices for, else the one that needs least.
  // `task` must outlive it. Throws InputError if there is none.
  virtual std::unique_ptr<KernelJob> kernel(ActionId action, const TaskKernel& task,
                                            const KernelPlan& plan) = 0;
  // All that there are for it, the likely best first.
  virtual std::vector<KernelPlan> kernels(ActionId action, const TaskKernel& task) = 0;
  // A job that enqueues, in the action's place among all others.
  virtual std::unique_ptr<Job> in_place(ActionId action, std::unique_ptr<Job> job) = 0;
  virtual std::unique_ptr<Job> copy(ActionId action, const CopyEnd& from, const CopyEnd& to,
                                    std::int64_t bytes) = 0;
  // Runs `fill`, which writes what is staged on the host, then copies that to where it belongs.
  virtual std::unique_ptr<Job> load(ActionId action, std::unique_ptr<Job> fill,
                                    std::vector<StagedBytes> loads) = 0;
  virtual std::byte* allocate_staging(std::int64_t bytes) = 0;  // pinned; lives as long as this
  // A job of the host, after all work on devices that the plan puts before it.
  virtual std::unique_ptr<Job> after_devices(ActionId action, std::unique_ptr<Job> job) = 0;

  // As a backend's.
  virtual void start_clocks() = 0;
  virtual std::vector<DeviceSpan> device_spans() const = 0;

  virtual Witness* witness() { return nullptr; }  // null: nobody watches the host
};

// A GPU of this machine, with a context, the libraries' handles and their workspace on it.
struct FoundGpu {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t free_bytes = 0;  // beside all that
};
// In CUDA's order; empty where there is no GPU, no driver or no module.
std::vector<FoundGpu> find_gpus();

// Whether this build has kernels for GPUs.
bool has_accelerators();

// Whether any device that the schedule uses is of a kind that only an accelerator has.
bool needs_accelerator(const Schedule& schedule);

// The schedule must outlive it. Throws InputError, on one line, if this build has no module, its
// libraries are not here, or there are fewer devices than the plan uses.
std::unique_ptr<Accelerator> open_accelerator(const Schedule& schedule, std::int64_t seed);

}  // namespace stint

// The runtime: allocations, copies and fills.
#include <cstring>
#include <memory>

#include "tests/cuda_host/calls.hpp"
#include "tests/cuda_host/settings.hpp"

using namespace cuda_host;

namespace {

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

bool is_on_host(MemoryPlace place) { return place != MemoryPlace::device; }

// A kind promises on which side each pointer is.
void check_direction(cudaMemcpyKind kind, MemoryPlace to, MemoryPlace from) {
  if (kind == cudaMemcpyDefault) return;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  if (is_on_host(to) != to_host)
    throw CallMisuse(cudaErrorInvalidValue, std::string("copies to ") +
                                                (to_host ? "a device address" : "a host address") +
                                                ", which its kind denies");
  if (is_on_host(from) != from_host)
    throw CallMisuse(cudaErrorInvalidValue,
                     std::string("copies from ") +
                         (from_host ? "a device address" : "a host address") +
                         ", which its kind denies");
}

bool overlap(Address a, Address b, std::size_t bytes) { return a < b + bytes && b < a + bytes; }

// Bytes that a program may change as soon as the call returns are taken along.
std::shared_ptr<const std::string> staged(const void* from, std::size_t bytes) {
  return std::make_shared<const std::string>(static_cast<const char*>(from), bytes);
}

DeviceOperation copy_operation(HostMachine& machine, void* to, const void* from,
                               std::size_t bytes) {
  DeviceOperation copy{.name = "copy of " + std::to_string(bytes) + " bytes",
                       .across_devices = true,
                       .is_copy = true,
                       .bytes = static_cast<double>(bytes)};
  if (machine.memory.place_of(address_of(to)) != MemoryPlace::pageable)
    copy.accesses.push_back({address_of(to), bytes, true});
  void* const target = machine.memory.alias(to);
  if (machine.memory.place_of(address_of(from)) == MemoryPlace::pageable) {
    copy.work = [target, stage = staged(from, bytes)] {
      std::memcpy(target, stage->data(), stage->size());
    };
    return copy;
  }
  copy.accesses.push_back({address_of(from), bytes, false});
  copy.work = [target, source = machine.memory.alias(from), bytes] {
    std::memcpy(target, source, bytes);
  };
  return copy;
}

void copy_async(HostMachine& machine, HostMachine::Lock& lock, void* to, const void* from,
                std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  expect_pointer(to);
  expect_pointer(from);
  if (overlap(address_of(to), address_of(from), bytes))
    throw CallMisuse(cudaErrorInvalidValue, "copies between ranges that overlap");
  machine.submit(stream, copy_operation(machine, to, from, bytes));
  // Into pageable memory, the call returns once the bytes are there.
  if (machine.memory.place_of(address_of(to)) == MemoryPlace::pageable)
    machine.finish(stream, lock);
}

void check_device(HostMachine& machine, const void* pointer, std::size_t bytes, int device) {
  const Allocation* const block =
      machine.memory.block({address_of(pointer), bytes, false}, "cudaMemcpyPeerAsync");
  if (block == nullptr || block->place != MemoryPlace::device || block->device != device)
    throw CallMisuse(cudaErrorInvalidValue,
                     "is given an address that is not of device " + std::to_string(device));
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return runtime_call("cudaMalloc", [&](HostMachine& machine, auto&) {
    expect_pointer(pointer);
    *pointer = nullptr;
    if (bytes == 0) return;
    *pointer = reinterpret_cast<void*>(machine.memory.allocate_on_device(current_device(), bytes));
  });
}

cudaError_t cudaFree(void* pointer) {
  return runtime_call("cudaFree", [&](HostMachine& machine, auto&) {
    if (pointer != nullptr) machine.free(pointer, MemoryPlace::device);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return runtime_call("cudaHostAlloc", [&](HostMachine& machine, auto&) {
    expect_pointer(pointer);
    constexpr unsigned known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0) throw CallFault(cudaErrorInvalidValue, "unknown flags");
    *pointer =
        bytes == 0 ? nullptr : reinterpret_cast<void*>(machine.memory.allocate_pinned(bytes));
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return runtime_call("cudaFreeHost", [&](HostMachine& machine, auto&) {
    if (pointer != nullptr) machine.free(pointer, MemoryPlace::pinned);
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  return runtime_call("cudaMemGetInfo", [&](HostMachine& machine, auto&) {
    expect_pointer(free_bytes);
    expect_pointer(all_bytes);
    *free_bytes = machine.memory.free_bytes(current_device());
    *all_bytes = static_cast<std::size_t>(settings().memory_bytes);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return runtime_call("cudaMemcpyAsync", [&](HostMachine& machine, HostMachine::Lock& lock) {
    check_direction(kind, machine.memory.place_of(address_of(to)),
                    machine.memory.place_of(address_of(from)));
    copy_async(machine, lock, to, from, bytes, stream);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMemcpyPeerAsync", [&](HostMachine& machine, HostMachine::Lock& lock) {
    check_device(machine, to, bytes, to_device);
    check_device(machine, from, bytes, from_device);
    copy_async(machine, lock, to, from, bytes, stream);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMemsetAsync", [&](HostMachine& machine, auto&) {
    void* const target = machine.memory.alias(to);
    machine.submit(stream, {.name = "fill of " + std::to_string(bytes) + " bytes",
                            .accesses = {{address_of(to), bytes, true}},
                            .work = [=] { std::memset(target, value, bytes); },
                            .bytes = static_cast<double>(bytes)});
  });
}
}

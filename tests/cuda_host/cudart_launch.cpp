// The runtime: launches of kernels, as nvcc compiles them (CUDA 13), and their registration.
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "tests/cuda_host/calls.hpp"
#include "tests/cuda_host/kernels.hpp"

using namespace cuda_host;

namespace {

struct HostKernel {
  std::string name;
  std::vector<std::size_t> argument_bytes;
  void (*run)(void**) = nullptr;
};

// Guarded by the machine's lock; registered before any call, so not part of the machine.
std::map<const void*, HostKernel>& kernels() {
  static auto* const all = new std::map<const void*, HostKernel>;
  return *all;
}

std::optional<std::vector<MemoryAccess>>& declared() {
  thread_local std::optional<std::vector<MemoryAccess>> ranges;
  return ranges;
}

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

std::vector<LaunchShape>& pushed_shapes() {
  thread_local std::vector<LaunchShape> shapes;
  return shapes;
}

void check_shape(const LaunchShape& shape) {
  const auto [gx, gy, gz] = shape.grid;
  const auto [bx, by, bz] = shape.block;
  const bool grid_fits =
      gx >= 1 && gx <= INT32_MAX && gy >= 1 && gy <= 65535 && gz >= 1 && gz <= 65535;
  const bool block_fits = bx >= 1 && by >= 1 && bz >= 1 && bx <= 1024 && by <= 1024 && bz <= 64 &&
                          std::uint64_t{bx} * by * bz <= 1024;
  if (!grid_fits || !block_fits || shape.shared_bytes > 48 * 1024)
    throw CallFault(cudaErrorInvalidConfiguration, "the grid is too large or empty");
}

// The copies of a launch's arguments.
using Argument = std::vector<std::max_align_t>;

Argument copy_of(const void* argument, std::size_t bytes) {
  Argument copy((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(copy.data(), argument, bytes);
  return copy;
}

bool is_declared(Address address, const std::vector<MemoryAccess>& ranges) {
  for (const MemoryAccess& range : ranges)
    if (address >= range.first && address - range.first <= range.bytes) return true;
  return false;
}

// Every aligned word that is an address of what the kernel declares becomes its place on the stage.
// Other words stay as they are: between members there may be anything, and an address that is not
// declared faults when it is used.
void translate(Argument& argument, const HostMachine& machine,
               const std::vector<MemoryAccess>& ranges) {
  auto* const words = reinterpret_cast<unsigned char*>(argument.data());
  for (std::size_t at = 0; at < argument.size() * sizeof(std::max_align_t); at += sizeof(Address)) {
    Address address = 0;
    std::memcpy(&address, words + at, sizeof address);
    if (machine.memory.place_of(address) != MemoryPlace::device) continue;
    if (!is_declared(address, ranges)) continue;
    address = machine.memory.stage(address);
    std::memcpy(words + at, &address, sizeof address);
  }
}

std::vector<MemoryAccess> take_declared(const HostKernel& kernel) {
  auto ranges = std::exchange(declared(), std::nullopt);
  if (!ranges)
    throw CallMisuse(cudaErrorLaunchFailure, kernel.name + " does not declare what it accesses");
  return *ranges;
}

void launch(HostMachine& machine, const void* function, const LaunchShape& shape,
            void** arguments) {
  const auto found = kernels().find(function);
  if (found == kernels().end())
    throw CallMisuse(cudaErrorInvalidDeviceFunction, "launches a kernel without a host version");
  const HostKernel& kernel = found->second;
  const std::vector<MemoryAccess> ranges = take_declared(kernel);
  check_shape(shape);
  if (machine.stream(shape.stream).device != current_device())
    throw CallMisuse(cudaErrorInvalidResourceHandle,
                     kernel.name + " on a stream of another device");
  auto copies = std::make_shared<std::vector<Argument>>();
  for (std::size_t i = 0; i < kernel.argument_bytes.size(); ++i) {
    copies->push_back(copy_of(arguments[i], kernel.argument_bytes[i]));
    translate(copies->back(), machine, ranges);
  }
  const auto work = [copies, run = kernel.run, ranges, &memory = machine.memory] {
    std::vector<void*> pointers;
    for (Argument& copy : *copies) pointers.push_back(copy.data());
    memory.bring_on_stage(ranges);
    run(pointers.data());
    memory.leave_stage(ranges);
  };
  double bytes = 0;
  for (const MemoryAccess& range : ranges) bytes += static_cast<double>(range.bytes);
  machine.submit(shape.stream,
                 {.name = kernel.name, .accesses = ranges, .work = work, .bytes = bytes});
}

}  // namespace

extern "C" {

void stint_host_kernel(const void* kernel, const char* name, const std::size_t* argument_bytes,
                       int argument_count, void (*run)(void**)) {
  const HostMachine::Lock lock(HostMachine::get().mutex);
  kernels()[kernel] = {name, {argument_bytes, argument_bytes + argument_count}, run};
}

void stint_host_ranges(const stint_device_range* ranges, int count) {
  declared().emplace();
  for (int i = 0; i < count; ++i)
    declared()->push_back(
        {reinterpret_cast<Address>(ranges[i].first), ranges[i].bytes, ranges[i].writes != 0});
}

void stint_host_tells(const void* what, unsigned long long count) {
  told_by_program("the host", [&](HostMachine& machine) { machine.tell(what, count); });
}

void stint_host_hears(const void* what, unsigned long long count) {
  told_by_program("the host", [&](HostMachine& machine) { machine.hear(what, count); });
}

void stint_host_touches(const char* name, const void* first, std::size_t bytes, int writes) {
  told_by_program("the host", [&](HostMachine& machine) {
    machine.host_accesses(name, {reinterpret_cast<Address>(first), bytes, writes != 0});
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return runtime_call("cudaLaunchKernel", [&](HostMachine& machine, auto&) {
    launch(machine, function, {grid, block, shared_bytes, stream}, arguments);
  });
}

// What nvcc's code calls. A kernel is known by the address of its function on the host.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     CUstream_st* stream) {
  pushed_shapes().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  if (pushed_shapes().empty()) return cudaErrorMissingConfiguration;
  const LaunchShape shape = pushed_shapes().back();
  pushed_shapes().pop_back();
  *grid = shape.grid;
  *block = shape.block;
  *shared_bytes = shape.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = shape.stream;
  return cudaSuccess;
}

// Device code is not looked at.
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
char __cudaInitModule(void**) { return 1; }
}

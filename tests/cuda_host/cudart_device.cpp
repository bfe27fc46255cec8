// The runtime: devices, versions, errors, and what happens when the process ends.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "tests/cuda_host/calls.hpp"
#include "tests/cuda_host/settings.hpp"

using namespace cuda_host;

namespace {

constexpr int version = 13000;  // CUDA 13.0

void expect_device(int device) {
  if (device < 0 || device >= settings().devices)
    throw CallFault(cudaErrorInvalidDevice, "there is no such device");
}

struct ErrorText {
  const char* name;
  const char* text;
};

const ErrorText& text_of(cudaError_t error) {
  static const std::map<int, ErrorText> texts = {
      {cudaSuccess, {"cudaSuccess", "no error"}},
      {cudaErrorInvalidValue, {"cudaErrorInvalidValue", "invalid argument"}},
      {cudaErrorMemoryAllocation, {"cudaErrorMemoryAllocation", "out of memory"}},
      {cudaErrorInvalidConfiguration,
       {"cudaErrorInvalidConfiguration", "invalid configuration argument"}},
      {cudaErrorInsufficientDriver,
       {"cudaErrorInsufficientDriver",
        "CUDA driver version is insufficient for CUDA runtime version"}},
      {cudaErrorDevicesUnavailable,
       {"cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"}},
      {cudaErrorInvalidDeviceFunction,
       {"cudaErrorInvalidDeviceFunction", "invalid device function"}},
      {cudaErrorInvalidDevice, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
      {cudaErrorECCUncorrectable,
       {"cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"}},
      {cudaErrorInvalidResourceHandle,
       {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
      {cudaErrorNotReady, {"cudaErrorNotReady", "device not ready"}},
      {cudaErrorIllegalAddress,
       {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
      {cudaErrorAssert, {"cudaErrorAssert", "device-side assert triggered"}},
      {cudaErrorLaunchFailure, {"cudaErrorLaunchFailure", "unspecified launch failure"}},
      {cudaErrorUnknown, {"cudaErrorUnknown", "unknown error"}},
  };
  static const ErrorText unrecognized{"unrecognized error code", "unrecognized error code"};
  const auto found = texts.find(error);
  return found == texts.end() ? unrecognized : found->second;
}

// Runs after everything that uses this library has ended.
struct AtTheEnd {
  ~AtTheEnd() {
    if (!settings().no_device) HostMachine::get().end();
    if (take_findings().empty()) return;
    std::cout.flush();
    std::fflush(nullptr);
    _exit(exit_code_of_findings);
  }
} const at_the_end;

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return runtime_call("cudaGetDeviceCount", [&](auto&, auto&) {
    expect_pointer(count);
    *count = settings().devices;
  });
}

cudaError_t cudaSetDevice(int device) {
  return runtime_call("cudaSetDevice", [&](auto&, auto&) {
    expect_device(device);
    current_device() = device;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return runtime_call("cudaGetDevice", [&](auto&, auto&) {
    expect_pointer(device);
    *device = current_device();
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call("cudaGetDeviceProperties", [&](auto&, auto&) {
    expect_pointer(properties);
    expect_device(device);
    *properties = {};
    std::strcpy(properties->name, "Host processor in place of a GPU");
    properties->totalGlobalMem = static_cast<std::size_t>(settings().memory_bytes);
    properties->major = 8;
    properties->multiProcessorCount = 1;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->asyncEngineCount = 2;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return runtime_call("cudaDeviceSynchronize", [](HostMachine& machine, HostMachine::Lock& lock) {
    machine.finish_device(current_device(), lock);
  });
}

cudaError_t cudaRuntimeGetVersion(int* number) {
  if (number == nullptr) return cudaErrorInvalidValue;
  *number = version;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* number) {
  if (number == nullptr) return cudaErrorInvalidValue;
  *number = settings().no_device ? 0 : version;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  HostMachine* const machine = settings().no_device ? nullptr : &HostMachine::get();
  if (machine != nullptr) {
    const HostMachine::Lock lock(machine->mutex);
    if (machine->lost != cudaSuccess) return machine->lost;
  }
  return std::exchange(last_error(), cudaSuccess);
}

cudaError_t cudaPeekAtLastError() { return last_error(); }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }
}

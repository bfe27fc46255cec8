// The runtime: streams and events.
#include <chrono>

#include "tests/cuda_host/calls.hpp"

using namespace cuda_host;

namespace {

void expect_flags(unsigned flags, unsigned known) {
  if ((flags & ~known) != 0) throw CallFault(cudaErrorInvalidValue, "unknown flags");
}

void expect_done(bool done) {
  if (!done) throw CallFault(cudaErrorNotReady, "work is left");
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return runtime_call("cudaStreamCreateWithFlags", [&](HostMachine& machine, auto&) {
    expect_pointer(stream);
    expect_flags(flags, cudaStreamNonBlocking);
    *stream = machine.create_stream(current_device(), flags != cudaStreamNonBlocking);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return runtime_call("cudaStreamDestroy",
                      [&](HostMachine& machine, auto&) { machine.destroy_stream(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return runtime_call("cudaStreamSynchronize", [&](HostMachine& machine, HostMachine::Lock& lock) {
    machine.finish(stream, lock);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return runtime_call("cudaStreamQuery",
                      [&](HostMachine& machine, auto&) { expect_done(machine.poll(stream)); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return runtime_call("cudaStreamWaitEvent", [&](HostMachine& machine, auto&) {
    expect_flags(flags, 0);
    machine.wait(stream, event);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return runtime_call("cudaEventCreateWithFlags", [&](HostMachine& machine, auto&) {
    expect_pointer(event);
    expect_flags(flags, cudaEventBlockingSync | cudaEventDisableTiming);
    *event = machine.create_event(current_device(), (flags & cudaEventDisableTiming) == 0);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime_call("cudaEventDestroy",
                      [&](HostMachine& machine, auto&) { machine.destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime_call("cudaEventRecord",
                      [&](HostMachine& machine, auto&) { machine.record(event, stream); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return runtime_call("cudaEventSynchronize", [&](HostMachine& machine, HostMachine::Lock& lock) {
    machine.finish(event, lock);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return runtime_call("cudaEventElapsedTime", [&](HostMachine& machine, auto&) {
    expect_pointer(milliseconds);
    *milliseconds = machine.elapsed(begin, end);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return runtime_call("cudaEventQuery",
                      [&](HostMachine& machine, auto&) { expect_done(machine.poll(event)); });
}
}

// What tests of the host implementation are written with: device floats, streams, events and one
// kernel, which give back what they took.
#pragma once

#include <cuda_runtime_api.h>

#include <random>
#include <vector>

#include "tests/cuda_host/child.hpp"
#include "tests/cuda_host/kernels.hpp"

namespace cuda_host {

using Floats = std::vector<float>;

class TestStream {
 public:
  explicit TestStream(unsigned flags = cudaStreamNonBlocking) {
    succeed(cudaStreamCreateWithFlags(&stream_, flags), "cudaStreamCreateWithFlags");
  }
  ~TestStream() { succeed(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void finish() const { succeed(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class TestEvent {
 public:
  TestEvent() {
    succeed(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  ~TestEvent() { succeed(cudaEventDestroy(event_), "cudaEventDestroy"); }
  TestEvent(const TestEvent&) = delete;
  TestEvent& operator=(const TestEvent&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Makes `to` wait for what `from` holds now.
inline void order(const TestStream& from, const TestStream& to) {
  const TestEvent event;
  succeed(cudaEventRecord(event, from), "cudaEventRecord");
  succeed(cudaStreamWaitEvent(to, event, 0), "cudaStreamWaitEvent");
}

class DeviceFloats {
 public:
  explicit DeviceFloats(std::size_t count) : count_(count) {
    void* at = nullptr;
    succeed(cudaMalloc(&at, count * sizeof(float)), "cudaMalloc");
    at_ = static_cast<float*>(at);
  }
  explicit DeviceFloats(const Floats& values) : DeviceFloats(values.size()) {
    put(values, cudaStreamLegacy);
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  ~DeviceFloats() { succeed(cudaFree(at_), "cudaFree"); }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;

  operator float*() const { return at_; }
  std::size_t bytes() const { return count_ * sizeof(float); }
  void put(const Floats& values, cudaStream_t stream) const {
    succeed(cudaMemcpyAsync(at_, values.data(), bytes(), cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
  }
  Floats get(cudaStream_t stream) const {
    Floats values(count_);
    succeed(cudaMemcpyAsync(values.data(), at_, bytes(), cudaMemcpyDeviceToHost, stream),
            "cudaMemcpyAsync");
    return values;  // pageable memory: the copy is done
  }

 private:
  float* at_ = nullptr;
  std::size_t count_ = 0;
};

Floats random_floats(std::size_t count, std::mt19937_64& random);  // from -1 to 1
void expect_near(const Floats& found, const std::vector<double>& expected);

// Registers the kernel y[i] = 2 x[i] and launches it.
cudaError_t launch_doubling(const float* x, float* y, int count, cudaStream_t stream);
// The same, declaring other numbers of elements than it accesses.
cudaError_t launch_doubling(const float* x, int declared_x, float* y, int declared_y, int count,
                            cudaStream_t stream);

}  // namespace cuda_host

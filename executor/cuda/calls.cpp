#include "executor/cuda/calls.hpp"

#include <fmt/format.h>

#include <limits>

namespace stint {
namespace {

[[noreturn]] void fail(const char* call, int status, const char* name, const char* text) {
  throw CudaError(fmt::format("{} failed: {} ({}, error {})", call, text, name, status));
}

// After these a device answers every call of every thread with the same error, so that the call
// that reports it need not be the one that failed.
bool is_of_lost_device(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

// cuBLAS counts in int.
int as_int(std::int64_t count) {
  if (count >= 0 && count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
  throw CudaError(fmt::format("a matrix of {} rows or columns; expected at most {}", count,
                              std::numeric_limits<int>::max()));
}

}  // namespace

void expect_success(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const char* const text = cudaGetErrorString(status);
  if (!is_of_lost_device(status)) fail(call, status, cudaGetErrorName(status), text);
  fail(call, status, cudaGetErrorName(status),
       fmt::format("{}; the GPU was lost in this call or an earlier one", text).c_str());
}
void expect_success(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(call, status, "cuBLAS", cublasGetStatusString(status));
}
void expect_success(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) fail(call, status, "cuDNN", cudnnGetErrorString(status));
}

int device_count() {
  int count = 0;
  expect_success(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

std::string device_text(int device) {
  cudaDeviceProp properties{};
  expect_success(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return fmt::format("{} (compute capability {}.{})", properties.name, properties.major,
                     properties.minor);
}

void use_device(int device) { expect_success(cudaSetDevice(device), "cudaSetDevice"); }

DeviceMemory device_memory() {
  std::size_t free = 0;
  std::size_t all = 0;
  expect_success(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return {static_cast<std::int64_t>(all), static_cast<std::int64_t>(free)};
}

std::byte* allocate_on_device(std::int64_t bytes) {
  void* at = nullptr;
  expect_success(cudaMalloc(&at, static_cast<std::size_t>(bytes)), "cudaMalloc");
  return static_cast<std::byte*>(at);
}
void free_on_device(std::byte* at) noexcept { static_cast<void>(cudaFree(at)); }

std::byte* allocate_pinned(std::int64_t bytes) {
  void* at = nullptr;
  expect_success(cudaHostAlloc(&at, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
                 "cudaHostAlloc");
  return static_cast<std::byte*>(at);
}
void free_pinned(std::byte* at) noexcept { static_cast<void>(cudaFreeHost(at)); }

void copy_async(std::byte* to, const std::byte* from, std::int64_t bytes, CopyWay way,
                cudaStream_t stream) {
  const cudaMemcpyKind kind = way == CopyWay::to_device ? cudaMemcpyHostToDevice
                              : way == CopyWay::to_host ? cudaMemcpyDeviceToHost
                                                        : cudaMemcpyDeviceToDevice;
  expect_success(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream),
                 "cudaMemcpyAsync");
}

void copy_between_devices(std::byte* to, int to_device, const std::byte* from, int from_device,
                          std::int64_t bytes, cudaStream_t stream) {
  expect_success(cudaMemcpyPeerAsync(to, to_device, from, from_device,
                                     static_cast<std::size_t>(bytes), stream),
                 "cudaMemcpyPeerAsync");
}

void clear_async(std::byte* at, std::int64_t bytes, cudaStream_t stream) {
  expect_success(cudaMemsetAsync(at, 0, static_cast<std::size_t>(bytes), stream),
                 "cudaMemsetAsync");
}

CudaStream make_stream() {
  cudaStream_t stream = nullptr;
  expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags");
  return CudaStream(stream);
}

CudaEvent make_event() {
  cudaEvent_t event = nullptr;
  expect_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
  return CudaEvent(event);
}

CudaEvent make_timed_event() {
  cudaEvent_t event = nullptr;
  expect_success(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return CudaEvent(event);
}
double seconds_between(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  expect_success(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

void record(cudaEvent_t event, cudaStream_t stream) {
  expect_success(cudaEventRecord(event, stream), "cudaEventRecord");
}
void wait_in_stream(cudaStream_t stream, cudaEvent_t event) {
  expect_success(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}
void wait_on_host(cudaEvent_t event) {
  expect_success(cudaEventSynchronize(event), "cudaEventSynchronize");
}
void wait_on_host(cudaStream_t stream) {
  expect_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}
void expect_launched(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return;  // nothing is allocated for what went well
  expect_success(status, fmt::format("the launch of {}", kernel).c_str());
}

BlasHandle make_blas(cudaStream_t stream, std::span<std::byte> workspace) {
  cublasHandle_t made = nullptr;
  expect_success(cublasCreate_v2(&made), "cublasCreate");
  BlasHandle blas(made);
  expect_success(cublasSetStream_v2(made, stream), "cublasSetStream");
  expect_success(cublasSetWorkspace_v2(made, workspace.data(), workspace.size()),
                 "cublasSetWorkspace");
  expect_success(cublasSetMathMode(made, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  return blas;
}

void multiply(cublasHandle_t blas, const BlasSizes& sizes, const BlasFactor& a, const BlasFactor& b,
              const BlasResult& result) {
  const auto operation = [](const BlasFactor& factor) {
    return factor.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const float kept = sizes.adds ? 1 : 0;
  if (sizes.matrices == 1) {
    expect_success(
        cublasSgemm_v2(blas, operation(a), operation(b), as_int(sizes.rows), as_int(sizes.columns),
                       as_int(sizes.depth), &sizes.factor, a.at, as_int(a.column_stride), b.at,
                       as_int(b.column_stride), &kept, result.at, as_int(result.column_stride)),
        "cublasSgemm");
    return;
  }
  expect_success(
      cublasSgemmStridedBatched(
          blas, operation(a), operation(b), as_int(sizes.rows), as_int(sizes.columns),
          as_int(sizes.depth), &sizes.factor, a.at, as_int(a.column_stride), a.matrix_stride, b.at,
          as_int(b.column_stride), b.matrix_stride, &kept, result.at, as_int(result.column_stride),
          result.matrix_stride, as_int(sizes.matrices)),
      "cublasSgemmStridedBatched");
}

}  // namespace stint

// The seam: every call of the CUDA runtime, cuBLAS and cuDNN is made here, once, with types of ours
// and with errors as exceptions that name the call and what the library says. Who runs an action
// adds its name. No decisions, no state beyond the handles.
//
// Included by the files of this folder only, so that nothing else sees the libraries' headers.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace stint {

struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throw CudaError unless all is well.
void expect_success(cudaError_t status, const char* call);
void expect_success(cublasStatus_t status, const char* call);
void expect_success(cudnnStatus_t status, const char* call);

// A handle of a library, given back when it goes.
template <typename Handle, auto destroy>
struct DestroyHandle {
  using pointer = Handle;
  void operator()(Handle handle) const { static_cast<void>(destroy(handle)); }
};
template <typename Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyHandle<Handle, destroy>>;

using CudaStream = Owned<cudaStream_t, cudaStreamDestroy>;
using CudaEvent = Owned<cudaEvent_t, cudaEventDestroy>;
using BlasHandle = Owned<cublasHandle_t, cublasDestroy_v2>;
using DnnHandle = Owned<cudnnHandle_t, cudnnDestroy>;

// Devices. The current one belongs to the calling thread.
int device_count();
std::string device_text(int device);  // its name and compute capability
void use_device(int device);
struct DeviceMemory {
  std::int64_t bytes = 0;
  std::int64_t free_bytes = 0;
};
DeviceMemory device_memory();  // of the current one

// Memory.
std::byte* allocate_on_device(std::int64_t bytes);
void free_on_device(std::byte* at) noexcept;
std::byte* allocate_pinned(std::int64_t bytes);
void free_pinned(std::byte* at) noexcept;
enum class CopyWay { to_device, to_host, within_device };
void copy_async(std::byte* to, const std::byte* from, std::int64_t bytes, CopyWay way,
                cudaStream_t stream);
void copy_between_devices(std::byte* to, int to_device, const std::byte* from, int from_device,
                          std::int64_t bytes, cudaStream_t stream);
void clear_async(std::byte* at, std::int64_t bytes, cudaStream_t stream);

// Order.
CudaStream make_stream();
CudaEvent make_event();                                      // for waiting
CudaEvent make_timed_event();                                // for measuring
double seconds_between(cudaEvent_t begin, cudaEvent_t end);  // both done
void record(cudaEvent_t event, cudaStream_t stream);
void wait_in_stream(cudaStream_t stream, cudaEvent_t event);
void wait_on_host(cudaEvent_t event);
void wait_on_host(cudaStream_t stream);
void expect_launched(const char* kernel);  // after every launch of a kernel of ours

// Products of matrices, as cuBLAS counts them: columns lie one behind the other.
BlasHandle make_blas(cudaStream_t stream, std::span<std::byte> workspace);
struct BlasFactor {
  const float* at = nullptr;
  bool transposed = false;
  std::int64_t column_stride = 0;  // "leading dimension"
  std::int64_t matrix_stride = 0;  // of a batch
};
struct BlasResult {
  float* at = nullptr;
  std::int64_t column_stride = 0;
  std::int64_t matrix_stride = 0;
};
struct BlasSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  std::int64_t matrices = 1;
  float factor = 1;
  bool adds = false;  // to what is there
};
void multiply(cublasHandle_t blas, const BlasSizes& sizes, const BlasFactor& a, const BlasFactor& b,
              const BlasResult& result);

DnnHandle make_dnn(cudaStream_t stream);

}  // namespace stint

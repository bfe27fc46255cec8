// Failures that a test orders, lost devices, kernels that do not say what they access.
#include <cublas_v2.h>
#include <cudnn.h>

#include <catch2/catch.hpp>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

TEST_CASE("the call that a test chose fails, and only that one", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"FAIL", "cudaMalloc:2:2"}}, [] {
    void *first = nullptr, *second = nullptr;
    succeed(cudaMalloc(&first, 8), "cudaMalloc");
    expect_code(cudaMalloc(&second, 8), cudaErrorMemoryAllocation, "cudaMalloc");
    expect_code(cudaGetLastError(), cudaErrorMemoryAllocation, "cudaGetLastError");
    succeed(cudaGetLastError(), "cudaGetLastError");
    succeed(cudaMalloc(&second, 8), "cudaMalloc");
    succeed(cudaFree(first), "cudaFree");
    succeed(cudaFree(second), "cudaFree");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a wait that fails has waited", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"FAIL", "cudaStreamSynchronize:1:2"}, {"MODE", "lazy"}}, [] {
    const TestStream stream;
    const DeviceFloats a(2);
    succeed(cudaMemsetAsync(a, 0, 8, stream), "cudaMemsetAsync");
    expect_code(cudaStreamSynchronize(stream), cudaErrorMemoryAllocation, "the wait");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("after a device is lost every call fails, and what is given back is given back",
          "[cuda_host]") {
  const int code = GENERATE(46, 214, 719);
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end =
      run_in_child({{"FAIL", "cudaMemsetAsync:2:" + std::to_string(code)}, {"MODE", mode}}, [=] {
        const auto lost = static_cast<cudaError_t>(code);
        void* at = nullptr;
        cudaStream_t stream = nullptr;
        succeed(cudaMalloc(&at, 8), "cudaMalloc");
        succeed(cudaStreamCreateWithFlags(&stream, 0), "cudaStreamCreateWithFlags");
        succeed(cudaMemsetAsync(at, 0, 8, stream), "cudaMemsetAsync");
        expect_code(cudaMemsetAsync(at, 0, 8, stream), lost, "cudaMemsetAsync");
        expect_code(cudaStreamSynchronize(stream), lost, "cudaStreamSynchronize");
        expect_code(cudaGetLastError(), lost, "cudaGetLastError");
        expect_code(cudaGetLastError(), lost, "cudaGetLastError");
        expect_code(cudaFree(at), lost, "cudaFree");
        expect_code(cudaStreamDestroy(stream), lost, "cudaStreamDestroy");
      });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("any call may be the one that fails, in any library", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"FAIL", "*:3:719"}}, [] {
    cublasHandle_t blas = nullptr;
    cudnnHandle_t dnn = nullptr;
    succeed(cublasCreate(&blas), "cublasCreate");
    succeed(cudnnCreate(&dnn), "cudnnCreate");
    expect_code(cublasSetStream(blas, nullptr), CUBLAS_STATUS_EXECUTION_FAILED, "cublasSetStream");
    expect_code(cudnnSetStream(dnn, nullptr), CUDNN_STATUS_EXECUTION_FAILED, "cudnnSetStream");
    expect_code(cublasDestroy(blas), CUBLAS_STATUS_EXECUTION_FAILED, "cublasDestroy");
    expect_code(cudnnDestroy(dnn), CUDNN_STATUS_EXECUTION_FAILED, "cudnnDestroy");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("without a device the libraries answer as NVIDIA's do without a driver", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"NO_DEVICE", "1"}}, [] {
    int count = 0;
    cublasHandle_t blas = nullptr;
    cudnnHandle_t dnn = nullptr;
    expect_code(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver, "cudaGetDeviceCount");
    expect_code(cublasCreate(&blas), CUBLAS_STATUS_NOT_INITIALIZED, "cublasCreate");
    expect_code(cudnnCreate(&dnn), CUDNN_STATUS_NOT_INITIALIZED, "cudnnCreate");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("settings that make no sense end the process", "[cuda_host]") {
  const ChildSettings settings =
      GENERATE(ChildSettings{{"MODE", "quick"}}, ChildSettings{{"SEED", "-1"}},
               ChildSettings{{"FAIL", "cudaMalloc:1"}}, ChildSettings{{"MEMORY_MIB", "1x"}});
  const ChildEnd end = run_in_child(settings, [] {
    int count = 0;
    cudaGetDeviceCount(&count);
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::EndsWith(" makes no sense\n"));
}

TEST_CASE("a handle that is not destroyed is told at the end", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    cublasHandle_t blas = nullptr;
    cudnnTensorDescriptor_t tensor = nullptr;
    succeed(cublasCreate(&blas), "cublasCreate");
    succeed(cudnnCreateTensorDescriptor(&tensor), "cudnnCreateTensorDescriptor");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("leak: cuBLAS handle"));
  CHECK_THAT(end.err, Catch::Contains("leak: cuDNN tensor descriptor"));
}

TEST_CASE("a stream or an event of another device is refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"DEVICES", "2"}}, [] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2}), b(2);
    succeed(cudaSetDevice(1), "cudaSetDevice");
    const TestStream other_stream;
    const TestEvent other_event;
    expect_code(cudaEventRecord(other_event, stream), cudaErrorInvalidResourceHandle,
                "cudaEventRecord");
    expect_code(launch_doubling(a, b, 2, stream), cudaErrorInvalidResourceHandle, "a launch");
    const DeviceFloats c(2);
    succeed(cudaMemcpyPeerAsync(c, 1, a, 0, 8, other_stream), "cudaMemcpyPeerAsync");
    expect(c.get(other_stream) == Floats{1, 2}, "other values");
    expect_code(cudaMemcpyPeerAsync(c, 0, a, 0, 8, other_stream), cudaErrorInvalidValue,
                "cudaMemcpyPeerAsync");
    expect_code(launch_doubling(a, c, 2, other_stream), cudaErrorIllegalAddress, "a launch");
    std::exit(0);
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("doubling on device 1 accesses allocation 0 of device 0"));
}

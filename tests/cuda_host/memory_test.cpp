// Separate memory: what the host may not do, and what is said when it does.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

TEST_CASE("the host faults when it reads device memory", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const DeviceFloats floats(Floats{1, 2, 3});
    volatile const float* const at = floats;
    static_cast<void>(*at);
  });
  CHECK(end.exit == 128 + SIGSEGV);
}

TEST_CASE("the host faults when it writes device memory", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const DeviceFloats floats(3);
    volatile float* const at = floats;
    *at = 1;
  });
  CHECK(end.exit == 128 + SIGSEGV);
}

TEST_CASE("what is copied to a device comes back", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end = run_in_child({{"MODE", mode}}, [] {
    const TestStream stream;
    const DeviceFloats floats(3);
    floats.put({1, 2, 3}, stream);
    expect(floats.get(stream) == Floats{1, 2, 3}, "other values come back");
    succeed(cudaMemsetAsync(floats, 0, 8, stream), "cudaMemsetAsync");
    expect(floats.get(stream) == Floats{0, 0, 3}, "other bytes are zero");
    stream.finish();
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("fresh device memory holds no zeros", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    const DeviceFloats floats(2);
    const Floats values = floats.get(stream);
    expect(values[0] != values[0] && values[1] != values[1], "no NaNs");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a copy in another direction than its kind says is refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    const DeviceFloats a(4), b(4);
    Floats host(4);
    const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
      expect_code(cudaMemcpyAsync(to, from, 16, kind, stream), cudaErrorInvalidValue, "a copy");
    };
    copy(a, b, cudaMemcpyHostToDevice);
    copy(a, b, cudaMemcpyDeviceToHost);
    copy(a, host.data(), cudaMemcpyDeviceToDevice);
    copy(host.data(), a, cudaMemcpyHostToDevice);
    copy(host.data(), a, cudaMemcpyHostToHost);
  });
  INFO(end.err);
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("cudaMemcpyAsync: copies from a device address, which its "
                                      "kind denies"));
  CHECK_THAT(end.err, Catch::Contains("copies to a device address"));
}

TEST_CASE("an access past the end of an allocation is refused for good", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    void* at = nullptr;
    succeed(cudaMalloc(&at, 100), "cudaMalloc");
    expect_code(cudaMemsetAsync(at, 0, 101, stream), cudaErrorIllegalAddress, "a fill");
    expect_code(cudaMemsetAsync(at, 0, 1, stream), cudaErrorIllegalAddress, "a second fill");
    expect_code(cudaFree(at), cudaErrorIllegalAddress, "cudaFree");
    std::exit(0);
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("fill of 101 bytes writes bytes 0 to 101 of allocation 0 of "
                                      "device 0, which has 100"));
}

TEST_CASE("memory that was freed is neither used nor freed again", "[cuda_host]") {
  const bool frees = GENERATE(false, true);
  const ChildEnd end = run_in_child({}, [=] {
    void* at = nullptr;
    succeed(cudaMalloc(&at, 100), "cudaMalloc");
    succeed(cudaFree(at), "cudaFree");
    expect((frees ? cudaFree(at) : cudaMemsetAsync(at, 0, 1, nullptr)) != cudaSuccess, "success");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err,
             Catch::Contains(frees ? "frees allocation 0 of device 0 a second time"
                                   : "writes allocation 0 of device 0 after it was freed"));
}

TEST_CASE("an allocation beyond the memory of the device is refused, and nothing else happens",
          "[cuda_host]") {
  const ChildEnd end = run_in_child({{"MEMORY_MIB", "2"}}, [] {
    void *first = nullptr, *second = nullptr;
    succeed(cudaMalloc(&first, 1 << 20), "cudaMalloc");
    expect_code(cudaMalloc(&second, (1 << 20) + 1), cudaErrorMemoryAllocation, "cudaMalloc");
    expect(second == nullptr, "an address");
    std::size_t left = 0, all = 0;
    succeed(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    expect(left == 1 << 20 && all == 2 << 20, "another number of bytes is free");
    succeed(cudaFree(first), "cudaFree");
    succeed(cudaMalloc(&second, 2 << 20), "cudaMalloc");
    succeed(cudaFree(second), "cudaFree");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("what is never given back is told at the end", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    void* at = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    succeed(cudaMalloc(&at, 100), "cudaMalloc");
    succeed(cudaHostAlloc(&at, 200, cudaHostAllocPortable), "cudaHostAlloc");
    succeed(cudaStreamCreateWithFlags(&stream, 0), "cudaStreamCreateWithFlags");
    succeed(cudaEventCreateWithFlags(&event, 0), "cudaEventCreateWithFlags");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("leak: allocation 0 of device 0, 100 bytes"));
  CHECK_THAT(end.err, Catch::Contains("leak: allocation 1 of pinned memory, 200 bytes"));
  CHECK_THAT(end.err, Catch::Contains("leak: stream 1"));
  CHECK_THAT(end.err, Catch::Contains("leak: 1 events"));
}

TEST_CASE("findings go to the report, calls to the trace", "[cuda_host]") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string report = folder / ("cuda_host_report." + std::to_string(getpid()));
  const std::string trace = report + ".trace";
  run_in_child({{"REPORT", report}, {"TRACE", trace}}, [] {
    void* at = nullptr;
    succeed(cudaMalloc(&at, 100), "cudaMalloc");
  });
  const auto text_of = [](const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::filesystem::remove(path);
    return text.str();
  };
  CHECK(text_of(report) == "leak: allocation 0 of device 0, 100 bytes\n");
  CHECK(text_of(trace) == "cudaMalloc\n");
}

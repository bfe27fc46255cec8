// Kernels of the program: what they must say before a launch, and that it is held against them.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

namespace {

const char unknown_kernel = 0;
constexpr std::size_t one_address[] = {sizeof(float*)};

bool is_nan(float value) { return value != value; }

}  // namespace

TEST_CASE("a kernel sees NaNs where it does not declare that it reads", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end = run_in_child({{"MODE", mode}}, [] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2}), b(2);
    succeed(launch_doubling(a, 1, b, 2, 2, stream), "a launch");
    const Floats values = b.get(stream);
    expect(values[0] == 2 && is_nan(values[1]), "it sees more");
    expect(a.get(stream) == Floats{1, 2}, "it changes what it reads");
    stream.finish();
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("what a kernel writes without declaring it is lost, and told", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2}), b(Floats{7, 7});
    succeed(launch_doubling(a, 2, b, 1, 2, stream), "a launch");
    expect(b.get(stream) == Floats{2, 7}, "it writes more");
    stream.finish();
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("a kernel wrote byte 4 of allocation 1 of device 0 and had "
                                      "not declared it"));
}

TEST_CASE("a kernel that uses an address that it has not declared faults", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const DeviceFloats a(Floats{1, 2}), b(2);
    stint_host_kernel(&unknown_kernel, "touching", one_address, 1,
                      [](void** arguments) { **static_cast<volatile float**>(arguments[0]) = 1; });
    const stint_device_range range{a, a.bytes(), 1};
    stint_host_ranges(&range, 1);
    const float* other = b;
    void* arguments[] = {&other};
    cudaLaunchKernel(&unknown_kernel, dim3(1), dim3(1), arguments, 0, nullptr);
  });
  CHECK(end.exit == 128 + SIGSEGV);
}

TEST_CASE("numbers beside stale halves of addresses stay what they are", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    const DeviceFloats a(2);
    struct Sized {
      float* y;
      int count;
    } sized;
    const float* const stale[] = {a, a};
    std::memcpy(&sized, stale, sizeof sized);
    sized.count = 2;
    const std::size_t argument_bytes[] = {sizeof(Sized)};
    stint_host_kernel(&unknown_kernel, "counting", argument_bytes, 1, [](void** arguments) {
      const auto& [y, count] = *static_cast<const Sized*>(arguments[0]);
      for (int i = 0; i < count; ++i) y[i] = static_cast<float>(i);
    });
    const stint_device_range range{a, a.bytes(), 1};
    stint_host_ranges(&range, 1);
    void* arguments[] = {&sized};
    succeed(cudaLaunchKernel(&unknown_kernel, dim3(1), dim3(1), arguments, 0, stream), "a launch");
    expect(a.get(stream) == Floats{0, 1}, "other values");
    stream.finish();
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a kernel may work in place", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2});
    succeed(launch_doubling(a, a, 2, stream), "a launch");
    expect(a.get(stream) == Floats{2, 4}, "other values");
    stream.finish();
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("launches that do not say what they access, or of unknown kernels, are refused",
          "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    expect_code(cudaLaunchKernel(&unknown_kernel, dim3(1), dim3(1), nullptr, 0, nullptr),
                cudaErrorInvalidDeviceFunction, "a launch");
    stint_host_kernel(&unknown_kernel, "nothing", nullptr, 0, [](void**) {});
    stint_host_ranges(nullptr, 0);
    succeed(cudaLaunchKernel(&unknown_kernel, dim3(1), dim3(1), nullptr, 0, nullptr), "a launch");
    expect_code(cudaLaunchKernel(&unknown_kernel, dim3(1), dim3(1), nullptr, 0, nullptr),
                cudaErrorLaunchFailure, "a launch");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("launches a kernel without a host version"));
  CHECK_THAT(end.err, Catch::Contains("nothing does not declare what it accesses"));
}

TEST_CASE("a grid beyond what a device takes is refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    stint_host_kernel(&unknown_kernel, "nothing", nullptr, 0, [](void**) {});
    const auto launch = [](dim3 grid, dim3 block) {
      stint_host_ranges(nullptr, 0);
      return cudaLaunchKernel(&unknown_kernel, grid, block, nullptr, 0, nullptr);
    };
    succeed(launch(dim3(0x7fffffff), dim3(1024)), "a launch");
    expect_code(launch(dim3(0x80000000), dim3(1)), cudaErrorInvalidConfiguration, "a launch");
    expect_code(launch(dim3(1, 65536), dim3(1)), cudaErrorInvalidConfiguration, "a launch");
    expect_code(launch(dim3(0), dim3(1)), cudaErrorInvalidConfiguration, "a launch");
    expect_code(launch(dim3(1), dim3(1025)), cudaErrorInvalidConfiguration, "a launch");
    expect_code(launch(dim3(1), dim3(32, 32, 2)), cudaErrorInvalidConfiguration, "a launch");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

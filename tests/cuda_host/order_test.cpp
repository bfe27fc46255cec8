// Streams and events: what they order, and that a missing order is a race that is found, in
// whatever order work happens to run.
#include <catch2/catch.hpp>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

namespace {

ChildEnd in_every_order(const std::function<void()>& body) {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const std::string seed = mode == "random" ? GENERATE("1", "2", "3") : "1";
  CAPTURE(mode, seed);
  const ChildEnd end = run_in_child({{"MODE", mode}, {"SEED", seed}}, body);
  UNSCOPED_INFO(end.err);
  return end;
}

void double_it(const float* x, float* y, int count, cudaStream_t stream) {
  succeed(launch_doubling(x, y, count, stream), "a launch");
}

}  // namespace

TEST_CASE("work of one stream runs in order", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2}), b(2);
    for (int i = 0; i < 10; ++i) {
      double_it(a, b, 2, stream);
      double_it(b, a, 2, stream);
    }
    expect(a.get(stream) == Floats{1 << 20, 2 << 20}, "other values");
    stream.finish();
  });
  CHECK(end.exit == 0);
}

TEST_CASE("streams that wait for one another's events give one result", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(2);
    for (int i = 0; i < 10; ++i) {
      double_it(a, b, 2, first);
      order(first, second);
      double_it(b, a, 2, second);
      order(second, first);
    }
    expect(a.get(first) == Floats{1 << 20, 2 << 20}, "other values");
    first.finish();
    second.finish();
  });
  CHECK(end.exit == 0);
}

TEST_CASE("a wait that is missing is a race, and both operations are named", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    double_it(a, b, 2, first);
    expect_code(launch_doubling(b, c, 2, second), cudaErrorUnknown, "a launch");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err,
             Catch::Matches(".*cudaLaunchKernel: race: doubling \\(operation \\d+, stream "
                            "\\d+\\) reads what doubling \\(operation \\d+, stream \\d+\\) "
                            "writes, and nothing orders the two\n"));
}

TEST_CASE("a wait that a test makes the libraries forget is a race", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const int forgotten = GENERATE(0, 1, 2, 3);
  const ChildEnd end =
      run_in_child({{"MODE", mode}, {"FORGET_WAIT", std::to_string(forgotten)}}, [] {
        const TestStream first, second;
        const DeviceFloats a(Floats{1, 2}), b(2);
        double_it(a, b, 2, first);
        order(first, second);
        launch_doubling(b, a, 2, second);
        order(second, first);
        launch_doubling(a, b, 2, first);
        succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      });
  CAPTURE(mode, forgotten, end.err);
  CHECK(end.exit == (forgotten == 1 || forgotten == 2 ? 97 : 0));
}

TEST_CASE("writing what another stream still reads is a race", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(2);
    double_it(a, b, 2, first);
    expect(cudaMemsetAsync(a + 1, 0, 4, second) != cudaSuccess, "success");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("fill of 4 bytes") && Catch::Contains("reads, and nothing"));
}

TEST_CASE("reads of the same bytes, and writes of others, need no order", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(4);
    double_it(a, b, 2, first);
    double_it(a, b + 2, 2, second);
    first.finish();
    second.finish();
    expect(b.get(first) == Floats{2, 4, 2, 4}, "other values");
  });
  CHECK(end.exit == 0);
}

TEST_CASE("a host that waits orders what it enqueues afterwards", "[cuda_host]") {
  const bool by_event = GENERATE(false, true);
  const ChildEnd end = in_every_order([=] {
    const TestStream first, second;
    const TestEvent event;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    double_it(a, b, 2, first);
    succeed(cudaEventRecord(event, first), "cudaEventRecord");
    if (by_event)
      succeed(cudaEventSynchronize(event), "cudaEventSynchronize");
    else
      while (cudaEventQuery(event) == cudaErrorNotReady) {
      }
    double_it(b, c, 2, second);
    expect(c.get(second) == Floats{4, 8}, "other values");
    second.finish();
  });
  CHECK(end.exit == 0);
}

TEST_CASE("an event means what was enqueued when it was recorded, not what came later",
          "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const TestEvent event;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    succeed(cudaEventRecord(event, first), "cudaEventRecord");
    double_it(a, b, 2, first);
    succeed(cudaStreamWaitEvent(second, event, 0), "cudaStreamWaitEvent");
    expect(launch_doubling(b, c, 2, second) != cudaSuccess, "success");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  CHECK(end.exit == 97);
}

TEST_CASE("an event recorded again means the later point", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const TestEvent event;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    succeed(cudaEventRecord(event, first), "cudaEventRecord");
    double_it(a, b, 2, first);
    succeed(cudaEventRecord(event, first), "cudaEventRecord");
    succeed(cudaStreamWaitEvent(second, event, 0), "cudaStreamWaitEvent");
    double_it(b, c, 2, second);
    expect(c.get(second) == Floats{4, 8}, "other values");
    first.finish();
    second.finish();
  });
  CHECK(end.exit == 0);
}

TEST_CASE("an event that was never recorded holds nobody up and orders nothing", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream first, second;
    const TestEvent event;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    double_it(a, b, 2, first);
    succeed(cudaStreamWaitEvent(second, event, 0), "cudaStreamWaitEvent");
    succeed(cudaEventSynchronize(event), "cudaEventSynchronize");
    succeed(cudaEventQuery(event), "cudaEventQuery");
    expect(launch_doubling(b, c, 2, second) != cudaSuccess, "success");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  CHECK(end.exit == 97);
}

TEST_CASE("the default stream orders itself with blocking streams only", "[cuda_host]") {
  const bool blocking = GENERATE(false, true);
  const ChildEnd end = in_every_order([=] {
    const TestStream stream(blocking ? cudaStreamDefault : cudaStreamNonBlocking);
    const DeviceFloats a(Floats{1, 2}), b(2), c(2), d(2);
    double_it(a, b, 2, stream);
    launch_doubling(b, c, 2, nullptr);
    launch_doubling(c, d, 2, stream);
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    expect(d.get(stream) == Floats{8, 16} || !blocking, "other values");
    stream.finish();
  });
  CHECK(end.exit == (blocking ? 0 : 97));
}

TEST_CASE("lazy work does not run before somebody waits for it", "[cuda_host]") {
  const ChildEnd end = run_in_child({{"MODE", "lazy"}}, [] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(2);
    void* pinned = nullptr;
    succeed(cudaHostAlloc(&pinned, 8, cudaHostAllocPortable), "cudaHostAlloc");
    auto* const values = static_cast<float*>(pinned);
    values[0] = 7;
    succeed(cudaMemcpyAsync(values, a, 8, cudaMemcpyDeviceToHost, first), "cudaMemcpyAsync");
    second.finish();
    expect(values[0] == 7, "it has run");
    first.finish();
    expect(values[0] == 1 && values[1] == 2, "it has not run");
    succeed(cudaFreeHost(pinned), "cudaFreeHost");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a host that touches pinned memory too early races with the copy", "[cuda_host]") {
  const bool waits = GENERATE(false, true);
  const ChildEnd end = in_every_order([=] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2});
    void* pinned = nullptr;
    succeed(cudaHostAlloc(&pinned, 8, cudaHostAllocPortable), "cudaHostAlloc");
    succeed(cudaMemcpyAsync(pinned, a, 8, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    if (waits) stream.finish();
    stint_host_touches("relu", pinned, 8, 0);
    stream.finish();
    succeed(cudaFreeHost(pinned), "cudaFreeHost");
  });
  CHECK(end.exit == (waits ? 0 : 97));
  if (!waits) CHECK_THAT(end.err, Catch::Contains("relu (on the host) reads what copy of 8 bytes"));
}

TEST_CASE("memory is not freed while work on it may still run", "[cuda_host]") {
  const ChildEnd end = in_every_order([] {
    const TestStream stream;
    void* at = nullptr;
    succeed(cudaMalloc(&at, 100), "cudaMalloc");
    succeed(cudaMemsetAsync(at, 0, 100, stream), "cudaMemsetAsync");
    expect_code(cudaFree(at), cudaErrorInvalidValue, "cudaFree");
    stream.finish();
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err,
             Catch::Contains("frees allocation 0 of device 0, on which fill of 100 bytes"));
}

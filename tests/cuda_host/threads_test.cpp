// Threads of the host: nothing orders them but what the program says. And clocks: events that are
// timed.
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

namespace {

void in_thread(const std::function<void()>& body) { std::thread(body).join(); }

enum class Told { nothing, all };

// One thread has its stream write, and waits for that; another, which is sure to come later, has
// another stream read.
ChildEnd handed_over(Told told, const std::string& mode) {
  return run_in_child({{"MODE", mode}}, [told] {
    const TestStream first, second;
    const DeviceFloats a(Floats{1, 2}), b(2), c(2);
    stint_host_tells(&first, 1);
    in_thread([&] {
      stint_host_hears(&first, 1);
      succeed(launch_doubling(a, b, 2, first), "a launch");
      first.finish();
      if (told == Told::all) stint_host_tells(&first, 2);
    });
    in_thread([&] {
      stint_host_hears(&first, 1);
      if (told == Told::all) stint_host_hears(&first, 2);
      launch_doubling(b, c, 2, second);
      second.finish();
      stint_host_tells(&first, 3);
    });
    stint_host_hears(&first, 3);
    first.finish();
  });
}

}  // namespace

TEST_CASE("that one thread happens to be later than another orders nothing", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd untold = handed_over(Told::nothing, mode);
  CHECK(untold.exit == 97);
  CHECK_THAT(untold.err, Catch::Contains("race"));
  const ChildEnd told = handed_over(Told::all, mode);
  INFO(told.err);
  CHECK(told.exit == 0);
}

TEST_CASE("two threads must agree on which record of an event a wait means", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const TestStream first, second;
    const TestEvent event;
    in_thread([&] { succeed(cudaEventRecord(event, first), "cudaEventRecord"); });
    in_thread([&] { cudaStreamWaitEvent(second, event, 0); });
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("recording an event"));
}

TEST_CASE("what the host touches is held against what devices do", "[cuda_host]") {
  const bool waits = GENERATE(true, false);
  const ChildEnd end = run_in_child({{"MODE", "lazy"}}, [waits] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2});
    void* pinned = nullptr;
    succeed(cudaHostAlloc(&pinned, a.bytes(), 0), "cudaHostAlloc");
    succeed(cudaMemcpyAsync(pinned, a, a.bytes(), cudaMemcpyDeviceToHost, stream), "a copy");
    if (waits) stream.finish();
    stint_host_touches("a task", pinned, a.bytes(), 0);
    stream.finish();
    succeed(cudaFreeHost(pinned), "cudaFreeHost");
  });
  CHECK(end.exit == (waits ? 0 : 97));
}

TEST_CASE("time passes between two events as it does in the stream", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end = run_in_child({{"MODE", mode}, {"OPERATION_MICROSECONDS", "5000"}}, [] {
    const TestStream stream;
    const DeviceFloats a(Floats{1, 2}), b(2);
    cudaEvent_t begin = nullptr, middle = nullptr;
    succeed(cudaEventCreateWithFlags(&begin, cudaEventDefault), "cudaEventCreateWithFlags");
    succeed(cudaEventCreateWithFlags(&middle, cudaEventDefault), "cudaEventCreateWithFlags");
    succeed(cudaEventRecord(begin, stream), "cudaEventRecord");
    succeed(launch_doubling(a, b, 2, stream), "a launch");
    succeed(cudaEventRecord(middle, stream), "cudaEventRecord");
    stream.finish();
    float milliseconds = 0;
    succeed(cudaEventElapsedTime(&milliseconds, begin, middle), "cudaEventElapsedTime");
    expect(milliseconds >= 4.99F, "it takes 5 ms");
    succeed(cudaEventDestroy(begin), "cudaEventDestroy");
    succeed(cudaEventDestroy(middle), "cudaEventDestroy");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a clock that a test sets goes by operations, their bytes, and copies each way",
          "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  // 3 µs an operation, 1 GB/s, 1 GFLOP/s; 7 µs a copy, 2 GB/s in, 4 GB/s out.
  const ChildEnd end =
      run_in_child({{"MODE", mode}, {"CLOCK", "3000,1000,1000,7000,2000,4000"}}, [] {
        const TestStream stream, other;
        const DeviceFloats a(1000), b(1000);
        Floats on_host(1000);
        cudaEvent_t events[4] = {};
        for (cudaEvent_t& event : events)
          succeed(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
        succeed(cudaEventRecord(events[0], stream), "cudaEventRecord");
        a.put(on_host, stream);
        succeed(cudaEventRecord(events[1], stream), "cudaEventRecord");
        succeed(launch_doubling(a, b, 1000, stream), "a launch");
        succeed(cudaEventRecord(events[2], stream), "cudaEventRecord");
        succeed(cudaStreamWaitEvent(other, events[2], 0), "cudaStreamWaitEvent");
        on_host = b.get(other);
        succeed(cudaEventRecord(events[3], other), "cudaEventRecord");
        other.finish();
        const float expected[3] = {7e-3F + 2e-3F, 3e-3F + 8e-3F, 7e-3F + 1e-3F};
        for (int i = 0; i < 3; ++i) {
          float milliseconds = 0;
          succeed(cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]),
                  "cudaEventElapsedTime");
          expect(std::abs(milliseconds - expected[i]) < 1e-5F,
                 std::to_string(milliseconds) + " ms; expected " + std::to_string(expected[i]));
        }
        for (cudaEvent_t event : events) succeed(cudaEventDestroy(event), "cudaEventDestroy");
      });
  INFO(end.err);
  CHECK(end.exit == 0);
}

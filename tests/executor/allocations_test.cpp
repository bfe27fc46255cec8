// Inside a step nothing is allocated. Every allocation of this program goes through here.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "executor/cpu/cpu_backend.hpp"
#include "executor/cpu/network_values.hpp"
#include "executor/data/generated_samples.hpp"
#include "executor/replay.hpp"
#include "executor/step_data.hpp"
#include "executor/synthetic.hpp"
#include "executor/synthetic_data.hpp"
#include "schedules/simulate.hpp"
#include "tests/executor/cpu/trainings.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
std::atomic<std::size_t> largest{0};  // of those

void* allocate(std::size_t bytes) {
  if (counting) {
    ++allocations;
    if (bytes > largest) largest = bytes;
  }
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace stint;

namespace {

// Runs five steps; what is allocated in the first, when threads may still be starting, is not
// counted.
void count_allocations(const Schedule& schedule, Arenas& arenas, Backend& backend,
                       const TensorValues& values) {
  const Program program = compile(schedule, simulate(schedule).seconds, backend);
  StepData data(schedule, arenas, values);
  data.reset(0);
  const Stop never{false};
  Replay replay(
      program, std::vector<double>(program.lanes.size(), 0), [](WorkerId) {}, never);
  allocations = 0;
  largest = 0;
  for (std::int64_t step = 0; step < 5; ++step) {
    data.bring_inputs(step);
    counting = step > 0;
    const StepEnd end = replay.run_step(step);
    counting = false;
    CHECK(end == StepEnd::done);
  }
}

}  // namespace

TEST_CASE("a step allocates nothing", "[allocations]") {
  for (const Schedule& schedule : {chain_kept_whole(), chain_offloaded(), training_step()}) {
    Arenas arenas(schedule, {});
    const SyntheticValues values(schedule.graph, 0);
    SyntheticBackend backend(schedule, arenas, values, Pace::none);
    count_allocations(schedule, arenas, backend, values);
    CHECK(allocations == 0);
  }
}

#if defined(STINT_TEST_ONEDNN)
TEST_CASE("in a step of training libraries allocate little things only", "[allocations]") {
  const Network network = GENERATE(bundled_network("lenet5"), small_transformer());
  CAPTURE(network.name);
  const Schedule schedule = planned(network, {.request = {.batch = 8, .leaves = 2}}).value();
  const LoweredNetwork lowered = lower_with_kernels(network, schedule.lowering);
  const GeneratedSamples samples(sample_inputs(network), 0);
  const NetworkValues values(network, lowered, schedule.lowering, samples, 0);
  Arenas arenas(schedule, {});
  CpuBackend backend(schedule, lowered, arenas, values, 0);
  count_allocations(schedule, arenas, backend, values);
  CHECK(largest <= 4096);
}
#endif

TEST_CASE("an allocation would be counted", "[allocations]") {
  allocations = 0;
  counting = true;
  delete new int(1);
  counting = false;
  CHECK(allocations == 1);
}

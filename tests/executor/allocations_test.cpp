// Inside a step nothing is allocated, and from step to step memory does not grow. Every allocation
// of this program goes through here.
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>

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

void count(std::size_t bytes) {
  if (!counting) return;
  ++allocations;
  if (bytes > largest) largest = bytes;
}

}  // namespace

// The C library's own names of what is replaced here.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  count(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  count(bytes);
  return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

using namespace stint;

namespace {

// Pages of this process that are in memory.
std::int64_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident;
}

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
  std::int64_t resident = 0;
  for (std::int64_t step = 0; step < 5; ++step) {
    data.bring_inputs(step);
    if (step == 2) resident = resident_pages();
    counting = step > 0;
    const StepEnd end = replay.run_step(step);
    counting = false;
    CHECK(end == StepEnd::done);
  }
  constexpr std::int64_t a_few_pages = 64;
  CHECK(resident_pages() <= resident + a_few_pages);
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
  const Network network =
      GENERATE(bundled_network("lenet5"), small_transformer(), bundled_network("gpt_tiny"),
               thin_network("resnet18", 64), thin_network("unet", 32));
  CAPTURE(network.name);
  const Schedule schedule =
      planned(network, {.request = {.batch = 8, .leaves = 2, .strategy = "keep-all"}}).value();
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
  void* volatile memory = std::malloc(1);
  std::free(memory);
  counting = false;
  CHECK(allocations == 1);
}

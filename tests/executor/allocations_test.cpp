// Inside a step nothing is allocated. Every allocation of this program goes through here.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "executor/replay.hpp"
#include "executor/step_data.hpp"
#include "executor/synthetic.hpp"
#include "executor/synthetic_data.hpp"
#include "schedules/simulate.hpp"
#include "tests/support/small_schedules.hpp"
#include "tests/support/training_step.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void* allocate(std::size_t bytes) {
  if (counting) ++allocations;
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

TEST_CASE("a step allocates nothing", "[allocations]") {
  for (const Schedule& schedule : {chain_kept_whole(), chain_offloaded(), training_step()}) {
    Arenas arenas(schedule, {});
    const SyntheticValues values(schedule.graph, 0);
    SyntheticBackend backend(schedule, arenas, values, Pace::none);
    const Program program = compile(schedule, simulate(schedule).seconds, backend);
    StepData data(schedule, arenas, values);
    data.reset(0);
    const Stop never{false};
    Replay replay(
        program, std::vector<double>(program.lanes.size(), 0), [](WorkerId) {}, never);
    for (std::int64_t step = 0; step < 5; ++step) {
      data.bring_inputs(step);
      allocations = 0;
      counting = true;
      const StepEnd end = replay.run_step(step);
      counting = false;
      CHECK(end == StepEnd::done);
      if (step > 0) CHECK(allocations == 0);  // threads may still be starting in the first
    }
  }
}

TEST_CASE("an allocation would be counted", "[allocations]") {
  allocations = 0;
  counting = true;
  delete new int(1);
  counting = false;
  CHECK(allocations == 1);
}

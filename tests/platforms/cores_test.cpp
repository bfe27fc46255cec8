#include <sched.h>

#include <catch2/catch.hpp>
#include <thread>

#include "platforms/cores.hpp"
#include "platforms/here.hpp"

using namespace stint;

namespace {

// Hardware threads on which the calling thread may run.
int allowed_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

}  // namespace

TEST_CASE("there are as many cores as the discovered platform has workers", "[cores]") {
  int workers = 0;
  for (const Device& device : discover_platform().devices) workers += device.workers;
  CHECK(Cores::here().count() == workers);
}

TEST_CASE("a thread stays on the core that it is pinned to until it is let go", "[cores]") {
  const Cores& cores = Cores::here();
  const int before = allowed_here();
  std::thread([&] {
    for (int core = 0; core < cores.count() + 1; ++core) {  // one more begins from the start again
      if (!cores.pin_this_thread(core)) return;             // the system refuses
      CHECK(allowed_here() <= (before + cores.count() - 1) / cores.count());
    }
    CHECK(cores.pin_this_thread_to_all());
    CHECK(allowed_here() == before);
  }).join();
  CHECK(allowed_here() == before);
}

TEST_CASE("some memory is available", "[cores]") { CHECK(available_memory_bytes() > 0); }

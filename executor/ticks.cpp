#include "executor/ticks.hpp"

#include <thread>

namespace stint {

#if defined(__x86_64__)
namespace {

struct Begin {
  std::int64_t nanoseconds = steady_nanoseconds();
  Ticks ticks = ticks_now();
  Begin() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
};

}  // namespace

double seconds_per_tick() {
  static const Begin begin;
  const auto nanoseconds = static_cast<double>(steady_nanoseconds() - begin.nanoseconds);
  return nanoseconds * 1e-9 / static_cast<double>(ticks_now() - begin.ticks);
}
#else
double seconds_per_tick() { return 1e-9; }
#endif

}  // namespace stint

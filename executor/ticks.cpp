#include "executor/ticks.hpp"

#include <thread>

namespace stint {

TickRate::TickRate() : begin_nanoseconds_(steady_nanoseconds()), begin_ticks_(ticks_now()) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

double TickRate::seconds_per_tick() const {
#if defined(__x86_64__)
  const auto nanoseconds = static_cast<double>(steady_nanoseconds() - begin_nanoseconds_);
  return nanoseconds * 1e-9 / static_cast<double>(ticks_now() - begin_ticks_);
#else
  return 1e-9;
#endif
}

}  // namespace stint

// Time as the executor reads it: the processor's time-stamp counter where there is one that runs at
// a constant rate on all cores, else the monotonic clock. A reading costs a few nanoseconds, so
// every action of a step can be timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace stint {

using Ticks = std::uint64_t;

inline std::int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// On the same clock, so many seconds from now; beyond thirty years is far enough.
inline std::int64_t nanoseconds_in(double seconds) {
  return steady_nanoseconds() + static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e9);
}

// After everything that was waited for: an earlier load cannot slip behind the reading.
inline Ticks ticks_after_wait() {
#if defined(__x86_64__)
  _mm_lfence();
  return __rdtsc();
#else
  return static_cast<Ticks>(steady_nanoseconds());
#endif
}

inline Ticks ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<Ticks>(steady_nanoseconds());
#endif
}

// How long a tick is, learnt from the monotonic clock since the first call, which takes a few
// milliseconds; good to 1e-5 at first, and better the longer ago that was.
double seconds_per_tick();

}  // namespace stint

// For how long the calling thread has been on a core: a clock that stands still while other
// programs have it. A reading is a call of the kernel, some tenths of a microsecond.
#pragma once

#include <ctime>

namespace stint {

inline double seconds_on_core() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stint

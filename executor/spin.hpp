// Work that lasts until a given time and does nothing else: a loop whose speed is measured once, so
// that it can be cut to end within some ten nanoseconds of the time, looking at the clock rarely.
//
// It ends by the clock, not by its turns: a thread that lost its core for a while does not fall
// behind the plan, so that what a replay measures is the plan and not the machine's other work.
#pragma once

#include <cstdint>

namespace stint {

class Spin {
 public:
  // Measures the loop on the calling thread; takes some 10 ms.
  static Spin calibrated();

  // Burns a core until the monotonic clock shows that time.
  void burn_until(std::int64_t steady_nanoseconds) const;

 private:
  explicit Spin(double turns_per_nanosecond) : turns_per_nanosecond_(turns_per_nanosecond) {}

  double turns_per_nanosecond_;
};

}  // namespace stint

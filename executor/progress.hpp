// How far a worker has come, told to the others: a counter that only its worker raises and anyone
// may wait for. A cache line of its own, so that waiting for one worker does not slow another.
//
// Waiting spins for a bounded time and then sleeps in the kernel (futex), so that on a loaded
// machine a waiting worker leaves its core to the one that it waits for. Raising the counter costs
// a plain store and a look at whether someone sleeps: the fence between the two, without which a
// sleeper could be missed, is made by whoever goes to sleep, for all threads (membarrier). Where
// the system has no such call, every raise pays for a fence.
#pragma once

#include <atomic>
#include <cstdint>

#include "executor/ticks.hpp"

namespace stint {

// Ends all waiting, when a worker has failed or the user has had enough. Whoever sets it wakes
// nobody: sleepers look at it every 20 ms.
using Stop = std::atomic<bool>;
inline const Stop nobody_stops{false};

struct alignas(64) Progress {
  std::atomic<std::uint32_t> done{0};
  std::atomic<std::uint32_t> sleepers{0};

  bool reached(std::uint32_t count) const { return done.load(std::memory_order_acquire) >= count; }

  // Only by the owner. The store and the look at sleepers must not change places: a sleeper that
  // has announced itself either sees the new count or is woken.
  void publish(std::uint32_t count) {
    if (sleepers_fence) {
      done.store(count, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      done.exchange(count, std::memory_order_seq_cst);
    }
    if (sleepers.load(std::memory_order_relaxed) != 0) wake();
  }

  // Returns false if one of the two stops is set. `spin_ticks` is how long to spin before sleeping.
  bool wait(std::uint32_t count, Ticks spin_ticks, const Stop& stop, const Stop& interrupted);

  void wake();

 private:
  static const bool sleepers_fence;  // rather than whoever publishes
};

}  // namespace stint

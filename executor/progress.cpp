#include "executor/progress.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <ctime>

namespace stint {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, const timespec* timeout) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, timeout,
          nullptr, 0);
}

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Announces a sleeper for as long as it lives.
class Sleeper {
 public:
  explicit Sleeper(Progress& progress) : progress_(progress) {
    progress_.sleepers.fetch_add(1, std::memory_order_seq_cst);
  }
  ~Sleeper() { progress_.sleepers.fetch_sub(1, std::memory_order_relaxed); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

 private:
  Progress& progress_;
};

}  // namespace

bool Progress::wait(std::uint32_t count, Ticks spin_ticks, const Stop& stop) {
  if (reached(count)) return true;
  const Ticks begin = ticks_now();
  while (!reached(count) && ticks_now() - begin < spin_ticks) {
    if (stop.load(std::memory_order_relaxed)) return false;
    pause_briefly();
  }
  if (reached(count)) return true;
  const Sleeper sleeper(*this);
  for (;;) {
    const std::uint32_t seen = done.load(std::memory_order_seq_cst);
    if (seen >= count) return true;
    if (stop.load(std::memory_order_acquire)) return false;
    futex_wait(done, seen, nullptr);
  }
}

bool Progress::wait_for_seconds(std::uint32_t count, double seconds) {
  const Sleeper sleeper(*this);
  const std::uint32_t seen = done.load(std::memory_order_seq_cst);
  if (seen >= count) return true;
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(seconds);
  timeout.tv_nsec = std::lround((seconds - std::floor(seconds)) * 1e9);
  futex_wait(done, seen, &timeout);
  return reached(count);
}

void Progress::wake() {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&done), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

}  // namespace stint

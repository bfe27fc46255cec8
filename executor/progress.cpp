#include "executor/progress.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace stint {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// At most 20 ms: there may be other reasons to wake up.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec at_most{.tv_sec = 0, .tv_nsec = 20'000'000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, &at_most,
          nullptr, 0);
}

int membarrier(int command) { return static_cast<int>(syscall(SYS_membarrier, command, 0, 0)); }

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Announces a sleeper for as long as it lives. Once it is there, every other thread has passed a
// fence: it has told its count before, or will see the sleeper after.
class Sleeper {
 public:
  explicit Sleeper(Progress& progress) : progress_(progress) {
    progress_.sleepers.fetch_add(1, std::memory_order_seq_cst);
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
  ~Sleeper() { progress_.sleepers.fetch_sub(1, std::memory_order_relaxed); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

 private:
  Progress& progress_;
};

}  // namespace

const bool Progress::sleepers_fence = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;

bool Progress::wait(std::uint32_t count, Ticks spin_ticks, const Stop& stop,
                    const Stop& interrupted) {
  if (reached(count)) return true;
  const Ticks begin = ticks_now();
  while (!reached(count) && ticks_now() - begin < spin_ticks) {
    if (stop.load(std::memory_order_relaxed) || interrupted.load(std::memory_order_relaxed)) {
      return false;
    }
    pause_briefly();
  }
  if (reached(count)) return true;
  const Sleeper sleeper(*this);
  for (;;) {
    const std::uint32_t seen = done.load(std::memory_order_seq_cst);
    if (seen >= count) return true;
    if (stop || interrupted) return false;
    sleep_while(done, seen);
  }
}

void Progress::wake() {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&done), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

}  // namespace stint

#include "tests/support/work_counter.hpp"

#include <cerrno>
#include <cmath>
#include <ctime>

namespace stint {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The clock of the process counts threads that run elsewhere up to their last tick, some
// milliseconds ago; looking at a thread's own clock brings it up to date.
void refresh_clocks() {
  for (const std::string& thread : SystemFiles::real().names("/proc/self/task")) {
    const auto number = whole_number(thread);
    if (!number) continue;
    constexpr int of_a_thread = 6;  // MAKE_THREAD_CPUCLOCK of the kernel
    seconds_of((~static_cast<clockid_t>(*number) * 8) | of_a_thread);
  }
}

const std::string zone = std::string(WorkCounter::root) + "/intel-rapl:0";

}  // namespace

std::vector<std::string> WorkCounter::names(const std::string& folder) const {
  if (folder == root) return {"intel-rapl:0"};
  if (folder == zone) return {"energy_uj", "max_energy_range_uj", "name"};
  return {};
}

std::string WorkCounter::read(const std::string& path) const {
  if (path == zone + "/name") return "package-0";
  if (path == zone + "/max_energy_range_uj") return "1000000000000000";
  if (path != zone + "/energy_uj") throw SystemFileError(path, ENOENT);
  const std::scoped_lock alone(reading_);
  const double begin = seconds_of(CLOCK_MONOTONIC);
  const double own_begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  if (threads_ == Threads::several) refresh_clocks();
  const double core_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double own_seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - own_begin;
  readings_.push_back(
      {begin - spent_.wall_seconds, core_seconds - own_seconds - spent_.core_seconds});
  spent_.wall_seconds += seconds_of(CLOCK_MONOTONIC) - begin;
  spent_.core_seconds += own_seconds;
  return std::to_string(std::llround(1e6 * joules({}, readings_.back())));
}

double WorkCounter::joules(const CountedWork& begin, const CountedWork& end) const {
  return watts_.idle * (end.wall_seconds - begin.wall_seconds) +
         watts_.busy * (end.core_seconds - begin.core_seconds);
}

std::vector<CountedWork> WorkCounter::readings() const {
  const std::scoped_lock alone(reading_);
  return readings_;
}

}  // namespace stint

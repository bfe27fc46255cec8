#include "executor/calibrate/measure_hand_overs.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "executor/median.hpp"
#include "executor/progress.hpp"
#include "platforms/cores.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

constexpr int spinning_rounds = 100;
constexpr int sleeping_rounds = 40;
constexpr int stream_rounds = 40;
constexpr std::size_t stream_bytes = 128 << 10;
constexpr std::size_t line_words = 16;  // of a cache line
constexpr std::size_t row_words = 256;
constexpr double spinning_seconds = 2e-6;  // of work before a hand-over, as between small tasks
constexpr double sleeping_seconds = 3e-4;  // until the other surely sleeps
constexpr double patience_seconds = 2e-4;  // then the core is left to others

Ticks ticks_in(double seconds) { return static_cast<Ticks>(seconds / seconds_per_tick()); }

void burn(double seconds) {
  const Ticks end = ticks_now() + ticks_in(seconds);
  while (ticks_now() < end) continue;
}

// Does `work` on another core, once for every call.
class OtherCore {
 public:
  OtherCore(int core, Ticks spin_ticks, std::function<void()> work)
      : thread_([this, core, spin_ticks, work = std::move(work)] {
          Cores::here().pin_this_thread(core);
          for (std::uint32_t i = 1;; ++i) {
            called_.wait(i, spin_ticks, nobody_stops, nobody_stops);
            seen_ = ticks_after_wait();
            if (quit_) return;
            work();
            answered_.publish(i);
          }
        }) {}
  ~OtherCore() {
    quit_ = true;
    called_.publish(++calls_);
    thread_.join();
  }
  OtherCore(const OtherCore&) = delete;
  OtherCore& operator=(const OtherCore&) = delete;

  // Returns when the work is done, and how long the call took to arrive.
  double call() {
    const Ticks begin = ticks_now();
    called_.publish(++calls_);
    answered_.wait(calls_, ticks_in(patience_seconds), nobody_stops, nobody_stops);
    return static_cast<double>(std::max(seen_, begin) - begin) * seconds_per_tick();
  }

 private:
  Progress called_;
  Progress answered_;
  std::uint32_t calls_ = 0;
  Ticks seen_ = 0;
  Stop quit_{false};
  std::thread thread_;
};

double call_seconds(int to_core, int rounds, double before_seconds, Ticks spin_ticks) {
  OtherCore other(to_core, spin_ticks, [] {});
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    burn(before_seconds);
    seconds.push_back(other.call());
  }
  return median(std::move(seconds));
}

using Stream = std::vector<std::uint32_t>;

void write(Stream& stream) {
  for (std::uint32_t& word : stream) word = 1;
}

// Column after column of a matrix of such rows, as products of matrices read their factors: what
// comes next can be guessed less well than of a stream.
std::uint32_t read(const Stream& stream) {
  std::uint32_t bits = 0;
  for (std::size_t column = 0; column < row_words; column += line_words) {
    for (std::size_t row = 0; row < stream.size(); row += row_words) {
      for (std::size_t i = 0; i < line_words; ++i) bits ^= stream[row + column + i];
    }
  }
  return bits;
}

template <typename Work>
double seconds_of(const Work& work) {
  const Ticks begin = ticks_after_wait();
  work();
  return static_cast<double>(ticks_after_wait() - begin) * seconds_per_tick();
}

// How much longer `work` takes by byte after the other core has done its own on the same stream.
template <typename Work>
double seconds_by_byte(OtherCore& other, std::size_t bytes, const Work& work) {
  std::vector<double> more;
  for (int i = 0; i < stream_rounds; ++i) {
    other.call();
    const double after_the_other = seconds_of(work);
    more.push_back(after_the_other - seconds_of(work));
  }
  return std::max(0.0, median(std::move(more)) / static_cast<double>(bytes));
}

void measure_streams(int to_core, HandOverSeconds& found) {
  Stream stream(stream_bytes / sizeof(std::uint32_t), 0);
  std::atomic<std::uint32_t> bits{0};  // what was read is of use to somebody
  {
    OtherCore writing(to_core, ticks_in(patience_seconds), [&] { write(stream); });
    found.read = seconds_by_byte(writing, stream_bytes, [&] { bits = read(stream); });
  }
  OtherCore reading(to_core, ticks_in(patience_seconds), [&] { bits = read(stream); });
  found.write = seconds_by_byte(reading, stream_bytes, [&] { write(stream); });
}

Quantity measured(double seconds) { return {seconds, Basis::measured, ""}; }

}  // namespace

HandOverSeconds measure_hand_overs(int from_core, int to_core) {
  Cores::here().pin_this_thread(from_core);
  HandOverSeconds found{
      .spin = call_seconds(to_core, spinning_rounds, spinning_seconds, ticks_in(patience_seconds)),
      .sleep = call_seconds(to_core, sleeping_rounds, sleeping_seconds, 0)};
  measure_streams(to_core, found);
  return found;
}

void measure_hand_overs(int first_core, Device& device) {
  if (device.workers < 2) return;
  const HandOverSeconds found = measure_hand_overs(first_core, first_core + 1);
  device.time_model[hand_over_prices].terms = {{spin_term, measured(found.spin)},
                                               {sleep_term, measured(found.sleep)},
                                               {read_term, measured(found.read)},
                                               {write_term, measured(found.write)}};
}

}  // namespace stint

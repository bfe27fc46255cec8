#include "executor/moves.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "executor/ticks.hpp"

namespace stint {
namespace {

// Sleeps nearly until then, and looks at the clock for the rest: sleeping alone ends late.
void wait_until(std::int64_t nanoseconds) {
  constexpr std::int64_t late = 80'000;
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t wake = nanoseconds - late;
  const timespec when{.tv_sec = wake / second, .tv_nsec = wake % second};
  if (wake > steady_nanoseconds()) {
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
    }
  }
  while (steady_nanoseconds() < nanoseconds) {
  }
}

class CopyJob : public Job {
 public:
  CopyJob(const Place& from, const Place& to, const Arenas& arenas, double seconds)
      : from_(from), to_(to), arenas_(arenas), seconds_(seconds) {}

  void run(std::int64_t step) override {
    const std::int64_t end = seconds_ > 0 ? nanoseconds_in(seconds_) : 0;
    if (from_.bytes > 0) {
      std::memcpy(arenas_.bytes(to_, step).data(), arenas_.bytes(from_, step).data(),
                  static_cast<std::size_t>(from_.bytes));
    }
    if (seconds_ > 0) wait_until(end);
  }

 private:
  Place from_;
  Place to_;
  const Arenas& arenas_;
  double seconds_;
};

// A copy with storage at one end, or both.
class StorageCopyJob : public Job {
 public:
  StorageCopyJob(const Place& from, const Place& to, Arenas& arenas,
                 const StorageFile::Bounce& bounce)
      : from_(from), to_(to), arenas_(arenas), bounce_(bounce) {
    const bool both = arenas.is_storage(from.memory) && arenas.is_storage(to.memory);
    if (both) between_.resize(static_cast<std::size_t>(from.bytes));
  }

  void run(std::int64_t step) override {
    if (from_.bytes == 0) return;
    if (!between_.empty()) {
      arenas_.fetch(from_, step, between_, bounce_);
      arenas_.store(to_, step, between_, bounce_);
    } else if (arenas_.is_storage(from_.memory)) {
      arenas_.fetch(from_, step, arenas_.bytes(to_, step), bounce_);
    } else {
      arenas_.store(to_, step, arenas_.bytes(from_, step), bounce_);
    }
  }

 private:
  Place from_;
  Place to_;
  Arenas& arenas_;
  const StorageFile::Bounce& bounce_;
  std::vector<std::byte> between_;
};

class LoadJob : public Job {
 public:
  LoadJob(std::vector<Place> writes, std::vector<TensorId> inputs, const TensorValues& values,
          int for_step, Arenas& arenas, const StorageFile::Bounce& bounce, double seconds)
      : writes_(std::move(writes)),
        inputs_(std::move(inputs)),
        values_(values),
        for_step_(for_step),
        arenas_(arenas),
        bounce_(bounce),
        seconds_(seconds) {
    std::int64_t largest = 0;
    for (const Place& place : writes_) {
      if (arenas.is_storage(place.memory)) largest = std::max(largest, place.bytes);
    }
    between_.resize(static_cast<std::size_t>(largest));
  }

  void run(std::int64_t step) override {
    const std::int64_t end = seconds_ > 0 ? nanoseconds_in(seconds_) : 0;
    for (std::size_t i = 0; i < writes_.size(); ++i) load(i, step);
    if (seconds_ > 0) wait_until(end);
  }

 private:
  void load(std::size_t i, std::int64_t step) {
    const Place& place = writes_[i];
    if (place.bytes == 0) return;
    if (!arenas_.is_storage(place.memory)) {
      return values_.fill_input(inputs_[i], step + for_step_, arenas_.bytes(place, step));
    }
    const auto bytes = std::span(between_).first(static_cast<std::size_t>(place.bytes));
    values_.fill_input(inputs_[i], step + for_step_, bytes);
    arenas_.store(place, step, bytes, bounce_);
  }

  std::vector<Place> writes_;
  std::vector<TensorId> inputs_;
  const TensorValues& values_;
  int for_step_;
  Arenas& arenas_;
  const StorageFile::Bounce& bounce_;
  double seconds_;
  std::vector<std::byte> between_;
};

}  // namespace

std::unique_ptr<Job> Moves::copy(const Action& action, const Operands& operands, double seconds) {
  const Place& from = operands.reads[0];
  const Place& to = operands.writes[0];
  if (arenas_.is_storage(from.memory) || arenas_.is_storage(to.memory)) {
    return std::make_unique<StorageCopyJob>(from, to, arenas_, bounces_[action.worker]);
  }
  return std::make_unique<CopyJob>(from, to, arenas_, seconds);
}

std::unique_ptr<Job> Moves::load(const Action& action, const Operands& operands, double seconds) {
  std::vector<TensorId> inputs;
  for (const Place& place : operands.writes)
    inputs.push_back(schedule_.buffers[place.buffer].tensor);
  return std::make_unique<LoadJob>(operands.writes, std::move(inputs), values_, action.for_step,
                                   arenas_, bounces_[action.worker], seconds);
}

}  // namespace stint

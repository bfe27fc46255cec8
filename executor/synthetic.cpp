#include "executor/synthetic.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "executor/byte_streams.hpp"
#include "executor/synthetic_data.hpp"
#include "executor/ticks.hpp"

namespace stint {
namespace {

std::int64_t later(double seconds) {
  return steady_nanoseconds() + static_cast<std::int64_t>(std::min(seconds, 1e9) * 1e9);
}

class ComputeJob : public Job {
 public:
  ComputeJob(const Task& task, Operands operands, const Arenas& arenas, const Spin* spin,
             double seconds)
      : key_(task_key(task)),
        operands_(std::move(operands)),
        arenas_(arenas),
        spin_(spin),
        seconds_(seconds) {
    operands_.workspace.bytes = task.workspace_bytes;
  }

  const std::uint64_t& digest_of_inputs() const { return digest_of_inputs_; }

  void run(std::int64_t step) override {
    if (seconds_ == 0) return touch_bytes(step);
    const std::int64_t end = later(seconds_);
    touch_bytes(step);
    spin_->burn_until(end);
  }

 private:
  void touch_bytes(std::int64_t step) {
    const Place& scratch = operands_.workspace;
    if (scratch.bytes > 0) write_stream(workspace_key(key_), 0, arenas_.bytes(scratch, step));
    std::uint64_t sum = key_;
    for (const Place& place : operands_.reads) sum = digest(sum, arenas_.bytes(place, step));
    for (const Place& place : operands_.updates_from) sum = digest(sum, arenas_.bytes(place, step));
    if (scratch.bytes > 0) sum = digest(sum, arenas_.bytes(scratch, step));
    digest_of_inputs_ = sum;
    for (std::size_t i = 0; i < operands_.writes.size(); ++i) {
      const Place& place = operands_.writes[i];
      if (place.bytes > 0) write_stream(output_key(sum, i), 0, arenas_.bytes(place, step));
    }
    for (std::size_t i = 0; i < operands_.updates_to.size(); ++i) {
      write_stream(update_key(sum, i), 0, arenas_.bytes(operands_.updates_to[i], step));
    }
  }

  std::uint64_t key_;
  Operands operands_;
  const Arenas& arenas_;
  const Spin* spin_;
  double seconds_;
  std::uint64_t digest_of_inputs_ = 0;
};

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
    const std::int64_t end = seconds_ > 0 ? later(seconds_) : 0;
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
  LoadJob(std::vector<Place> writes, std::vector<TensorStream> inputs, int for_step, Arenas& arenas,
          const StorageFile::Bounce& bounce, double seconds)
      : writes_(std::move(writes)),
        inputs_(std::move(inputs)),
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
    const std::int64_t end = seconds_ > 0 ? later(seconds_) : 0;
    for (std::size_t i = 0; i < writes_.size(); ++i) load(i, step);
    if (seconds_ > 0) wait_until(end);
  }

 private:
  void load(std::size_t i, std::int64_t step) {
    const Place& place = writes_[i];
    if (place.bytes == 0) return;
    if (!arenas_.is_storage(place.memory)) {
      return fill_input(inputs_[i], step + for_step_, arenas_.bytes(place, step));
    }
    const auto bytes = std::span(between_).first(static_cast<std::size_t>(place.bytes));
    fill_input(inputs_[i], step + for_step_, bytes);
    arenas_.store(place, step, bytes, bounce_);
  }

  std::vector<Place> writes_;
  std::vector<TensorStream> inputs_;
  int for_step_;
  Arenas& arenas_;
  const StorageFile::Bounce& bounce_;
  double seconds_;
  std::vector<std::byte> between_;
};

}  // namespace

SyntheticBackend::SyntheticBackend(const Schedule& schedule, Arenas& arenas, Pace pace,
                                   std::int64_t seed)
    : schedule_(schedule),
      arenas_(arenas),
      pace_(pace),
      seed_(seed),
      digests_(schedule.graph.tasks.size()) {
  if (pace == Pace::predicted) spin_ = Spin::calibrated();
}

std::unique_ptr<Job> SyntheticBackend::compute(const Action& action, const Operands& operands,
                                               double seconds) {
  auto job = std::make_unique<ComputeJob>(schedule_.graph.tasks[action.task], operands, arenas_,
                                          spin_ ? &*spin_ : nullptr, paced(seconds));
  digests_[action.task].push_back(&job->digest_of_inputs());
  return job;
}

std::unique_ptr<Job> SyntheticBackend::copy(const Action& action, const Operands& operands,
                                            double seconds) {
  const Place& from = operands.reads[0];
  const Place& to = operands.writes[0];
  if (arenas_.is_storage(from.memory) || arenas_.is_storage(to.memory)) {
    return std::make_unique<StorageCopyJob>(from, to, arenas_, bounces_[action.worker]);
  }
  return std::make_unique<CopyJob>(from, to, arenas_, paced(seconds));
}

std::unique_ptr<Job> SyntheticBackend::load(const Action& action, const Operands& operands,
                                            double seconds) {
  std::vector<TensorStream> inputs;
  for (const Place& place : operands.writes) {
    const TensorId tensor = schedule_.buffers[place.buffer].tensor;
    inputs.push_back(input_of_all_steps(schedule_.graph, tensor, seed_));
  }
  return std::make_unique<LoadJob>(operands.writes, std::move(inputs), action.for_step, arenas_,
                                   bounces_[action.worker], paced(seconds));
}

std::uint64_t SyntheticBackend::step_digest() const {
  std::uint64_t all = 0;
  for (const auto& executions : digests_) {
    std::uint64_t task = executions.empty() ? 0 : *executions.front();
    for (const std::uint64_t* again : executions) {
      if (*again != task) task = mix(task ^ *again);
    }
    all = mix(all ^ task);
  }
  return all;
}

}  // namespace stint

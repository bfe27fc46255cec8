// Replays a compiled schedule: one thread for every worker and link that does something, kept for
// all steps; the first is the caller's own. Inside a step there is no allocation, no lock and no
// decision; a thread waits where its list says, runs, and tells how far it has come.
//
// Steps are separated by a barrier. All threads begin a step together, so that its time is that of
// the plan and not of waking threads. Between steps a thread spins or sleeps as the plan says of
// the gap (wait_between_steps).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "executor/program.hpp"
#include "executor/progress.hpp"
#include "executor/witness.hpp"

namespace stint {

// When an action began and ended.
struct ActionTimes {
  Ticks begin = 0;
  Ticks end = 0;
};

struct StepTimes {
  Ticks begin = 0;
  std::vector<ActionTimes> actions;    // by action
  std::vector<DeviceSpan> on_devices;  // by action; empty: there are no such devices
};

struct Failure {
  ActionId action{0};
  std::string what;
};

// Called by the last thread to come to the start of a step, and by the last to leave it: what they
// look at is neither waking up nor going to sleep. They must not throw.
struct AroundStep {
  std::function<void()> begin;
  std::function<void()> end;
};

// How a step ended.
enum class StepEnd { done, failed, interrupted };

class Replay {
 public:
  // `spin_seconds` is how long each lane spins before it sleeps; `prepare_thread` is called once in
  // every thread, with its worker, for pinning. `interrupted` ends every thread after the action in
  // hand. `witness` is told of all waits; null: nobody is. All but the spin times must outlive the
  // replay, which stays on one thread. Throws InputError if the system does not start as many
  // threads.
  Replay(const Program& program, const std::vector<double>& spin_seconds,
         const std::function<void(WorkerId)>& prepare_thread, const Stop& interrupted,
         Witness* witness = nullptr);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Runs one step and returns when all threads are done. After anything but `done` no further step
  // can be run. `around` may be null.
  StepEnd run_step(std::int64_t step, const AroundStep* around = nullptr);

  StepTimes times() const;                                            // of the last step
  const std::optional<Failure>& failure() const { return failure_; }  // the first one

 private:
  void end_threads();
  void serve(int lane, const std::function<void(WorkerId)>& prepare_thread);
  void perform_round(int lane, std::uint32_t round);
  bool wait_for_start(int lane, std::uint32_t round);
  void perform(int lane, std::int64_t step);
  bool knows(int lane, const Entry& entry) const;
  bool wait(int lane, const Entry& entry);
  bool is_stopped() const {
    return stop_.load(std::memory_order_relaxed) || interrupted_.load(std::memory_order_relaxed);
  }
  void fail(ActionId action, const std::string& what);
  void tell(const Progress& progress, std::uint32_t count) const {
    if (witness_ != nullptr) witness_->tell(&progress, count);
  }
  void hear(const Progress& progress, std::uint32_t count) const {
    if (witness_ != nullptr) witness_->hear(&progress, count);
  }
  void hear_of_waits(int lane, const Entry& entry) const;

  Ticks ticks_between_steps(int lane) const {
    return program_.lanes[lane].sleeps_between_steps ? 0 : spin_ticks_[lane];
  }

  const Program& program_;
  std::vector<Ticks> spin_ticks_;             // by lane
  std::vector<Progress> progress_;            // by lane: entries done in this step
  Progress called_;                           // rounds that threads were called to
  Progress started_;                          // rounds that all threads have come to
  Progress finished_;                         // rounds that all threads have finished
  alignas(64) std::atomic<int> arrived_{0};   // threads at the start of this round
  alignas(64) std::atomic<int> returned_{0};  // threads at the end of this round
  std::int64_t step_ = 0;
  const AroundStep* around_ = nullptr;
  std::uint32_t round_ = 0;
  const Stop& interrupted_;
  Witness* witness_;
  Stop stop_{false};  // someone has failed
  Stop quit_{false};
  std::mutex failing_;  // outside of steps that go well
  std::optional<Failure> failure_;
  Ticks begin_ = 0;
  std::vector<std::vector<std::uint32_t>> seen_;  // by lane: what it last saw of each other's count
  std::vector<std::vector<ActionTimes>> times_;   // by lane, then entry: threads share no line
  std::vector<std::thread> threads_;
};

}  // namespace stint

#include "executor/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "files/input_error.hpp"

namespace stint {
namespace {

constexpr std::size_t line_counts = 16;  // keeps the ends of two threads' lists on different lines
constexpr Ticks patience_with_counters = 40;  // times as long as others are awaited
constexpr std::size_t most_threads = 4096;    // more than any machine of ours has workers and links

void expect_startable(std::size_t lanes, std::size_t threads) {
  if (lanes <= threads) return;
  throw InputError("/actions",
                   fmt::format("{} workers and links have some; expected at most {}, one for every "
                               "thread that can be started",
                               lanes, threads));
}

}  // namespace

Replay::Replay(const Program& program, const std::vector<double>& spin_seconds,
               const std::function<void(WorkerId)>& prepare_thread, const Stop& interrupted,
               Witness* witness)
    : program_(program),
      progress_(program.lanes.size()),
      interrupted_(interrupted),
      witness_(witness) {
  for (const double seconds : spin_seconds) {
    spin_ticks_.push_back(static_cast<Ticks>(seconds / seconds_per_tick()));
  }
  for (const Lane& lane : program.lanes) {
    times_.emplace_back(lane.entries.size());
    seen_.emplace_back(program.lanes.size() + line_counts);
  }
  if (program.lanes.empty()) return;
  expect_startable(program.lanes.size(), most_threads);
  prepare_thread(program.lanes[0].worker);
  try {
    for (int lane = 1; lane < static_cast<int>(program.lanes.size()); ++lane) {
      threads_.emplace_back([this, lane, prepare_thread] { serve(lane, prepare_thread); });
    }
  } catch (const std::system_error&) {
    end_threads();
    expect_startable(program.lanes.size(), threads_.size() + 1);
  }
}

Replay::~Replay() { end_threads(); }

void Replay::end_threads() {
  quit_ = true;
  called_.publish(++round_);
  for (std::thread& thread : threads_) thread.join();
}

StepEnd Replay::run_step(std::int64_t step, const AroundStep* around) {
  if (interrupted_) return StepEnd::interrupted;
  step_ = step;
  around_ = around;
  for (Progress& progress : progress_) progress.done.store(0, std::memory_order_relaxed);
  arrived_ = 0;
  returned_ = 0;
  tell(called_, 0);
  called_.publish(++round_);
  if (program_.lanes.empty()) return StepEnd::done;
  perform_round(0, round_);
  finished_.wait(round_, ticks_between_steps(0), nobody_stops, nobody_stops);
  hear(finished_, 0);
  if (stop_) return StepEnd::failed;
  return interrupted_ ? StepEnd::interrupted : StepEnd::done;
}

StepTimes Replay::times() const {
  StepTimes result{.begin = begin_, .actions = std::vector<ActionTimes>(program_.jobs.size())};
  for (std::size_t lane = 0; lane < times_.size(); ++lane) {
    for (std::size_t i = 0; i < times_[lane].size(); ++i) {
      const Entry& entry = program_.lanes[lane].entries[i];
      if (entry.job != nullptr) result.actions[entry.action] = times_[lane][i];
    }
  }
  return result;
}

void Replay::serve(int lane, const std::function<void(WorkerId)>& prepare_thread) {
  prepare_thread(program_.lanes[lane].worker);
  for (std::uint32_t round = 1;; ++round) {
    called_.wait(round, ticks_between_steps(lane), nobody_stops, nobody_stops);
    if (quit_) return;
    hear(called_, 0);
    perform_round(lane, round);
  }
}

void Replay::perform_round(int lane, std::uint32_t round) {
  if (wait_for_start(lane, round)) perform(lane, step_);
  const auto all = static_cast<int>(program_.lanes.size());
  tell(finished_, 0);
  if (returned_.fetch_add(1) + 1 < all) return;
  if (around_ != nullptr) around_->end();
  finished_.publish(round);
}

// The last to arrive starts the clock for all. Nobody sleeps meanwhile if it can be helped: who is
// woken up begins late.
bool Replay::wait_for_start(int lane, std::uint32_t round) {
  if (arrived_.fetch_add(1) + 1 < static_cast<int>(program_.lanes.size())) {
    const Ticks patience = around_ != nullptr ? patience_with_counters : 1;
    return started_.wait(round, patience * spin_ticks_[lane], stop_, interrupted_);
  }
  if (around_ != nullptr) around_->begin();
  begin_ = ticks_now();
  started_.publish(round);
  return true;
}

void Replay::perform(int index, std::int64_t step) {
  const Lane& lane = program_.lanes[index];
  Progress& progress = progress_[index];
  std::fill(seen_[index].begin(), seen_[index].end(), 0);
  Ticks free_since = ticks_after_wait();
  for (std::uint32_t i = 0; i < lane.entries.size(); ++i) {
    const Entry& entry = lane.entries[i];
    Ticks begin = free_since;
    if (!knows(index, entry)) {
      if (!wait(index, entry)) return;
      begin = ticks_after_wait();
    }
    if (is_stopped()) return;
    if (witness_ != nullptr) hear_of_waits(index, entry);
    if (entry.job != nullptr) {
      try {
        entry.job->run(step);
      } catch (const std::exception& error) {
        return fail(entry.action, error.what());
      }
      free_since = ticks_now();
      times_[index][i] = {begin, free_since};
    } else {
      free_since = begin;
    }
    if (!entry.publishes) continue;
    tell(progress, i + 1);
    progress.publish(i + 1);
  }
}

// Whether all that the entry waits for has been seen already, without looking at other threads'
// memory again: that costs as much as many an action.
bool Replay::knows(int index, const Entry& entry) const {
  const Lane& lane = program_.lanes[index];
  for (std::uint32_t w = entry.first_wait; w < entry.last_wait; ++w) {
    if (seen_[index][lane.waits[w].lane] < lane.waits[w].count) return false;
  }
  return true;
}

bool Replay::wait(int index, const Entry& entry) {
  const Lane& lane = program_.lanes[index];
  for (std::uint32_t w = entry.first_wait; w < entry.last_wait; ++w) {
    const WaitFor& need = lane.waits[w];
    std::uint32_t& seen = seen_[index][need.lane];
    if (seen >= need.count) continue;
    Progress& other = progress_[need.lane];
    if (!other.wait(need.count, entry.sleeps ? 0 : spin_ticks_[index], stop_, interrupted_))
      return false;
    seen = other.done.load(std::memory_order_acquire);
  }
  return true;
}

// Of what the entry waits for, though more may have been seen.
void Replay::hear_of_waits(int index, const Entry& entry) const {
  const Lane& lane = program_.lanes[index];
  for (std::uint32_t w = entry.first_wait; w < entry.last_wait; ++w)
    hear(progress_[lane.waits[w].lane], lane.waits[w].count);
}

void Replay::fail(ActionId action, const std::string& what) {
  const std::scoped_lock first_one(failing_);
  if (!failure_) failure_ = Failure{action, what};
  stop_ = true;
}

}  // namespace stint

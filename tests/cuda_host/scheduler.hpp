// Runs what streams hold: queues of work, of marks that events leave, and of waits for such marks.
// When it runs is a matter of the mode (settings.hpp), within what streams and events allow; a
// program whose results differ between modes has forgotten to wait for something. Not thread-safe
// by itself: the caller holds the lock that it hands over, and work of a random order runs without
// it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/cuda_host/clock.hpp"
#include "tests/cuda_host/settings.hpp"

namespace cuda_host {

struct StreamQueue;

// A point in the work of a stream: done once everything before it is.
struct StreamMark {
  std::shared_ptr<StreamQueue> stream;
  VectorClock clock;  // what happened before
  bool done = false;
  std::chrono::steady_clock::time_point at;  // when it was done
  double seconds = 0;                        // when it was by the device's own clock
};

// One entry of a queue: exactly one of the three is set.
struct StreamEntry {
  std::function<void()> work;
  std::shared_ptr<StreamMark> leaves;
  std::shared_ptr<StreamMark> waits_for;
};

struct StreamQueue {
  std::string name;
  AgentId agent{};
  int device = 0;
  bool blocking = false;  // orders itself with the default stream
  VectorClock clock;      // of what has been enqueued
  double seconds = 0;     // when that ends by the device's own clock
  std::deque<StreamEntry> queue;
  bool running = false;  // its front is at work, in random order
};

class StreamScheduler {
 public:
  using Lock = std::unique_lock<std::mutex>;

  explicit StreamScheduler(std::mutex& mutex) : mutex_(mutex), order_(settings().seed) {}

  void enqueue(const std::shared_ptr<StreamQueue>& stream, StreamEntry entry);
  void finish(StreamMark& mark, Lock& lock);  // returns once it is done
  bool poll(StreamMark& mark);                // one step towards it
  void drop_everything();                     // the device is lost: nothing runs any more
  void stop(Lock& lock);                      // the thread, at the end

 private:
  void run_front(StreamQueue& stream);
  static bool may_run(const StreamQueue& stream);
  void run_needed(StreamMark& mark, int most_entries);
  std::shared_ptr<StreamQueue> next_runnable();
  void work_at_random();
  void pause(Lock& lock);

  std::mutex& mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<StreamQueue>> busy_;  // those that may have entries
  std::mt19937_64 order_;
  std::thread worker_;
  bool stopping_ = false;
};

}  // namespace cuda_host

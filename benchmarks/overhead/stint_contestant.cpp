#include "benchmarks/overhead/stint_contestant.hpp"

#include <immintrin.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <thread>

namespace stint {
namespace {

// On a cache line of its own, so that waiting for one task does not slow down another.
struct alignas(64) Flag {
  std::atomic<unsigned> step{0};
};

void wait_for(const std::atomic<unsigned>& flag, unsigned step) {
  for (int spins = 0; flag.load(std::memory_order_acquire) != step; ++spins)
    spins % 2000 == 1999 ? static_cast<void>(sched_yield()) : _mm_pause();
}

struct Turn {
  int task = 0;
  bool others_wait = false;    // for it
  std::vector<int> waits_for;  // of other workers; its own worker's order needs no waiting
};

class Replay {
 public:
  Replay(const TaskShape& shape, Work work)
      : work_(work), turns_(shape.workers), done_(shape.tasks.size()), ended_(shape.workers) {
    lay_out(shape);
    for (int worker = 1; worker < shape.workers; ++worker)
      threads_.emplace_back([this, worker](const std::stop_token& stop) { follow(worker, stop); });
  }
  ~Replay() {
    for (auto& thread : threads_) thread.request_stop();
    start(++step_);
  }

  void step() {
    start(++step_);
    run(0, step_);
    for (std::size_t worker = 1; worker < turns_.size(); ++worker)
      wait_for(ended_[worker].step, step_);
  }

 private:
  void lay_out(const TaskShape& shape) {
    std::vector<bool> others_wait(shape.tasks.size());
    for (const auto& task : shape.tasks)
      for (const int before : task.predecessors)
        if (shape.tasks[before].worker != task.worker) others_wait[before] = true;
    for (int task = 0; task < static_cast<int>(shape.tasks.size()); ++task) {
      const int worker = shape.tasks[task].worker;
      Turn turn{task, others_wait[task], {}};
      for (const int before : shape.tasks[task].predecessors)
        if (shape.tasks[before].worker != worker) turn.waits_for.push_back(before);
      turns_[worker].push_back(std::move(turn));
    }
  }

  void start(unsigned step) {
    started_.store(step, std::memory_order_release);
    started_.notify_all();
  }

  void run(int worker, unsigned step) {
    for (const Turn& turn : turns_[worker]) {
      for (const int before : turn.waits_for) wait_for(done_[before].step, step);
      work_(turn.task);
      if (turn.others_wait) done_[turn.task].step.store(step, std::memory_order_release);
    }
  }

  void follow(int worker, const std::stop_token& stop) {
    for (unsigned step = 1;; ++step) {
      started_.wait(step - 1, std::memory_order_acquire);
      if (stop.stop_requested()) return;
      run(worker, step);
      ended_[worker].step.store(step, std::memory_order_release);
    }
  }

  Work work_;
  std::vector<std::vector<Turn>> turns_;  // by worker, in its order
  std::vector<Flag> done_;                // by task: the last step in which it ended
  std::vector<Flag> ended_;               // by worker, likewise
  std::atomic<unsigned> started_{0};
  unsigned step_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace

Contestant stint_contestant() {
  return {"Stint", [](const TaskShape& shape, Work work) -> Step {
            const auto replay = std::make_shared<Replay>(shape, work);
            return [replay] { replay->step(); };
          }};
}

}  // namespace stint

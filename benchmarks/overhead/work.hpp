// What a task does when its turn comes: one indirect call, the same for every contestant.
#pragma once

#include <atomic>
#include <vector>

#include "benchmarks/overhead/task_shapes.hpp"

namespace stint {

struct Work {
  void (*body)(void* context, int task) = nullptr;
  void* context = nullptr;

  void operator()(int task) const { body(context, task); }
};

Work empty_work();

// Work that notes when each task began and ended, on a clock that ticks at every note. It shows
// whether a contestant really did what the shape asks; its own time is not measured.
class Stamps {
 public:
  explicit Stamps(int tasks) : notes_(tasks) {}

  Work work();

  // Throws std::logic_error unless each task ran once since the last check, after its predecessors
  // had ended.
  void check(const TaskShape& shape);

 private:
  struct Note {
    std::atomic<int> runs{0};
    int began = 0;
    int ended = 0;
  };

  std::atomic<int> clock_{0};
  std::vector<Note> notes_;
};

}  // namespace stint

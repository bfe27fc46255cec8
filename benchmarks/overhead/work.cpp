#include "benchmarks/overhead/work.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace stint {

Work empty_work() {
  return {[](void*, int) {}, nullptr};
}

Work Stamps::work() {
  return {[](void* context, int task) {
            auto& stamps = *static_cast<Stamps*>(context);
            Note& note = stamps.notes_[task];
            note.began = stamps.clock_++;
            ++note.runs;
            note.ended = stamps.clock_++;
          },
          this};
}

void Stamps::check(const TaskShape& shape) {
  for (int task = 0; task < static_cast<int>(shape.tasks.size()); ++task) {
    const int runs = notes_[task].runs.exchange(0);
    if (runs != 1)
      throw std::logic_error(fmt::format("task {} ran {} times, not once", task, runs));
    for (const int predecessor : shape.tasks[task].predecessors)
      if (notes_[task].began < notes_[predecessor].ended)
        throw std::logic_error(fmt::format("task {} overtook {}", task, predecessor));
  }
}

}  // namespace stint

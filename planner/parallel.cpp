#include "planner/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace stint {

void for_each_index(int count, int threads,
                    const std::function<void(int index, int thread)>& work) {
  std::vector<std::exception_ptr> faults(count);
  std::atomic<int> next{0};
  const auto run = [&](int thread) {
    for (int i = next++; i < count; i = next++) {
      try {
        work(i, thread);
      } catch (...) {
        faults[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < std::min(threads, count); ++t) others.emplace_back(run, t);
    run(0);
  }
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
}

}  // namespace stint

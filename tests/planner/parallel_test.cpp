#include "planner/parallel.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace stint;

TEST_CASE("every index is worked on once, whatever the number of threads", "[parallel]") {
  const int threads = GENERATE(1, 2, 7);
  std::vector<int> times(100, 0);
  for_each_index(100, threads, [&](int index, int thread) {
    if (thread >= 0 && thread < threads) ++times[index];
  });
  CHECK(times == std::vector<int>(100, 1));
}

TEST_CASE("the exception of the smallest index is thrown, after all are done", "[parallel]") {
  const int threads = GENERATE(1, 3);
  std::vector<int> done(20, 0);
  const auto work = [&](int index, int) {
    done[index] = 1;
    if (index % 7 == 5) throw std::runtime_error(std::to_string(index));
  };
  CHECK_THROWS_WITH(for_each_index(20, threads, work), "5");
  CHECK(std::accumulate(done.begin(), done.end(), 0) == 20);
}

TEST_CASE("nothing to do is done", "[parallel]") {
  CHECK_NOTHROW(for_each_index(0, 4, [](int, int) { throw std::runtime_error("called"); }));
}

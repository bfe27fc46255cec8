#include "planner/makespan_bound.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace stint;

namespace {

std::vector<TaskId> tasks(std::initializer_list<int> list) {
  std::vector<TaskId> all;
  for (const int task : list) all.push_back(static_cast<TaskId>(task));
  return all;
}

// The shortest of all schedules, found by trying whom to begin next: tasks begin as early as they
// can on the worker that is free first, in every order that the needs permit.
double shortest(const Predecessors& needs, const std::vector<double>& seconds,
                std::vector<double> ends, std::vector<double> free_at) {
  double best = 1e9;
  bool is_done = true;
  for (std::size_t t = 0; t < needs.size(); ++t) {
    if (ends[t] >= 0) continue;
    is_done = false;
    double begin = *std::min_element(free_at.begin(), free_at.end());
    bool is_ready = true;
    for (const TaskId before : needs[t]) {
      is_ready = is_ready && ends[before] >= 0;
      begin = std::max(begin, ends[before]);
    }
    if (!is_ready) continue;
    auto next_ends = ends;
    auto next_free = free_at;
    next_ends[t] = begin + seconds[t];
    *std::min_element(next_free.begin(), next_free.end()) = next_ends[t];
    best = std::min(best, shortest(needs, seconds, next_ends, next_free));
  }
  return is_done ? *std::max_element(ends.begin(), ends.end()) : best;
}

Predecessors random_needs(int count, std::mt19937_64& random) {
  Predecessors needs(count);
  for (int t = 1; t < count; ++t) {
    for (int before = 0; before < t; ++before) {
      if (random() % 4 == 0) needs[t].push_back(static_cast<TaskId>(before));
    }
  }
  return needs;
}

}  // namespace

TEST_CASE("what comes before and after a waist adds up", "[bounds]") {
  // Two side by side, one for both, four side by side: on two workers 1, 1 and 2.
  const Predecessors needs{{}, {}, tasks({0, 1}), tasks({2}), tasks({2}), tasks({2}), tasks({2})};
  const std::vector<double> seconds(7, 1.0);
  const MakespanBound bound = makespan_bound(needs, seconds, 2);
  CHECK(bound.seconds == Approx(4));
  REQUIRE(bound.waists.size() == 1);
  CHECK(bound.waists[0].task == 2);
  CHECK(bound.waists[0].begin == Approx(1));
}

TEST_CASE("work that can only begin late shares the workers from then on", "[bounds]") {
  // A chain of three beside one of a single task; then four that need the second of the chain.
  const Predecessors needs{{}, {}, tasks({1}), tasks({2}), tasks({2}), tasks({2}), tasks({2})};
  const std::vector<double> seconds(7, 1.0);
  CHECK(makespan_bound(needs, seconds, 2).seconds == Approx(4));
  CHECK(makespan_bound(needs, seconds, 4).seconds == Approx(3));
}

TEST_CASE("no order of tasks on any number of workers is shorter than the bound", "[bounds]") {
  std::mt19937_64 random(5);
  int reached = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int count = 3 + static_cast<int>(random() % 4);
    const Predecessors needs = random_needs(count, random);
    std::vector<double> seconds;
    for (int t = 0; t < count; ++t) seconds.push_back(1 + static_cast<double>(random() % 9));
    const int workers = 1 + static_cast<int>(random() % 3);
    const double least =
        shortest(needs, seconds, std::vector<double>(count, -1), std::vector<double>(workers, 0));
    const double bound = makespan_bound(needs, seconds, workers).seconds;
    CAPTURE(trial, workers, least, bound);
    REQUIRE(bound <= least * (1 + 1e-12));
    if (bound >= least * (1 - 1e-12)) ++reached;
  }
  CHECK(reached > 100);
}

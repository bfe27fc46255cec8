// Small linear models by HiGHS: what CP-SAT says of them, and what floating point may not.
#include "planner/solver/highs.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <thread>

using namespace stint;

namespace {

// Covers at least cost: every clause wants one of a few, within a budget of bytes.
CpModel cover(std::uint64_t seed, int variables) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % most); };
  CpModel model;
  std::vector<VariableId> all;
  LinearSum cost, bytes;
  for (int i = 0; i < variables; ++i) {
    all.push_back(model.add_boolean());
    cost.add(all.back(), 1'000'000 + below(9'000'000));
    bytes.add(all.back(), 1 + below(50));
  }
  for (int c = 0; c < variables; ++c)
    model.add_clause({all[below(variables)], no(all[below(variables)]), all[below(variables)]});
  for (int c = 0; c < variables / 2; ++c)
    model.add_clause({all[below(variables)], all[below(variables)]});
  model.add_linear(bytes, INT64_MIN / 2, 14 * variables);
  model.minimise(cost);
  return model;
}

// Tasks in a random order of dependence, each in one of three ways, by joules and by the time that
// all take: times have millions of values.
CpModel timed(std::uint64_t seed, int tasks) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % most); };
  constexpr std::int64_t horizon = 4'000'000;
  CpModel model;
  std::vector<VariableId> ends;
  const VariableId length = model.add_variable(0, horizon);
  LinearSum cost;
  cost.add(length, 1000);
  for (int t = 0; t < tasks; ++t) {
    ends.push_back(model.add_variable(0, horizon));
    LinearSum one, after(ends.back());
    const int seconds = 10'000 + below(100'000);
    for (int way = 1; way <= 3; ++way) {
      const VariableId chosen = model.add_boolean();
      one.add(chosen, 1);
      after.add(chosen, -std::int64_t{seconds} * way);
      cost.add(chosen, std::int64_t{seconds} * (1000 + below(500)) / way);
    }
    model.add_linear(one, 1, 1);
    if (t > 0) after.add(ends[below(t)], -1);
    model.add_linear(after, 0, horizon);
    LinearSum until(length);
    until.add(ends.back(), -1);
    model.add_linear(until, 0, horizon);
  }
  model.minimise(cost);
  return model;
}

CpOptions much_work() {
  CpOptions options;
  options.work = 100;
  return options;
}

}  // namespace

TEST_CASE("both solvers find the same optimum, and HiGHS proves it but for its margin",
          "[solver]") {
  if (!has_highs()) return;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const CpModel model = cover(seed, 30);
    const CpAnswer exact = solve(model, much_work());
    const CpAnswer answer = solve_by_highs(model, much_work());
    REQUIRE(exact.status != CpStatus::unknown);
    if (exact.status == CpStatus::infeasible) {
      CHECK_FALSE(answer.has_solution());
      CHECK(answer.status != CpStatus::infeasible);  // not for floating point to say
      continue;
    }
    REQUIRE(answer.status == CpStatus::optimal);
    CHECK(answer.value == exact.value);
    CHECK(answer.bound <= exact.value);
    CHECK(answer.bound >= exact.value - exact.value / 100'000);
  }
}

TEST_CASE("what no solution is below is proved without one", "[solver]") {
  if (!has_highs()) return;
  const CpModel model = cover(3, 30);
  const CpAnswer best = solve_by_highs(model, much_work());
  REQUIRE(best.status == CpStatus::optimal);
  CpOptions options = much_work();
  options.most = best.value - best.value / 10;
  const CpAnswer none = solve_by_highs(model, options);
  CHECK(none.bound <= options.most);
  CHECK(none.bound >= options.most - options.most / 100'000);
  options.most = best.value;  // what costs just as much is found
  CHECK(solve_by_highs(model, options).value == best.value);
}

TEST_CASE("the limit is in work, and answers are the same every time", "[solver]") {
  if (!has_highs()) return;
  const CpModel model = cover(5, 300);
  CpOptions options;
  options.work = 0.01;
  const CpAnswer once = solve_by_highs(model, options);
  const CpAnswer again = solve_by_highs(model, options);
  CHECK(once.values == again.values);
  CHECK(once.bound == again.bound);
  CHECK(once.work == again.work);
  const CpAnswer best = solve_by_highs(model, much_work());
  CHECK(once.work < best.work);
  if (best.has_solution()) CHECK(once.bound <= best.value);
}

TEST_CASE("searches side by side find what each finds alone", "[solver]") {
  if (!has_highs()) return;
  CpOptions options;
  options.work = 0.05;
  std::vector<CpAnswer> alone, beside(4);
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    alone.push_back(solve_by_highs(cover(seed, 200), options));
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] { beside[seed] = solve_by_highs(cover(seed, 200), options); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t seed = 0; seed < 4; ++seed) {
    CHECK(beside[seed].values == alone[seed].values);
    CHECK(beside[seed].bound == alone[seed].bound);
  }
}

TEST_CASE("an interrupted search ends, and models of other kinds are left to CP-SAT", "[solver]") {
  if (!has_highs()) return;
  const std::atomic<bool> interrupted = true;
  CpOptions options = much_work();
  options.interrupted = &interrupted;
  CHECK(solve_by_highs(cover(5, 300), options).status != CpStatus::optimal);

  CpModel intervals;
  const VariableId start = intervals.add_variable(0, 10);
  const VariableId end = intervals.add_variable(0, 10);
  intervals.add_interval(start, 3, end);
  intervals.minimise(LinearSum(end));
  const CpAnswer answer = solve_by_highs(intervals, much_work());
  CHECK(answer.status == CpStatus::unknown);
  CHECK(answer.bound == INT64_MIN);
}

TEST_CASE("what HiGHS proves of long times holds, whatever is known", "[solver]") {
  if (!has_highs()) return;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const CpModel model = timed(seed, 12);
    const CpAnswer exact = solve(model, much_work());
    REQUIRE(exact.status == CpStatus::optimal);
    for (const std::int64_t most :
         {exact.value, exact.value + exact.value / 50, std::int64_t{INT64_MAX}}) {
      CpOptions options = much_work();
      options.most = most;
      const CpAnswer answer = solve_by_highs(model, options);
      CHECK(answer.bound <= exact.value);
      CHECK(answer.bound >= exact.value - exact.value / 100'000);
    }
  }
}

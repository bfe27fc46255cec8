// Small problems whose answers are known, through every kind of constraint.
#include "planner/solver/cp_sat.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <thread>

using namespace stint;

namespace {

using Variables = std::vector<VariableId>;

LinearSum sum_of(const Variables& variables, const std::vector<std::int64_t>& coefficients) {
  LinearSum sum;
  for (std::size_t i = 0; i < variables.size(); ++i) sum.add(variables[i], coefficients[i]);
  return sum;
}

Variables booleans(CpModel& model, int count) {
  Variables all;
  for (int i = 0; i < count; ++i) all.push_back(model.add_boolean());
  return all;
}

// Makespan of jobs on one machine with a demand each on a resource of the given capacity.
struct Jobs {
  CpModel model;
  std::vector<IntervalId> intervals;
  Variables ends;
};

Jobs jobs(const std::vector<std::int64_t>& seconds, std::int64_t horizon) {
  Jobs all;
  const VariableId makespan = all.model.add_variable(0, horizon);
  for (const std::int64_t length : seconds) {
    const VariableId start = all.model.add_variable(0, horizon);
    const VariableId end = all.model.add_variable(0, horizon);
    all.intervals.push_back(all.model.add_interval(start, length, end));
    all.model.add_linear(sum_of({makespan, end}, {1, -1}), 0, horizon);
    all.ends.push_back(end);
  }
  all.model.minimise(makespan);
  return all;
}

// A hard knapsack-like problem: many items, weights that do not divide each other.
CpModel knapsack(int items) {
  CpModel model;
  std::mt19937_64 random(7);
  const Variables taken = booleans(model, items);
  LinearSum weight;
  LinearSum other;
  LinearSum loss;
  for (const VariableId item : taken) {
    weight.add(item, 100 + static_cast<std::int64_t>(random() % 900));
    other.add(item, 100 + static_cast<std::int64_t>(random() % 900));
    loss.add(item, -100 - static_cast<std::int64_t>(random() % 900));
  }
  model.add_linear(weight, 0, items * 200);
  model.add_linear(other, 0, items * 220);
  model.minimise(loss);
  return model;
}

}  // namespace

TEST_CASE("a sum is minimised under linear constraints and its bound is proved", "[solver]") {
  CpModel model;
  const VariableId x = model.add_variable(-10, 10);
  const VariableId y = model.add_variable(-10, 10);
  LinearSum shifted = sum_of({x, y}, {2, 1});
  shifted.constant = 3;
  model.add_linear(shifted, -11, 100);  // 2x + y >= -14
  model.minimise(sum_of({x, y}, {1, 1}));
  const CpAnswer answer = solve(model, {});
  REQUIRE(answer.status == CpStatus::optimal);
  CHECK(answer.value == -12);
  CHECK(answer.bound == -12);
  CHECK(answer.values == std::vector<std::int64_t>{-2, -10});
}

TEST_CASE("clauses know negated literals, and constraints may depend on literals", "[solver]") {
  CpModel model;
  const Variables b = booleans(model, 3);
  model.add_clause({b[0], b[1]});
  model.add_clause({no(b[0]), b[2]});
  const std::array condition{b[1]};
  model.add_linear(sum_of({b[2]}, {1}), 1, 1, condition);
  model.minimise(sum_of(b, {1, 2, 10}));  // either way b2 must be true
  const CpAnswer answer = solve(model, {});
  REQUIRE(answer.status == CpStatus::optimal);
  CHECK(answer.value == 11);
  CHECK(answer.is_true(b[0]));
  CHECK(!answer.is_true(b[1]));
}

TEST_CASE("what cannot be is infeasible", "[solver]") {
  CpModel model;
  const Variables b = booleans(model, 2);
  model.add_linear(sum_of(b, {1, 1}), 2, 2);
  model.add_clause({no(b[0]), no(b[1])});
  const CpAnswer answer = solve(model, {});
  CHECK(answer.status == CpStatus::infeasible);
  CHECK(!answer.has_solution());
}

TEST_CASE("intervals that do not overlap take the sum of their sizes", "[solver]") {
  Jobs all = jobs({3, 4, 5}, 100);
  all.model.add_no_overlap(all.intervals);
  CHECK(solve(all.model, {}).value == 12);
}

TEST_CASE("intervals share a resource as far as it goes", "[solver]") {
  Jobs all = jobs({3, 4, 5, 5}, 100);
  const std::vector<LinearSum> demands{2, 2, 1, 3};
  all.model.add_cumulative(all.intervals, demands, 4);
  CHECK(solve(all.model, {}).value == 9);  // 3 beside 1, then the two of 2 side by side
}

TEST_CASE("an interval that is not there takes nothing", "[solver]") {
  CpModel model;
  const VariableId there = model.add_boolean();
  const VariableId start = model.add_variable(0, 4);
  const VariableId end = model.add_variable(0, 10);
  const std::array condition{there};
  const std::array intervals{model.add_interval(start, 6, end, condition),
                             model.add_interval(0, 8, 8)};
  model.add_no_overlap(intervals);
  LinearSum prefer;
  prefer.add(there, -1);
  model.minimise(prefer);
  const CpAnswer answer = solve(model, {});
  REQUIRE(answer.status == CpStatus::optimal);
  CHECK(!answer.is_true(there));
}

TEST_CASE("a level stays within its limits", "[solver]") {
  CpModel model;
  const VariableId filled = model.add_variable(0, 20);
  const VariableId always = model.add_variable(1, 1);
  const std::vector<CpModel::Change> changes{{5, -3, always}, {9, -4, always}, {filled, 7, always}};
  model.add_reservoir(changes, -3, 7);
  LinearSum late;
  late.add(filled, -1);
  model.minimise(late);
  CHECK(solve(model, {}).value == -9);  // the level may be -3 until 9, then no lower
}

TEST_CASE("a hint that is a solution is where the search starts", "[solver]") {
  CpModel model = knapsack(60);
  CpOptions options;
  options.work = 2;
  const CpAnswer good = solve(model, options);
  REQUIRE(good.has_solution());
  for (int v = 0; v < model.variables(); ++v)
    model.add_hint(static_cast<VariableId>(v), good.values[v]);
  options.work = 0.002;
  const CpAnswer again = solve(model, options);
  REQUIRE(again.has_solution());
  CHECK(again.value <= good.value);
}

TEST_CASE("the same model gives the same answer again, with one worker and with several",
          "[solver]") {
  const CpModel model = knapsack(40);
  CpOptions options;
  options.work = 0.2;
  options.workers = GENERATE(1, 2);
  options.strong_relaxation = GENERATE(false, true);
  CAPTURE(options.workers, options.strong_relaxation);
  const CpAnswer first = solve(model, options);
  const CpAnswer second = solve(model, options);
  CHECK(first.values == second.values);
  CHECK(first.bound == second.bound);
}

TEST_CASE("a search that is interrupted ends long before its limit", "[solver]") {
  const CpModel model = knapsack(400);
  std::atomic<bool> interrupted = false;
  CpOptions options;
  options.work = 1e9;
  options.interrupted = &interrupted;
  std::thread ctrl_c([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    interrupted = true;
  });
  const CpAnswer answer = solve(model, options);
  ctrl_c.join();
  CHECK(answer.status != CpStatus::infeasible);
  CHECK(solve(model, options).status == CpStatus::unknown);  // it does not even begin
}

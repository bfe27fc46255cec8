// The strategy placement on small graphs, against a search over everything that can happen.
#include <catch2/catch.hpp>

#include "planner/placement/placement_bound.hpp"
#include "planner/plan.hpp"
#include "planner/solver/highs.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/placement/exhaustive_placement.hpp"
#include "tests/planner/placement/two_memories.hpp"
#include "tests/planner/problems.hpp"

using namespace stint;

namespace {

struct Count {
  int plans = 0;
  int best = 0;
  int proved = 0;
};

void check(const Outcome& outcome, double best, Count& count) {
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  const Proof& proof = outcome.schedule->predicted.objective;
  CHECK(proof.lower_bound <= best * (1 + 1e-9));
  ++count.plans;
  if (proof.value <= best * (1 + 1e-9)) ++count.best;
  if (outcome.schedule->predicted.optimal) ++count.proved;
  CHECK((!outcome.schedule->predicted.optimal || proof.value <= best * (1 + 1e-6)));
}

Request placed(double limit) {
  Request request;
  request.strategy = "placement";
  request.limit = limit;
  return request;
}

Graph small_graph(std::uint64_t seed, int layers) {
  RandomTrainingOptions options;
  options.layers = layers;
  return on_two_devices(random_training(seed, options), seed);
}

TwoMemoriesOptions machine(std::uint64_t seed) {
  TwoMemoriesOptions options;
  options.states = 2;
  options.bytes_per_second = seed % 2 == 0 ? 2 : 20;
  options.joules_per_byte = seed % 3 == 0 ? 0.02 : 0.5;
  return options;
}

// Bounds by both solvers: below the best that there is, and of the same relaxation, but for prices
// of a second, by which CP-SAT may prove less.
void check_bounds(const Problem& problem, double best) {
  if (!has_highs()) return;
  const auto graph = placed_graph(problem);
  PlacementBoundOptions options;
  const auto by_cp_sat = placement_bound(*graph, options, {}).bound;
  options.by_highs = true;
  const auto by_highs = placement_bound(*graph, options, {}).bound;
  REQUIRE(by_cp_sat);
  REQUIRE(by_highs);
  CHECK(by_highs->value <= best * (1 + 1e-9));
  CHECK(by_highs->value >= by_cp_sat->value * (1 - 1e-2));
}

// Plans as good as the best that there is where memory is no matter.
void check_without_memory(std::uint64_t seed, Count& count) {
  CAPTURE(seed);
  Request request = placed(0.1);
  request.recompute = false;
  const Problem problem = problem_of(small_graph(seed, 2), two_memories(machine(seed)), request);
  const double best = least_joules_without_memory(problem);
  check(plan(problem, {}), best, count);
  check_bounds(problem, best);
}

// The same with too little memory, in a window that is long enough.
void check_within_memory(std::uint64_t seed, Count& count) {
  CAPTURE(seed);
  TwoMemoriesOptions options = machine(seed);
  options.accelerator_bytes = 18 + static_cast<std::int64_t>(seed % 12);
  Request request = placed(0.1);
  request.deadline_seconds = 1000;
  request.bill = Bill::deadline;
  request.memory["n0/ram"] = 20 + static_cast<std::int64_t>(seed % 9);
  const Problem problem = problem_of(small_graph(seed, 2), two_memories(options), request);
  const Outcome outcome = plan(problem, {});
  const auto best = least_joules_within_memory(problem);
  CHECK((best || !outcome.schedule));
  if (best && outcome.schedule) check(outcome, *best, count);
  if (best) check_bounds(problem, *best);
}

}  // namespace

TEST_CASE("placements of small graphs are the best that there are", "[placement]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 10; ++seed) check_without_memory(seed, count);
  CAPTURE(count.plans, count.best, count.proved);
  CHECK(count.best == count.plans);
}

TEST_CASE("so are those with little memory, computed again and moved", "[placement]") {
  Count count;
  for (std::uint64_t seed = 0; seed < 16; ++seed) check_within_memory(seed, count);
  CAPTURE(count.plans, count.best, count.proved);
  CHECK(count.plans >= 12);
  CHECK(count.best >= count.plans - 1);
  CHECK(count.proved > 0);
}

TEST_CASE("the same for hundreds of small graphs", "[.many]") {
  Count without;
  Count within;
  for (std::uint64_t seed = 100; seed < 300; ++seed) {
    check_without_memory(seed, without);
    check_within_memory(seed, within);
  }
  WARN("without memory " << without.plans << " planned, " << without.best << " best, "
                         << without.proved << " proved; with it " << within.plans << " planned, "
                         << within.best << " best, " << within.proved << " proved");
}

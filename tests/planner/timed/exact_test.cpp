// The strategy exact on small graphs, against a search over everything that can happen.
#include <catch2/catch.hpp>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"
#include "planner/solver/cp_sat.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/away_search.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/planner/timed/crew_search.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

struct Count {
  int possible = 0;
  int plans = 0;
  int optimal = 0;
  int claimed = 0;
};

// What is claimed about the graph holds for the best that there is.
void check_against_search(const Graph& graph, const std::string& strategy, Count& count) {
  const Platform machine = plain_machine(2);
  const std::int64_t least = memory_bound(problem_of(graph, machine), MemoryId{0}).bytes;
  for (std::int64_t bytes = least; bytes <= 2 * least;
       bytes += std::max<std::int64_t>(1, least / 3)) {
    CAPTURE(bytes);
    Request request = within("n0/ram", bytes);
    request.strategy = strategy;
    request.limit = 1;
    const auto best = least_joules_of_crew(graph, bytes, {});
    const Outcome outcome = plan(problem_of(graph, machine, request), {});
    if (best) ++count.possible;
    if (!outcome.schedule) {
      CHECK((outcome.status != Status::infeasible || !best));
      continue;
    }
    REQUIRE(best);
    ++count.plans;
    const Predicted& predicted = outcome.schedule->predicted;
    CHECK(validate(*outcome.schedule).empty());
    CHECK(predicted.objective.lower_bound <= *best * (1 + 1e-9));
    CHECK(predicted.objective.value >= *best * (1 - 1e-9));
    if (predicted.objective.value <= *best * (1 + 1e-9)) ++count.optimal;
    if (predicted.optimal) ++count.claimed;
  }
}

Count count_training(std::uint64_t first, std::uint64_t last, const std::string& strategy) {
  Count count;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    RandomTrainingOptions options;
    options.layers = 3;
    options.with_workspace = seed % 2 == 1;
    options.with_updates = seed % 5 == 1;
    check_against_search(random_training(seed, options), strategy, count);
  }
  return count;
}

Outcome branches_on_desk(const Request& request) {
  return plan(problem_of(read_graph(bundled("models/branches.json")),
                         read_platform(bundled("platforms/desk.json")), request),
              {});
}

}  // namespace

TEST_CASE("small training graphs on two workers get the best plan that there is, and a proof",
          "[exact]") {
  if (!has_cp_sat()) return;
  const Count count = count_training(0, 12, "auto");
  CAPTURE(count.possible, count.plans, count.optimal, count.claimed);
  CHECK(count.plans >= count.possible * 9 / 10);
  CHECK(count.optimal >= count.plans * 9 / 10);
  CHECK(count.claimed >= count.plans * 8 / 10);
}

TEST_CASE("the strategy alone finds them too", "[exact]") {
  if (!has_cp_sat()) return;
  const Count count = count_training(20, 26, "exact");
  CAPTURE(count.possible, count.plans, count.optimal, count.claimed);
  CHECK(count.plans >= count.possible * 8 / 10);
  CHECK(count.optimal >= count.plans * 8 / 10);
}

TEST_CASE("graphs with parts, overwriting, state and optional outputs get plans that hold",
          "[exact]") {
  if (!has_cp_sat()) return;
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Graph graph = random_graph(seed, {});
    const Platform machine = plain_machine(3);
    const std::int64_t least = memory_bound(problem_of(graph, machine), MemoryId{0}).bytes;
    Request request = within("n0/ram", least * 5 / 4);
    request.limit = 0.2;
    const auto other = plan(problem_of(graph, machine, request), {}).schedule;
    request.strategy = "exact";
    const auto schedule = plan(problem_of(graph, machine, request), {}).schedule;
    if (!schedule) continue;
    ++plans;
    CHECK(validate(*schedule).empty());
    CHECK(schedule->predicted.objective.lower_bound <=
          other->predicted.objective.value * (1 + 1e-9));
    CHECK(other->predicted.objective.lower_bound <=
          schedule->predicted.objective.value * (1 + 1e-9));
  }
  CHECK(plans > 3);
}

TEST_CASE("with a disk, bounds and plans stand on the two sides of the optimum", "[exact]") {
  if (!has_cp_sat()) return;
  const double joules_per_byte = 5;
  const Platform machine = beside_disk(plain_machine(), joules_per_byte, 1e12);
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RandomTrainingOptions options;
    options.layers = 2 + static_cast<int>(seed % 2);
    options.with_workspace = seed % 3 == 0;
    options.with_updates = options.layers == 2;
    const Graph graph = random_training(seed, options);
    const std::int64_t least = memory_bound(problem_of(graph, machine), MemoryId{0}).bytes;
    for (std::int64_t bytes = least; bytes <= 2 * least;
         bytes += std::max<std::int64_t>(1, least / 2)) {
      CAPTURE(seed, bytes);
      Request request = within("n0/ram", bytes);
      request.strategy = "exact";
      request.limit = 1;
      const auto best = least_cost_with_disk(graph, bytes, {plain_machine_watts, joules_per_byte});
      const auto schedule = plan(problem_of(graph, machine, request), {}).schedule;
      if (!schedule) continue;
      REQUIRE(best);
      ++plans;
      const Proof& proof = schedule->predicted.objective;
      CHECK(proof.value >= *best * (1 - 1e-9));
      CHECK(proof.lower_bound <= *best * (1 + 1e-9));
    }
  }
  CHECK(plans > 5);
}

TEST_CASE("branches side by side in little memory are proved to be the best there is", "[exact]") {
  if (!has_cp_sat()) return;
  Request request = within("n0/ram", std::int64_t{36} << 20);
  request.offload = false;
  const Outcome outcome = branches_on_desk(request);
  REQUIRE(outcome.schedule);
  CHECK(outcome.status == Status::optimal);
  CHECK(outcome.schedule->predicted.objective.value == Approx(1.524763).epsilon(1e-6));
}

TEST_CASE("what need not run again costs the same where nothing may", "[exact]") {
  if (!has_cp_sat()) return;
  Request request = within("n0/ram", std::int64_t{32} << 20);
  request.offload = false;
  request.limit = 3;
  request.strategy = GENERATE("auto", "graph", "exact");
  CAPTURE(request.strategy);
  const Outcome with = branches_on_desk(request);
  request.recompute = false;
  const Outcome without = branches_on_desk(request);
  REQUIRE(with.schedule);
  REQUIRE(without.schedule);
  CHECK(with.schedule->predicted.recomputed == 0);
  CHECK(without.schedule->predicted.objective.value ==
        Approx(with.schedule->predicted.objective.value).epsilon(2e-3));
}

TEST_CASE("a disk that is not needed makes no plan dearer", "[exact]") {
  if (!has_cp_sat()) return;
  Request request = within("n0/ram", std::int64_t{28} << 20);
  request.limit = 4;
  const Outcome with = branches_on_desk(request);
  request.offload = false;
  const Outcome without = branches_on_desk(request);
  REQUIRE(with.schedule);
  REQUIRE(without.schedule);
  CHECK(with.schedule->predicted.objective.value <=
        without.schedule->predicted.objective.value * (1 + 1e-3));
}

TEST_CASE("what is decided in time is the same again", "[exact]") {
  if (!has_cp_sat()) return;
  Request request = within("n0/ram", std::int64_t{36} << 20);
  request.strategy = "exact";
  request.limit = 2;
  const Problem problem = problem_of(read_graph(bundled("models/branches.json")),
                                     read_platform(bundled("platforms/desk.json")), request);
  const Outcome first = plan(problem, {});
  const Outcome second = plan(problem, {});
  REQUIRE(first.schedule);
  REQUIRE(second.schedule);
  CHECK(schedule_text(*first.schedule) == schedule_text(*second.schedule));
}

TEST_CASE("the same for hundreds of graphs on two workers", "[.many]") {
  const Count count = count_training(100, 500, "auto");
  WARN(count.possible << " possible, " << count.plans << " planned, " << count.optimal
                      << " optimal, " << count.claimed << " proved");
}

// Orders of the lowest peak against all orders that there are, and what is planned with them.
#include "planner/graphs/lowest_peak_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "planner/graphs/sequence.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/graphs/random_training.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

class AllOrders {
 public:
  AllOrders(const DeviceGraph& graph, const std::vector<std::vector<TaskId>>& before)
      : before_(before), meter_(graph, std::vector<double>(graph.tasks.size(), 1.0)) {}

  std::int64_t lowest_peak() {
    extend();
    return lowest_;
  }
  std::int64_t peak_of(const TaskOrder& order) { return meter_.measure(order).peak_bytes; }

 private:
  bool is_ready(TaskId task) const {
    const auto has_run = [&](TaskId other) {
      return std::find(order_.begin(), order_.end(), other) != order_.end();
    };
    return !has_run(task) && std::all_of(before_[task].begin(), before_[task].end(), has_run);
  }

  void extend() {
    if (order_.size() == before_.size()) lowest_ = std::min(lowest_, peak_of(order_));
    for (std::size_t t = 0; t < before_.size(); ++t) {
      if (!is_ready(static_cast<TaskId>(t))) continue;
      order_.push_back(static_cast<TaskId>(t));
      extend();
      order_.pop_back();
    }
  }

  const std::vector<std::vector<TaskId>>& before_;
  SequenceMeter meter_;
  TaskOrder order_;
  std::int64_t lowest_ = INT64_MAX;
};

std::int64_t bytes_of_least_memory(const Model& model, const std::string& strategy) {
  Request request;
  request.objective = Objective::memory;
  request.strategy = strategy;
  const Outcome outcome = plan(problem_of(model, plain_machine(), request), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  const Proof& proof = outcome.schedule->predicted.objective;
  CHECK(proof.value == static_cast<double>(outcome.schedule->arenas.at("n0/ram")));
  CHECK(proof.lower_bound <= proof.value);
  return outcome.schedule->arenas.at("n0/ram");
}

}  // namespace

TEST_CASE("no order of a small graph has a lower peak", "[lowest peak]") {
  int lower_than_listed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions options;
    options.tasks = 7;
    options.with_overwrite = seed % 2 == 0;
    const Problem problem = problem_of(random_graph(seed, options), plain_machine());
    const auto graph = graph_in_memory_of(problem, DeviceId{0});
    REQUIRE(graph);
    AllOrders all(*graph, problem.before);
    const std::int64_t found = all.peak_of(lowest_peak_order(*graph, problem.before));
    CHECK(found == all.lowest_peak());
    if (found < all.peak_of(listed_order(problem))) ++lower_than_listed;
  }
  CHECK(lower_than_listed > 20);
}

TEST_CASE("branches with large workspaces fit where no usual order does", "[lowest peak]") {
  const Graph branches = read_graph(bundled("models/branches.json"));
  Platform platform = plain_machine();
  platform.devices[0].time_model["*"] = {.terms = {{"flops", 1e-9}}};
  const std::int64_t bytes = std::int64_t{26} << 20;
  const Outcome outcome = plan(problem_of(branches, platform, within("n0/ram", bytes)), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.optimal);
  CHECK(outcome.schedule->arenas.at("n0/ram") <= bytes);
  CHECK(validate(*outcome.schedule).empty());
}

TEST_CASE("a graph takes less memory if some of it is computed again", "[lowest peak]") {
  int less = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Graph graph = random_training(seed);
    const std::int64_t whole = bytes_of_least_memory(graph, "keep-all");
    const std::int64_t least = bytes_of_least_memory(graph, "auto");
    CHECK(least <= whole);
    if (least < whole) ++less;
  }
  CHECK(less > 5);
}

#include "planner/plan.hpp"

#include <catch2/catch.hpp>

#include "files/input_error.hpp"
#include "planner/memory_request.hpp"
#include "planner/outcome_json.hpp"
#include "planner/report.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/chain_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_platform.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

std::string text_of(const Problem& problem, int threads) {
  SearchOptions options;
  options.threads = threads;
  const Outcome outcome = plan(problem, options);
  REQUIRE(outcome.schedule);
  return schedule_text(*outcome.schedule);
}

}  // namespace

TEST_CASE("the same request gives the same bytes, with any number of threads", "[plan]") {
  const int seed = GENERATE(range(0, 25));
  CAPTURE(seed);
  Request request;
  request.limit = 3;  // with which every strategy still does all that it does with more
  const Problem problem = problem_of(random_graph(seed), random_platform(seed), request);
  const std::string text = text_of(problem, 1);
  CHECK(text_of(problem, 1) == text);
  CHECK(text_of(problem, 2) == text);
}

TEST_CASE("a plan at the proved bound is optimal, its bound and gap beside it", "[plan]") {
  const Outcome outcome = plan(problem_of(chain_graph(5), plain_machine()), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.status == Status::optimal);
  const Proof& proof = outcome.schedule->predicted.objective;
  CHECK(proof.lower_bound == Approx(385));
  CHECK(proof.gap == Approx(0));
  CHECK(outcome.schedule->predicted.strategy == "keep-all");
}

TEST_CASE("below a proved bound a request is infeasible, above it without a plan", "[plan]") {
  const Outcome proved = plan(problem_of(chain_graph(5), plain_machine(), within("n0/ram", 2)), {});
  CHECK(proved.status == Status::infeasible);
  REQUIRE(proved.shortages.size() == 1);
  CHECK(proved.shortages[0].lower_bound == 3);
  CHECK(proved.shortages[0].found == 3.0);
  CHECK(proved.shortages[0].tensors == std::vector<std::string>{"x0", "x1", "x2"});
  CHECK(no_plan_text(proved) ==
        "infeasible: n0/ram of 2 B; expected at least 3 B (proved), 3 B was found to work; at the "
        "peak: x0, x1, x2");

  Request request = within("n0/ram", 5);
  request.strategy = "keep-all";
  const Outcome unproved = plan(problem_of(chain_graph(5), plain_machine(), request), {});
  CHECK(unproved.status == Status::no_plan);
  CHECK(plan(problem_of(chain_graph(5), plain_machine(), within("n0/ram", 6)), {}).schedule);
}

TEST_CASE("a machine too small for a task is infeasible without any bound", "[plan]") {
  Platform platform = plain_machine();
  platform.memories[0].bytes = 2;
  CHECK(plan(problem_of(chain_graph(5), platform), {}).status == Status::infeasible);
}

TEST_CASE("a deadline before the critical path ends is infeasible", "[plan]") {
  Request request;
  request.deadline_seconds = 10.5;
  const Outcome outcome = plan(problem_of(chain_graph(5), plain_machine(), request), {});
  CHECK(outcome.status == Status::infeasible);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].lower_bound == 11);
  CHECK(outcome.shortages[0].found == 11.0);
  request.deadline_seconds = 11;
  CHECK(plan(problem_of(chain_graph(5), plain_machine(), request), {}).schedule);
}

TEST_CASE("a period is a deadline too", "[plan]") {
  Request request;
  request.bill = Bill::period;
  request.period_seconds = 5;
  CHECK(plan(problem_of(chain_graph(5), plain_machine(), request), {}).status ==
        Status::infeasible);
  request.period_seconds = 20;
  const Outcome outcome = plan(problem_of(chain_graph(5), plain_machine(), request), {});
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.joules == Approx(11 * 7 + 20 * 28));
}

TEST_CASE("a strategy that there is not is refused with those that there are", "[plan]") {
  Request request;
  request.strategy = "magic";
  CHECK_THROWS_WITH(
      plan(problem_of(chain_graph(5), plain_machine(), request), {}),
      "--strategy: no strategy named \"magic\"; expected auto, keep-all, chain, graph, placement, "
      "exact, pipeline, recompute-all, segments");
}

TEST_CASE("a GELU is computed with its product unless memory is to be saved", "[plan]") {
  const Network network = read_network(bundled("models/gpt_tiny.json"));
  const Platform platform = read_platform(bundled("platforms/desk.json"));
  const auto post_ops = [&](const Request& request) {
    return make_problem(network, platform, request, "gpt").blank.lowering.post_ops;
  };
  using Names = std::vector<std::string>;
  Request request{.batch = 2};
  CHECK(post_ops(request) == Names{"add", "gelu"});
  request.memory["n0/ram"] = 1 << 30;
  CHECK(post_ops(request) == Names{"add"});
  request.memory.clear();
  request.objective = Objective::memory;
  CHECK(post_ops(request) == Names{"add"});
  request.fuse = false;
  CHECK(post_ops(request).empty());
}

TEST_CASE("what a platform has no price for is not computed in one go", "[plan]") {
  const Network network = read_network(bundled("models/gpt_tiny.json"));
  Platform platform = read_platform(bundled("platforms/desk.json"));
  auto& models = platform.devices[0].time_model;
  const TimeModel any = models.at("*");
  models.clear();
  for (const Task& task : lower(network, {.batch = 2}).tasks) models[task.op] = any;
  const auto lowering = [&] {
    return make_problem(network, platform, {.batch = 2}, "gpt").blank.lowering;
  };
  CHECK(lowering().post_ops.empty());
  for (const char* fused : {"linear_then_add.forward", "linear_then_gelu.forward"})
    models[fused] = any;
  CHECK(lowering().post_ops == std::vector<std::string>{"add", "gelu"});
  // Nor is what was measured layer by layer.
  for (const Task& task : lower(network, {.batch = 2, .fuse = true}).tasks)
    platform.devices[0].kernels.push_back({.op = task.op, .shape = task.shape, .seconds = 1e-6});
  CHECK(lowering().post_ops.empty());
}

TEST_CASE("a bill for the deadline needs one", "[plan]") {
  Request request;
  request.bill = Bill::deadline;
  CHECK_THROWS_AS(problem_of(chain_graph(5), plain_machine(), request), InputError);
}

TEST_CASE("an interrupted search gives the first plan it has, and says so", "[plan]") {
  const std::atomic<bool> interrupted{true};
  SearchOptions options;
  options.interrupted = &interrupted;
  const Outcome outcome = plan(problem_of(chain_graph(5), plain_machine(4)), options);
  REQUIRE(outcome.schedule);
  CHECK(outcome.schedule->predicted.interrupted);
}

TEST_CASE("every better plan is reported with its bound", "[plan]") {
  std::vector<double> gaps;
  SearchOptions options;
  options.improved = [&](const Schedule& schedule) {
    gaps.push_back(schedule.predicted.objective.gap);
  };
  plan(problem_of(chain_graph(5), plain_machine()), options);
  REQUIRE_FALSE(gaps.empty());
  CHECK(gaps.back() == Approx(0));
}

TEST_CASE("bounds on memories are given by memory, by device, or without a name", "[plan]") {
  const auto bounds = [](const std::string& option) {
    return memory_bounds({parse_memory_option(option)}, chain_graph(5), two_gpus(), {}, "graph");
  };
  using Bounds = std::map<std::string, std::int64_t>;
  CHECK(bounds("n0/ram=4") == Bounds{{"n0/ram", 4}});
  CHECK(bounds("n0/cpu=4") == Bounds{{"n0/ram", 4}});
  CHECK(bounds("hbm1=4") == Bounds{{"n0/hbm1", 4}});  // the node may be left out
  CHECK(bounds("gpu0=4") == Bounds{{"n0/hbm0", 4}});
  CHECK(bounds("4") == Bounds{{"n0/hbm0", 4}});
  CHECK(bounds("n0/ram=50%") == Bounds{{"n0/ram", 3}});
  CHECK_THROWS_WITH(bounds("disk=4"),
                    "--memory: no memory or device is named \"disk\"; expected one of n0/ram, "
                    "n0/hbm0, n0/hbm1");
  CHECK_THROWS_AS(bounds("n0/hbm0=50%"), InputError);  // the chain runs on the cpu only
  CHECK_THROWS_WITH(
      memory_bounds({parse_memory_option("n0/ram=4"), parse_memory_option("n0/cpu=5")},
                    chain_graph(5), two_gpus(), {}, "graph"),
      "--memory: two bounds for n0/ram; expected one");
}

TEST_CASE("a memory whose name is in several nodes needs the node's", "[plan]") {
  Platform platform = two_gpus();
  platform.nodes.push_back({"n1", 10});
  platform.memories.push_back(platform.memories[0]);
  platform.memories.back().node = NodeId{1};
  CHECK_THROWS_WITH(
      memory_bounds({parse_memory_option("ram=4")}, chain_graph(5), platform, {}, "graph"),
      "--memory: \"ram\" is in several nodes; expected one of n0/ram, n1/ram");
}

TEST_CASE("an outcome as JSON has its status and what it is about", "[plan]") {
  const std::string good = outcome_text(plan(problem_of(chain_graph(5), plain_machine()), {}));
  CHECK_THAT(good,
             Catch::Contains("\"status\": \"optimal\"") && Catch::Contains("\"joules\": 385"));
  const std::string bad =
      outcome_text(plan(problem_of(chain_graph(5), plain_machine(), within("n0/ram", 2)), {}));
  CHECK_THAT(bad, Catch::Contains("\"status\": \"infeasible\"") &&
                      Catch::Contains("\"lower_bound_bytes\": 3") &&
                      Catch::Contains("\"found_bytes\": 3"));
}

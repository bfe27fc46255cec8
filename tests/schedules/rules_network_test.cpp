// R3 where the model is a network: the graph is what its layers lower to, as the request asks.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/json_schema.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/tiny_network.hpp"

using namespace stint;

namespace {

using Rules = std::vector<int>;

Schedule planned(const Request& request) {
  return plan_of(tiny_network(), read_platform(bundled("platforms/desk.json")), request);
}

Request batch_of_eight() {
  Request request;
  request.batch = 8;
  request.microbatches = 2;
  request.leaves = 4;
  request.grain = 2;
  return request;
}

}  // namespace

TEST_CASE("a plan of a network breaks no rule, whatever its lowering", "[rules]") {
  Request request;
  request.batch = 8;
  expect_good(planned(request));
  expect_good(planned(batch_of_eight()));
  request.layout = ImageLayout::nchw;
  expect_good(planned(request));
  request.shards = {{"fc", ShardBy::rows, 2}};
  expect_good(planned(request));
}

TEST_CASE("a schedule of a network comes back from its file", "[schedule_json]") {
  const Schedule schedule = planned(batch_of_eight());
  const Schedule read = parse_schedule(schedule_text(schedule), "s.json");
  CHECK(read.model == schedule.model);
  CHECK(read.lowering == schedule.lowering);
  CHECK(schedule_text(read) == schedule_text(schedule));
  CHECK(schema_fault(bundled("schedules/stint-schedule.schema.json"), schedule_text(schedule)) ==
        "");
  expect_good(read);
}

TEST_CASE("a graph that the network does not lower to breaks R3", "[rules]") {
  using Break = std::function<void(Schedule&)>;
  const Break breaks = GENERATE(
      Break([](Schedule& s) { s.graph.tasks[0].shape += "x"; }),
      Break([](Schedule& s) { s.lowering.cuts.clear(); }), Break([](Schedule& s) {
        s.lowering.cuts.push_back({"nobody", 1});
      }),
      Break([](Schedule& s) { s.lowering.replicas = 2; }), Break([](Schedule& s) {
        s.request.shards = {{"fc", ShardBy::rows, 2}};
      }),
      Break([](Schedule& s) {
        s.lowering.shards = {{"fc", ShardBy::rows, 2}};
      }),
      Break([](Schedule& s) {
        s.request.shards = s.lowering.shards = {{"fc", ShardBy::rows, 4096}};
      }),
      Break([](Schedule& s) { s.request.leaves = s.lowering.leaves = 2; }),
      Break([](Schedule& s) { s.request.batch = s.lowering.batch = 7; }),
      Break([](Schedule& s) { s.request.microbatches = s.lowering.microbatches = 1 << 30; }),
      Break([](Schedule& s) {
        s.request.batch = s.lowering.batch = 1 << 20;
        s.request.microbatches = s.lowering.microbatches = 1 << 20;
        s.request.leaves = s.lowering.leaves = 1;
      }),
      Break([](Schedule& s) {
        s.request.batch = s.lowering.batch = 1 << 20;
        s.request.microbatches = s.lowering.microbatches = 1;
        s.request.leaves = s.lowering.leaves = 1 << 20;
        for (Cut& cut : s.lowering.cuts) cut.leaves = 1;
      }),
      Break([](Schedule& s) { std::get<Network>(s.model).layers[1].name = "other"; }),
      Break([](Schedule& s) { std::get<Network>(s.model).optimizer = Adam{}; }),
      Break([](Schedule& s) { std::get<Network>(s.model).layers[0].inputs = {"nothing"}; }));
  Schedule schedule = planned(batch_of_eight());
  breaks(schedule);
  predict_again(schedule);
  CHECK(broken_rules(schedule) == Rules{3});
}

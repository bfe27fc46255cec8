#include "planner/pipelines/pipeline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "files/input_error.hpp"
#include "planner/pipelines/pipeline_times.hpp"
#include "planner/plan.hpp"
#include "schedules/validate.hpp"
#include "tests/planner/pipelines/equal_stages.hpp"
#include "tests/planner/problems.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

namespace {

Request asking(const std::string& pipeline, int stages) {
  Request request;
  request.pipeline = pipeline;
  request.stages = stages;
  return request;
}

Schedule planned(const Model& model, const Platform& platform, const Request& request) {
  const Outcome outcome = plan(problem_of(model, platform, request), {});
  REQUIRE(outcome.schedule);
  CHECK(validate(*outcome.schedule).empty());
  return *outcome.schedule;
}

struct Span {
  double start = INFINITY;
  double end = 0;
};
std::vector<Span> spans_of(const Schedule& schedule) {
  const auto all = workers(schedule.platform);
  std::vector<Span> spans(schedule.platform.devices.size());
  for (const Action& action : schedule.actions) {
    if (action.what != Do::compute) continue;
    Span& span = spans[all[action.worker].device];
    span.start = std::min(span.start, *action.start_seconds);
    span.end = std::max(span.end, *action.start_seconds + *action.seconds);
  }
  return spans;
}

// Plans the equal stages in that order on a device each, and compares with the pure simulation.
void check_known(PipelineKind kind, const EqualStages& equal) {
  const Schedule schedule = planned(equal_stages_graph(equal), row_of_devices(equal.stages),
                                    asking(to_string(kind), equal.stages));
  const auto by_stage = [&](double value) { return std::vector<double>(equal.stages, value); };
  const PipelineOrder order = pipeline_order(kind, equal.stages, equal.microbatches);
  const PipelineTimes times =
      pipeline_times(order, {by_stage(equal.forward_seconds), by_stage(equal.backward_seconds),
                             by_stage(equal.weight_seconds), 0});
  CHECK(schedule.predicted.seconds == Approx(times.seconds));
  const auto spans = spans_of(schedule);
  const auto peaks = peak_activations(order, by_stage(equal.held_bytes));
  for (int i = 0; i < equal.stages; ++i) {
    CHECK(spans[i].start == Approx(times.first_start[i]));
    CHECK(spans[i].end == Approx(times.last_end[i]));
    const std::string memory = memory_name(schedule.platform, static_cast<MemoryId>(i));
    CHECK(static_cast<double>(schedule.predicted.peak_bytes.at(memory)) == peaks[i]);
  }
}

}  // namespace

TEST_CASE("Planned pipelines take the time, the spans and the bytes of the closed forms",
          "[pipelines]") {
  const PipelineKind kind = GENERATE(PipelineKind::gpipe, PipelineKind::one_f_one_b);
  const int stages = GENERATE(1, 2, 4);
  const int microbatches = GENERATE(1, 3, 8);
  check_known(kind, {stages, microbatches, 1, 2, 0, 4});
}

TEST_CASE("Planned zero-bubble pipelines run as the vectors' do", "[pipelines]") {
  const PipelineKind kind = GENERATE(PipelineKind::zb_h1, PipelineKind::zb_h2);
  const int stages = GENERATE(2, 4);
  const int microbatches = GENERATE(4, 9);
  check_known(kind, {stages, microbatches, 2, 3, 2, 4});
}

TEST_CASE("Interleaved stages wait for less", "[pipelines]") {
  const Graph graph = equal_stages_graph({4, 4, 1, 2, 0, 1});
  const double plain = planned(graph, row_of_devices(2), asking("1f1b", 2)).predicted.seconds;
  const double interleaved =
      planned(graph, row_of_devices(2), asking("interleaved:2", 2)).predicted.seconds;
  CHECK(plain == Approx((4 + 1) * 6));
  CHECK(interleaved == Approx(4 * 6 + 3));
}

TEST_CASE("Where a pipeline's activations do not fit, stages compute them again", "[pipelines]") {
  const EqualStages equal{2, 4, 1, 2, 0, 10};
  const Graph graph = equal_stages_graph(equal);
  const Schedule roomy = planned(graph, row_of_devices(2, 40), asking("gpipe", 2));
  CHECK(roomy.predicted.recomputed == 0);
  const Schedule tight = planned(graph, row_of_devices(2, 39), asking("gpipe", 2));
  CHECK(tight.predicted.recomputed > 0);
  CHECK(tight.predicted.peak_bytes.at("n0/m0") <= 39);
  const Schedule frugal = planned(graph, row_of_devices(2, 39), asking("auto", 2));
  CHECK(frugal.predicted.recomputed == 0);
  CHECK(frugal.predicted.joules < tight.predicted.joules);
}

TEST_CASE("auto is as good as every order by its name", "[pipelines]") {
  const Graph graph = equal_stages_graph({4, 4, 2, 3, 2, 1});
  const double joules = planned(graph, row_of_devices(2), asking("auto", 0)).predicted.joules;
  for (const PipelineKind kind : pipeline_kinds())
    CHECK(joules <=
          planned(graph, row_of_devices(2), asking(to_string(kind), 2)).predicted.joules + 1e-9);
}

TEST_CASE("Stages on workers of one device take turns on their own workers", "[pipelines]") {
  const Graph graph = equal_stages_graph({4, 8, 1, 1, 0, 1});
  const Schedule schedule = planned(graph, plain_machine(4), asking("1f1b", 4));
  CHECK(schedule.predicted.seconds == Approx((8 + 3) * 2));
}

TEST_CASE("A transformer is planned as a pipeline on several GPUs", "[pipelines]") {
  Request request = asking(GENERATE("1f1b", "zb-h1"), 2);
  request.batch = 8;
  request.microbatches = 4;
  const Schedule schedule = planned(read_model(bundled("models/gpt_tiny.json")),
                                    read_platform(bundled("platforms/dgx-a100.json")), request);
  std::set<std::string> used;
  for (const Action& action : schedule.actions) {
    if (action.what == Do::compute) used.insert(workers(schedule.platform)[action.worker].name);
  }
  CHECK(used.size() >= 2);
}

TEST_CASE("Pipelines that cannot be are refused", "[pipelines]") {
  const Graph graph = equal_stages_graph({4, 3, 1, 2, 0, 1});
  const auto refused = [&](const Request& request, int devices) {
    CHECK_THROWS_AS(plan(problem_of(graph, row_of_devices(devices), request), {}), InputError);
  };
  refused(asking("1f1b", 5), 8);
  refused(asking("1f1b", 3), 2);
  refused(asking("2f2b", 2), 2);
  refused(asking("1f1b:2", 2), 2);
  refused(asking("interleaved:0", 2), 2);
  refused(asking("interleaved", 2), 2);
  refused(asking("", 2), 2);
  refused(asking("1f1b", -1), 2);
  Request other = asking("1f1b", 2);
  other.strategy = "keep-all";
  refused(other, 2);
}

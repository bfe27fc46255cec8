#include "planner/pipelines/pipeline_times.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/planner/pipelines/vectors.hpp"

using namespace stint;

namespace {

StageSeconds equal_stages(int stages, double forward, double backward, double weights = 0) {
  return {std::vector<double>(stages, forward), std::vector<double>(stages, backward),
          std::vector<double>(stages, weights), 0};
}

double longest_span(const PipelineTimes& times) {
  double most = 0;
  for (std::size_t i = 0; i < times.busy.size(); ++i)
    most = std::max(most, times.last_end[i] - times.first_start[i]);
  return most;
}

}  // namespace

TEST_CASE("Times and peaks of pipelines are those of the vectors", "[pipelines]") {
  for (const KnownPipeline& known : known_pipelines()) {
    const PipelineOrder order =
        pipeline_order(known.kind, known.stages, known.microbatches, known.chunks);
    const PipelineTimes times = pipeline_times(order, known.seconds);
    REQUIRE(times.seconds == known.makespan);
    REQUIRE(times.first_start == known.first_start);
    REQUIRE(times.last_end == known.last_end);
    REQUIRE(times.busy == known.busy);
    REQUIRE(peak_activations(order, known.act, known.act_weights) == known.peak);
    if (!known.recompute_keep.empty())
      REQUIRE(peak_recomputing(order, known.act, known.recompute_keep) == known.peak_recompute);
  }
}

TEST_CASE("Starts and slack of pipelines are those of the vectors", "[pipelines]") {
  const auto all = known_slacks();
  REQUIRE(all.size() == 12);
  for (const KnownSlack& known : all) {
    const PipelineTimes times =
        pipeline_times(pipeline_order(known.kind, known.stages, known.microbatches), known.seconds);
    REQUIRE(times.seconds == known.makespan);
    REQUIRE(times.start == known.start);
    REQUIRE(times.slack == known.slack);
  }
}

TEST_CASE("GPipe and 1F1B take the time and the activations of the closed forms", "[pipelines]") {
  const int p = GENERATE(range(1, 7));
  const int m = GENERATE(range(1, 9));
  const PipelineOrder gpipe = pipeline_order(PipelineKind::gpipe, p, m);
  const PipelineOrder one_f_one_b = pipeline_order(PipelineKind::one_f_one_b, p, m);
  CHECK(pipeline_times(gpipe, equal_stages(p, 2, 3)).seconds == (m + p - 1) * 5);
  CHECK(pipeline_times(one_f_one_b, equal_stages(p, 2, 3)).seconds == (m + p - 1) * 5);
  const std::vector<double> act(p, 1);
  const auto of_gpipe = peak_activations(gpipe, act);
  const auto of_one_f_one_b = peak_activations(one_f_one_b, act);
  for (int i = 0; i < p; ++i) {
    CHECK(of_gpipe[i] == m);
    CHECK(of_one_f_one_b[i] == std::min(p - i, m));
  }
}

TEST_CASE("Interleaving divides the idle time by the chunks", "[pipelines]") {
  const int p = GENERATE(range(1, 5));
  const int m = p * GENERATE(1, 2, 3);
  const int v = GENERATE(range(1, 4));
  const PipelineOrder order = pipeline_order(PipelineKind::interleaved, p, m, v);
  const double ideal = m * v * 5;
  CHECK(pipeline_times(order, equal_stages(p, 2, 3)).seconds == ideal + (p - 1) * 5);
  const auto peaks = peak_activations(order, std::vector<double>(p, 1));
  for (int i = 0; i < p; ++i) CHECK(peaks[i] == std::min(2 * (p - i - 1) + (v - 1) * p + 1, m * v));
}

TEST_CASE("Zero-bubble pipelines have the spans and activations of the closed forms",
          "[pipelines]") {
  const int p = GENERATE(range(1, 6));
  const int m = GENERATE_COPY(range(2 * p - 1, 3 * p + 1));
  const double weights = GENERATE(1.0, 2.0);
  const StageSeconds seconds = equal_stages(p, 2, 2, weights);
  const PipelineOrder h1 = pipeline_order(PipelineKind::zb_h1, p, m);
  const PipelineOrder h2 = pipeline_order(PipelineKind::zb_h2, p, m);
  const double work = m * (4 + weights);
  CHECK(longest_span(pipeline_times(h1, seconds)) == work + (p - 1) * (4 - weights));
  CHECK(longest_span(pipeline_times(h2, seconds)) ==
        work + std::max(0.0, (p - 1) * (4 - 2 * weights)));
  const std::vector<double> act(p, 3);
  const std::vector<double> for_weights(p, 1);
  const auto of_h1 = peak_activations(h1, act, for_weights);
  const auto of_h2 = peak_activations(h2, act, for_weights);
  for (int i = 0; i < p; ++i) {
    CHECK(of_h1[i] == (p - i) * 3 + i);
    CHECK(of_h2[i] == (2 * (p - i) - 1) * 3 + 2 * i);
  }
}

TEST_CASE("Without a flush a pipeline's period is its slowest stage", "[pipelines]") {
  const StageSeconds seconds{{1, 2, 1, 3}, {2, 3, 2, 3}, {}, 0};
  const auto time_of = [&](int m) {
    return pipeline_times(pipeline_order(PipelineKind::one_f_one_b, 4, m), seconds).seconds;
  };
  CHECK(time_of(21) - time_of(20) == 6);
}

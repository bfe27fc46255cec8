#include "planner/pipelines/pipeline_order.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "files/input_error.hpp"
#include "tests/planner/pipelines/vectors.hpp"

using namespace stint;

namespace {

std::string text_of(const std::vector<StageOperation>& list, bool has_chunks) {
  std::string text;
  for (const StageOperation& operation : list) {
    if (!text.empty()) text += ' ';
    text += "FBW"[static_cast<int>(operation.work)] + std::to_string(operation.microbatch);
    if (has_chunks) text += '.' + std::to_string(operation.chunk);
  }
  return text;
}

}  // namespace

TEST_CASE("Orders of pipelines are those of the vectors", "[pipelines]") {
  const auto all = known_pipelines();
  REQUIRE(all.size() == 217);
  for (const KnownPipeline& known : all) {
    const PipelineOrder order =
        pipeline_order(known.kind, known.stages, known.microbatches, known.chunks);
    REQUIRE(order.lists.size() == known.order.size());
    for (int i = 0; i < known.stages; ++i)
      REQUIRE(text_of(order.lists[i], known.kind == PipelineKind::interleaved) == known.order[i]);
  }
}

TEST_CASE("Every operation of a pipeline is in the order once", "[pipelines]") {
  const PipelineKind kind = GENERATE(from_range(pipeline_kinds()));
  const int stages = GENERATE(1, 2, 3, 5);
  const int microbatches = stages * GENERATE(1, 2, 3);
  const int chunks = kind == PipelineKind::interleaved ? 3 : 1;
  const PipelineOrder order = pipeline_order(kind, stages, microbatches, chunks);
  const int works = has_weight_operations(kind) ? 3 : 2;
  for (const auto& list : order.lists) {
    std::set<std::tuple<StageWork, int, int>> seen;
    for (const StageOperation& operation : list)
      seen.emplace(operation.work, operation.microbatch, operation.chunk);
    CHECK(seen.size() == list.size());
    CHECK(static_cast<int>(list.size()) == works * microbatches * chunks);
  }
}

TEST_CASE("Names of pipelines name them", "[pipelines]") {
  for (const PipelineKind kind : pipeline_kinds()) CHECK(pipeline_kind(to_string(kind)) == kind);
  CHECK_FALSE(pipeline_kind("2f2b"));
}

TEST_CASE("Pipelines without stages or micro-batches are refused", "[pipelines]") {
  CHECK_THROWS_AS(pipeline_order(PipelineKind::gpipe, 0, 1), InputError);
  CHECK_THROWS_AS(pipeline_order(PipelineKind::gpipe, 1, 0), InputError);
  CHECK_THROWS_AS(pipeline_order(PipelineKind::interleaved, 2, 2, 0), InputError);
  CHECK_THROWS_AS(pipeline_order(PipelineKind::interleaved, 2, 3, 2), InputError);
}

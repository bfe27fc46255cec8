#include "planner/pipelines/pipedream.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/pipelines/vectors.hpp"

using namespace stint;

TEST_CASE("PipeDream's partitions are those of the vectors", "[pipelines]") {
  const auto all = known_partitions();
  REQUIRE(all.size() == 120);
  for (const KnownPartition& known : all) {
    const auto partition = pipedream_partition(known.problem);
    REQUIRE(partition);
    REQUIRE(partition->seconds == Approx(known.seconds).epsilon(1e-12));
    REQUIRE(partition->ends == known.ends);
    REQUIRE(partition->replicas == known.replicas);
  }
}

TEST_CASE("PipeDream's stages hold a version for every worker from them on", "[pipelines]") {
  // Two layers on two workers: the first stage holds two versions of 4 bytes, the second one.
  PipeDreamProblem problem{{1, 1}, {1, 1}, {3, 3}, 1e9, 2};
  problem.replicates = false;
  problem.memory_bytes = 8;
  CHECK(pipedream_partition(problem)->ends == std::vector<int>{0, 1});
  problem.memory_bytes = 7;
  CHECK_FALSE(pipedream_partition(problem));
}

TEST_CASE("Replicas of a stage share its versions", "[pipelines]") {
  PipeDreamProblem problem{{1, 1}, {1, 1}, {0, 0}, 1e9, 4};
  problem.memory_bytes = 2;
  const auto partition = pipedream_partition(problem);
  REQUIRE(partition);
  CHECK(partition->ends == std::vector<int>{1});
  CHECK(partition->replicas == std::vector<int>{4});
  CHECK(partition->seconds == 0.5);
}

#include "planner/grains/runs.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "models/lowering.hpp"
#include "tests/support/run_program.hpp"

using namespace stint;

using Leaves = std::vector<std::int64_t>;

TEST_CASE("a run becomes the fewest nodes of the tree", "[grains]") {
  CHECK(run_pieces({8}) == Leaves{8});
  CHECK(run_pieces({100}) == Leaves{100});
  CHECK(run_pieces({50, 50}) == Leaves{32, 16, 2, 2, 4, 8, 36});
  CHECK(run_pieces({3, 0, 5}) == Leaves{2, 1, 1, 4});
}

TEST_CASE("layers can be cut into any runs", "[grains]") {
  const Network network = read_network(bundled("models/lenet5.json"));
  for (std::int64_t leaves = 1; leaves <= 40; ++leaves) {
    for (std::int64_t first = 0; first <= leaves; ++first) {
      const Leaves pieces = run_pieces({first, leaves - first});
      CHECK(std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0}) == leaves);
      const Lowering lowering{
          .batch = leaves, .leaves = leaves, .cuts = {{.layer = "conv1", .pieces = pieces}}};
      CHECK_NOTHROW(lower(network, lowering));
    }
  }
}

#include "planner/pipelines/stage_blocks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/planner/pipelines/vectors.hpp"

using namespace stint;

TEST_CASE("Blocks of layers are those of the vectors", "[pipelines]") {
  const auto all = known_blocks();
  REQUIRE(all.size() == 40);
  for (const KnownBlocks& known : all) {
    const Blocks blocks =
        min_max_blocks(std::vector<double>(known.costs.begin(), known.costs.end()), known.blocks);
    REQUIRE(blocks.most == known.most);
    std::vector<int> last = blocks.ends;
    for (int& end : last) --end;
    REQUIRE(last == known.ends);
    REQUIRE(torchgpipe_blocks(known.costs, known.blocks) == known.torchgpipe);
  }
}

TEST_CASE("The heuristic of torchgpipe is never better than the best blocks", "[pipelines]") {
  std::mt19937_64 random(GENERATE(range(0, 40)));
  std::vector<std::int64_t> costs(4 + random() % 9);
  for (auto& cost : costs) cost = static_cast<std::int64_t>(random() % 50);
  const int blocks = 1 + static_cast<int>(random() % 4);
  double most = 0;
  int begin = 0;
  for (const int length : torchgpipe_blocks(costs, blocks)) {
    double sum = 0;
    for (int i = begin; i < begin + length; ++i) sum += static_cast<double>(costs[i]);
    most = std::max(most, sum);
    begin += length;
  }
  CHECK(min_max_blocks(std::vector<double>(costs.begin(), costs.end()), blocks).most <= most);
}

TEST_CASE("Blocks that are not allowed are not chosen", "[pipelines]") {
  const auto only_even = [](int, int begin, int end) {
    return (end - begin) % 2 == 0 ? double(end - begin) : INFINITY;
  };
  CHECK(min_max_blocks(6, 2, only_even).ends == std::vector<int>{2, 6});
  CHECK(min_max_blocks(5, 2, only_even).ends.empty());
  CHECK(min_max_blocks(2, 3, only_even).ends.empty());
}

#include "models/training/tree.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace stint;

namespace {

// The tree written with brackets, by the definition: node k of level j stands for items
// [k·2^j, (k+1)·2^j), as far as there are that many.
std::string by_definition(int begin, int size, int items) {
  if (size == 1) return std::to_string(begin);
  const int middle = begin + size / 2;
  const std::string left = by_definition(begin, size / 2, items);
  if (middle >= items) return left;
  return "(" + left + "+" + by_definition(middle, size / 2, items) + ")";
}

std::string by_merges(int items) {
  std::vector<std::string> nodes;
  for (int i = 0; i < items; ++i) nodes.push_back(std::to_string(i));
  for (const TreeMerge& merge : dyadic_merges(items))
    nodes.push_back("(" + nodes.at(merge.left) + "+" + nodes.at(merge.right) + ")");
  return nodes.back();
}

}  // namespace

TEST_CASE("the tree of sums is the dyadic one for every number of items", "[tree]") {
  for (int items = 1; items <= 130; ++items) {
    CAPTURE(items);
    REQUIRE(by_merges(items) == by_definition(0, 256, items));
  }
}

TEST_CASE("a merge comes as soon as its items are there", "[tree]") {
  int before = 0;
  for (const TreeMerge& merge : dyadic_merges(23)) {
    CHECK(merge.end >= before);
    CHECK(merge.begin < merge.end);
    before = merge.end;
  }
  CHECK(before == 23);
}

TEST_CASE("aligned runs of items are nodes, so cutting there changes no sum", "[tree]") {
  // Eight items in pieces of two: the tree over pieces continues the tree within them.
  const auto of_items = dyadic_merges(8);
  int pairs = 0;
  for (const TreeMerge& merge : of_items) pairs += merge.end - merge.begin == 2 ? 1 : 0;
  CHECK(pairs == 4);
  CHECK(by_merges(4) == "((0+1)+(2+3))");
  CHECK(by_merges(8) == "(((0+1)+(2+3))+((4+5)+(6+7)))");
}

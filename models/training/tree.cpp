#include "models/training/tree.hpp"

namespace stint {
namespace {

struct TreeNode {
  int id = 0;
  int begin = 0;
  int end = 0;
  int items() const { return end - begin; }
};

}  // namespace

// A binary counter: two nodes of equal size are merged at once, what remains at the end from the
// right.
std::vector<TreeMerge> dyadic_merges(int items) {
  std::vector<TreeMerge> merges;
  std::vector<TreeNode> open;
  const auto merge_last_two = [&] {
    const TreeNode right = open.back();
    open.pop_back();
    TreeNode& left = open.back();
    merges.push_back({left.id, right.id, left.begin, right.begin, right.end});
    left = {items + static_cast<int>(merges.size()) - 1, left.begin, right.end};
  };
  for (int item = 0; item < items; ++item) {
    open.push_back({item, item, item + 1});
    while (open.size() > 1 && open[open.size() - 2].items() == open.back().items())
      merge_last_two();
  }
  while (open.size() > 1) merge_last_two();
  return merges;
}

}  // namespace stint

// The fixed tree by which everything is summed over samples: node k of level j stands for items
// [k·2^j, (k+1)·2^j), as far as there are that many. So the bits of a sum depend on the number of
// items alone, not on who computes which of them when, and a power of two of neighbours is a node.
#pragma once

#include <vector>

namespace stint {

// Node `items` + i is merge i; nodes below are the items themselves.
struct TreeMerge {
  int left = 0;
  int right = 0;
  int begin = 0;   // the items it stands for, half-open
  int middle = 0;  // where the right side begins
  int end = 0;
};

// All merges, each as early as its items allow: in ascending order of `end`. The last one is the
// whole; none if there is one item.
std::vector<TreeMerge> dyadic_merges(int items);

}  // namespace stint

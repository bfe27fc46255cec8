// Layers in a row, cut into blocks in a row: one for each stage of a pipeline. Pure functions of
// costs; who the stages are, and what a cut costs, is for the caller to say.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace stint {

// What a block of the items [begin, end) costs as the block-th; infinite: not allowed.
using BlockCost = std::function<double(int block, int begin, int end)>;

struct Blocks {
  std::vector<int> ends;  // of each block, the index behind its last item
  double most = 0;        // the largest cost; infinite (and no ends) if nothing is allowed
};

// The blocks of least largest cost, none of them empty; among equal ones the lexicographically
// smallest ends. Exact dynamic programming over the last block: items² · blocks costs.
Blocks min_max_blocks(int items, int blocks, const BlockCost& cost);
Blocks min_max_blocks(const std::vector<double>& costs, int blocks);

// Lengths of the blocks by the heuristic of Bárány and Grinberg as torchgpipe has it, without
// rounding: to compare with. It can be far from the best. Needs at least as many costs as blocks.
std::vector<int> torchgpipe_blocks(const std::vector<std::int64_t>& costs, int blocks);

}  // namespace stint

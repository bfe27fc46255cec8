// Into which pieces of its leaves each layer is cut, and in which order what the pieces sum up is
// merged; and the ranges of elements in which a parameter is summed and updated.
//
// A piece is a node of the tree of leaves (tree.hpp), so that cuts never change a bit: whatever the
// pieces, the same leaves are added in the same order. Ranges are of no consequence to it at all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"
#include "models/training/tree.hpp"

namespace stint {

struct LayerPieces {
  std::vector<std::int64_t> begin;  // the first leaf of each piece, then the number of leaves
  std::vector<TreeMerge> merges;    // of pieces
  std::int64_t count() const { return std::ssize(begin) - 1; }
};

// Of every layer and the loss; one piece where there is no cut. Throws InputError if a cut names no
// layer, or if its pieces are no nodes of the tree.
std::map<std::string, LayerPieces> layer_pieces(const Network& network, const Lowering& lowering);

// Half-open.
struct ElementRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - begin; }
};

// Equal ranges, whole cache lines but for the last; fewer than asked for where elements are few.
std::vector<ElementRange> element_ranges(std::int64_t elements, std::int64_t ranges);

}  // namespace stint

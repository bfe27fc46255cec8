// Runs of neighbouring leaves, one for each worker and as long as its share, as pieces that a layer
// can be cut into: nodes of the tree of leaves, as few for each run as there can be.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

// `shares` are the lengths of the runs; they sum up to all leaves. At most 2·log2(leaves) pieces a
// run.
std::vector<std::int64_t> run_pieces(const std::vector<std::int64_t>& shares);

}  // namespace stint

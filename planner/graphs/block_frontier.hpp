// How a block of a training graph can be run: what it keeps between its forward and its backward,
// what it computes again for that, and how much memory it takes while it runs. A few choices that
// none of the others beats, each solved by moment generation on the block alone (graph_solver.hpp)
// for several amounts of memory to keep and to run in.
//
// Blocks that are alike in structure, sizes and costs are solved once. Rockmate does the same
// (Zhao, Le Hellard, Eyraud-Dubois, Gusak, Beaumont, ICML 2023).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/graphs/blocks.hpp"
#include "planner/graphs/sequence.hpp"

namespace stint {

// Bytes with and without the input of the block, which may stay for others.
struct BlockPeak {
  std::int64_t with_input = 0;
  std::int64_t without_input = 0;
};

struct BlockOption {
  TaskSequence forward;  // tasks of the block's graph
  TaskSequence backward;
  double cost = 0;              // of both
  double cost_alone = 0;        // the same where nobody wants the output
  std::int64_t kept_bytes = 0;  // between them, without input and output
  bool keeps_input = false;     // its backward reads it
  bool keeps_output = false;
  BlockPeak forward_peak;
  BlockPeak backward_peak;
};

struct BlockFrontier {
  BlockGraph block;
  std::vector<BlockOption> options;  // the one that keeps most first
  double forward_cost = 0;
  BlockPeak forward_peak;  // of a forward for which nothing is kept
};

class BlockSolver {
 public:
  explicit BlockSolver(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

  // `thorough`: more choices; for few blocks.
  std::shared_ptr<const BlockFrontier> solve(const BlockGraph& block, bool thorough);
  int solved() const { return static_cast<int>(known_.size()); }  // blocks that differed

 private:
  const std::atomic<bool>* interrupted_;
  std::map<std::vector<std::int64_t>, std::shared_ptr<const BlockFrontier>> known_;
};

}  // namespace stint

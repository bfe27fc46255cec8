// A training step as a row of blocks, each of which computes again what it must on its own
// (block_reruns.hpp): for a bound on all of them together.
//
// Tasks that depend on each other begin the backwards of the blocks, one after the other. What
// depends on one of these and not on the next is a block's own; every task that has run before all
// of them belongs to the last block that reads what it writes, at first or second hand. So no
// task is in two blocks, and what blocks compute again adds up. Where a task of a block reads what
// is no item of it, that is there for nothing.
//
// Small items are many, and would make the search of a block endless: of a block's tasks that write
// nothing else a second block is made, which is taken to have all the memory, so that only counts
// what keeping its items takes. It comes before the block itself.
#pragma once

#include <vector>

#include "planner/chains/recognise.hpp"
#include "planner/graphs/block_reruns.hpp"
#include "planner/graphs/device_graph.hpp"

namespace stint {

inline constexpr std::int64_t tiny_part_of_memory = 4096;  // what is smaller is of no account

struct BlockRow {
  std::vector<RerunBlock> blocks;               // in the order of their backwards
  std::vector<std::vector<TaskId>> tasks;       // of the graph, by block
  std::vector<std::vector<GraphItemId>> items;  // likewise
  std::int64_t first_bytes = 0;  // that are there beside their items when the first of them begins
};

struct RowShape {
  std::size_t tasks_of_block = 0;  // about
  int last_stages = 1;             // of the chain, that are in no block of their own
};

// That are worth a try: the larger the blocks, the more they know, and the longer they take.
inline constexpr RowShape row_shapes[] = {{16, 1}, {16, 3}, {24, 1}, {32, 1}, {32, 2}, {32, 3}};

// No blocks where the graph has fewer than two, or is too large.
BlockRow block_row(const Problem& problem, const DeviceGraph& graph, const TaskChain& chain,
                   const std::vector<std::int64_t>& costs, const RowShape& shape);

}  // namespace stint

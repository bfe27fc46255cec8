// How many bytes schedules of a chain need in the fast memory.
#pragma once

#include <cstdint>

#include "planner/chains/chain_problem.hpp"

namespace stint {

// The most bytes that are in each memory at once, the fast one first, while a complete schedule
// (with its drops) is performed. It must be legal.
std::vector<std::int64_t> peak_bytes(const ChainArrays& chain, int memories,
                                     const ChainOperations& operations);

// Every forward once, everything that a backward reads kept until it has run.
ChainOperations keep_everything(const ChainArrays& chain);

// No schedule with less does without recomputing or copying.
std::int64_t full_memory_bytes(const ChainArrays& chain);

// No schedule of one memory or many does with less: the largest operation.
std::int64_t largest_operation_bytes(const ChainArrays& chain);

}  // namespace stint

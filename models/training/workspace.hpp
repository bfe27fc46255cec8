// How workspace is laid out: what a kernel needs for itself, then, for every output that a task
// sums up over several leaves, a partial result for every level of the tree.
#pragma once

#include <bit>
#include <cstdint>

namespace stint {

inline constexpr std::int64_t workspace_alignment_bytes = 64;  // a cache line, and any vector

inline std::int64_t aligned_workspace(std::int64_t bytes) {
  return (bytes + workspace_alignment_bytes - 1) / workspace_alignment_bytes *
         workspace_alignment_bytes;
}

// ⌈log2 leaves⌉: so many partial results wait at most, beside the one in the output's own place.
inline std::int64_t tree_levels(std::int64_t leaves) {
  return std::bit_width(static_cast<std::uint64_t>(leaves - 1));
}

}  // namespace stint

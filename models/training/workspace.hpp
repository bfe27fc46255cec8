// How workspace is laid out: what a kernel needs for itself, then, for every output that a task
// sums up over several leaves, a partial result for every level of the tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace stint {

inline constexpr std::int64_t float_bytes = 4;
inline constexpr std::int64_t workspace_alignment_bytes = 64;  // a cache line, and any vector

// What a kernel is assumed to need for one leaf, until it has been measured: more than the
// libraries that we know of ask for.
struct Workspace {
  std::int64_t bytes = 0;         // whatever the leaf
  std::int64_t sample_bytes = 0;  // for each of its samples
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

  std::int64_t at(std::int64_t samples) const {
    constexpr std::int64_t huge = std::int64_t{1} << 60;  // nothing holds that
    const bool can_be_counted = sample_bytes <= (huge - bytes) / samples;
    return std::min(can_be_counted ? bytes + sample_bytes * samples : huge, most_bytes);
  }
};

inline std::int64_t aligned_workspace(std::int64_t bytes) {
  return (bytes + workspace_alignment_bytes - 1) / workspace_alignment_bytes *
         workspace_alignment_bytes;
}

// ⌈log2 leaves⌉: so many partial results wait at most, beside the one in the output's own place.
inline std::int64_t tree_levels(std::int64_t leaves) {
  return std::bit_width(static_cast<std::uint64_t>(leaves - 1));
}

}  // namespace stint

// Bytes that parts share with their wholes. Cutting every whole at the ends of its parts gives
// segments: the smallest pieces that are ever written or read by themselves. A tensor is a run of
// consecutive segments; a tensor without parts that is no part is one segment. Who wrote what is
// asked of segments, so that a part, its whole and a view of both need no rules of their own.
//
// A part of 0 bytes shares nothing, so it is a root and a segment of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.hpp"

namespace stint {

enum SegmentId : int {};

struct SegmentRange {
  int begin = 0;  // half-open
  int end = 0;
  int size() const { return end - begin; }
  bool operator==(const SegmentRange&) const = default;
};

struct Segments {
  std::vector<SegmentRange> of_tensor;
  std::vector<TensorId> root;               // of a tensor: the whole that is no part
  std::vector<std::int64_t> root_offset;    // of a tensor: where it begins in its root, bytes
  std::vector<std::int64_t> begin_bytes;    // of a segment, from the start of its root
  std::vector<std::int64_t> end_bytes;
  int count() const { return static_cast<int>(begin_bytes.size()); }
};

// Needs part_of links that are acyclic and inside their wholes, as check(graph) ensures.
// Cost: O(n log n) in the number of tensors, plus the segments.
Segments segments(const Graph& graph);

}  // namespace stint

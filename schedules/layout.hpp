// Where the bytes of tensors lie in buffers. A buffer that is not `within` another is a *place*:
// the memory it covers, cut into the segments of its tensor (models/segments.hpp). Buffers within
// it are runs of the same cells. Who wrote which bytes is asked of cells.
#pragma once

#include <cstdint>
#include <vector>

#include "models/segments.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Half-open run of cells.
struct CellRange {
  int begin = 0;
  int end = 0;
};

struct Layout {
  Segments segments;             // of the schedule's graph
  std::vector<BufferId> place;   // by buffer: the outermost buffer it lies in; no_buffer if unsound
  std::vector<CellRange> cells;  // by buffer; empty if unsound. Workspace has one cell.
  std::vector<BufferId> cell_place;  // by cell
  std::vector<int> cell_segment;     // by cell; -1 for workspace
};

// Buffers whose `within` chain is unsound (a cycle, a tensor that is no part of the other's) get no
// place; the judge reports them.
Layout layout(const Schedule& schedule);

// The outermost buffer, or no_buffer if the chain never ends or leaves the table.
BufferId outermost(const Schedule& schedule, BufferId buffer);

// Where in memory a cell begins and ends, in the first half of a double buffer.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Extent extent(const Schedule& schedule, const Layout& layout, int cell);

// Bytes rounded up to the memory's alignment; the largest int64 if that overflows.
std::int64_t aligned_bytes(const Platform& platform, MemoryId memory, std::int64_t bytes);

}  // namespace stint

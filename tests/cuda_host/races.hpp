// Finds races in device and pinned memory. Every operation says which bytes it reads and writes;
// two operations that share a byte, one of them writing, must be ordered by streams, events or the
// host. The check is made when an operation is enqueued, with vector clocks, so it does not depend
// on the order in which operations happen to run. Not found: accesses that an operation does not
// declare. Cost: logarithmic in the number of distinct ranges in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/cuda_host/clock.hpp"

namespace cuda_host {

using Address = std::uintptr_t;

struct MemoryAccess {
  Address first = 0;
  std::size_t bytes = 0;
  bool writes = false;
};

// Who accesses: the clock includes the operation itself.
struct AccessActor {
  AgentId agent{};
  const VectorClock* clock = nullptr;
  std::shared_ptr<const std::string> label;  // of the operation, for reports
};

class AccessHistory {
 public:
  // Empty, or what races: "A writes bytes [8, 16) from … that B reads". Adds the access either way.
  std::string add(const MemoryAccess& access, const AccessActor& actor);

  // Empty, or the label of an operation on these bytes that did not happen before `clock`.
  std::string unfinished(Address first, std::size_t bytes, const VectorClock& clock) const;

  void forget(Address first, std::size_t bytes);

 private:
  struct Mark {
    AgentId agent{};
    std::uint64_t count = 0;
    std::shared_ptr<const std::string> label;  // null: none
    bool before(const VectorClock& clock) const { return !label || count <= clock.at(agent); }
  };
  struct Segment {
    Address end = 0;
    Mark write;
    std::vector<Mark> reads;  // since that write, the last of each agent
  };
  using Segments = std::map<Address, Segment>;

  void split(Address at);
  void cover(Address first, Address end);
  static const Mark* conflict(const Segment& segment, const MemoryAccess& access,
                              const VectorClock& clock);
  static void mark(Segment& segment, const MemoryAccess& access, const Mark& mark);

  Segments segments_;  // disjoint
};

}  // namespace cuda_host

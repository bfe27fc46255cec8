// How data gets from one memory to another: the cheapest path of links, by the time of a copy of
// typical size (Dijkstra). Found when first asked for, then remembered.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "platforms/platform.hpp"

namespace stint {

class Routes {
 public:
  Routes(const Platform& platform, std::int64_t typical_bytes)
      : platform_(platform), typical_bytes_(typical_bytes) {}

  // The links in order; empty if there is no way (or nowhere to go).
  const std::vector<LinkId>& route(MemoryId from, MemoryId to);

 private:
  std::vector<std::vector<LinkId>> routes_from(MemoryId from) const;

  const Platform& platform_;
  std::int64_t typical_bytes_;
  std::map<MemoryId, std::vector<std::vector<LinkId>>> known_;
};

}  // namespace stint

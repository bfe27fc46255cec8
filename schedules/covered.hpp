// Which part of a plan's energy the counters of a machine see, so that only like is compared with
// like: packages see what processors cost, dram what their memories cost, a GPU's counter what that
// GPU and its memory cost. No counter sees the base of a node, storage, or links that leave memory.
//
// A part is told by prices: a platform in which everything else costs nothing. Times do not depend
// on prices, so the energies of a plan on both parts add up to its energy, term by term.
#pragma once

#include <string>
#include <vector>

#include "platforms/meters/energy_meter.hpp"
#include "platforms/platform.hpp"

namespace stint {

struct PlatformParts {
  Platform covered;    // as measured; the rest for nothing
  Platform uncovered;  // the other way round
};

// By the domains that have joules. Processors are covered only if every package is measured, for
// nobody knows which of their cores stands where; memories likewise. The n-th `cuda` device is
// `gpu-n`.
PlatformParts split_by_coverage(const Platform& platform,
                                const std::vector<DomainReading>& domains);

// Whether a domain's joules belong into the comparison: the platform prices what it sees, and all
// others that the same prices need are measured too. Else they are told, but not compared.
bool is_compared(const Platform& platform, const std::vector<DomainReading>& domains,
                 const DomainReading& domain);

}  // namespace stint

// Believing a counter only after it has counted: read, some real work, read again. A counter that
// stands still, reads zero (a virtual machine's), or rises by more than anything draws is none.
#pragma once

#include <functional>
#include <vector>

#include "platforms/meters/energy_meter.hpp"

namespace stint {

void work_for_a_tenth_of_a_second();

struct Probing {
  std::function<void()> work = work_for_a_tenth_of_a_second;
  SecondsNow now = steady_seconds;
  int most_rounds =
      5;  // of work, while a counter has not moved: some are slow to be brought up to date
};

// Sets `probed_watts`, or takes the counter away and says why. Works only if there is a counter.
void probe(std::vector<EnergyDomain>& domains, const Probing& probing = {});

}  // namespace stint

// What it takes until a worker that waits for another goes on: by the executor's own counters
// (progress.hpp), on two cores, from before one is raised until the other thread has seen it. The
// median of many hand-overs to a thread that spins, and of some to one that sleeps and is woken up.
//
// Then bytes: how much longer it takes to read what the other core has just written than what this
// one has, and to write what the other has just read: as much as fits the caches of one core; the
// medians again.
#pragma once

#include "platforms/platform.hpp"

namespace stint {

struct HandOverSeconds {
  double spin = 0;
  double sleep = 0;
  double read = 0;  // by byte
  double write = 0;
};

// From one core of this machine to another. Takes some tens of milliseconds.
HandOverSeconds measure_hand_overs(int from_core, int to_core);

// Prices the hand-overs of a device whose first worker is that core; not if it has only one.
void measure_hand_overs(int first_core, Device& device);

}  // namespace stint

// Small good schedules made by hand, their predictions worked out on paper: what tests compare
// with, and what they break on purpose.
//
// All are of chain_graph(5): F0…F4 turn x0 into x5, B5…B0 run back, each taking a second;
// activations are one byte, gradients none. The machine takes 20 W for its board, 8 W for an idle
// processor and 7 W more for a busy worker, so that a second of work costs 35 J.
#pragma once

#include "schedules/schedule.hpp"

namespace stint {

// One node, `n0/ram` and `n0/disk` (alignment 1, a second for the first byte between them and two
// joules a byte), `n0/cpu` with the given workers and the states 2.8GHz and 1.6GHz, not settable.
Platform course_machine(int workers = 1);

// Everything kept: 11 s, 385 J, 6 bytes.
Schedule chain_kept_whole();

// The example of the design, under 4 bytes: F2 and F0 run again; 13 s, 455 J.
Schedule chain_recomputed();

// x1 goes to the disk and comes back while others compute: 11 s, 389 J, 5 bytes and 1 on the disk.
Schedule chain_offloaded();

}  // namespace stint

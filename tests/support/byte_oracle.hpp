// A second opinion on what bytes hold, byte by byte and pair by pair: far too slow for use, and
// without any of the judge's code or ideas. For schedules without double buffers whose names,
// order, actions and buffers are sound.
//
// Actions that touch a byte, one of them writing, must be ordered; then the last write before a
// read is the same under every timing, and must be the byte that the reader wants.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace stint {

// Why the schedule is wrong, or nothing if the bytes are right.
std::string fault_in_bytes(const Schedule& schedule);

}  // namespace stint

// What decides the bits of a schedule's result, by name. A kernel of one kind of device gives other
// last bits than one of another, so where a network's tasks are not all on CPUs, the name tells on
// which kinds each of them runs: bits are the same for the same tasks on the same kinds of devices.
#pragma once

#include <string>

#include "schedules/schedule.hpp"

namespace stint {

// As for the request and the lowering (schedule.hpp), and for where tasks run.
std::string numerics_sha256(const Schedule& schedule, const std::string& model_sha256);

}  // namespace stint

// From the --memory options of a command line to the bounds of a request.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/model.hpp"
#include "planner/size.hpp"
#include "platforms/platform.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// NAME is a memory, or a device and so its memory; without one it is the first accelerator's memory
// or the first device's. A percentage is of the arena that keep-all needs there. Throws InputError
// for names that are none, and for two bounds on one memory.
std::map<std::string, std::int64_t> memory_bounds(const std::vector<MemoryOption>& options,
                                                  const Model& model, const Platform& platform,
                                                  const Request& request,
                                                  const std::string& model_file);

}  // namespace stint

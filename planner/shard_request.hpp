// From the --shard options of a command line to the shards of a request.
#pragma once

#include <string>
#include <vector>

#include "models/model.hpp"
#include "platforms/platform.hpp"
#include "schedules/schedule.hpp"

namespace stint {

// Whether the planner is to choose; it then has to know the request's memory.
bool is_left_to_the_planner(const std::vector<std::string>& options);

// Each is LAYER=columns:N, rows:N, channels:N or heads:N, where a * in LAYER stands for any
// characters; or one alone: N (everything that can be cut, into so many shards), auto (the planner
// chooses) or off. Throws InputError for what is none of these, for layers that do not exist, and
// for shards of a model without layers. `request` is all the rest of it.
std::vector<Shard> shards_of(const std::vector<std::string>& options, const Model& model,
                             const Platform& platform, const Request& request,
                             const std::string& model_file);

}  // namespace stint

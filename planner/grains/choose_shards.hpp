// Chooses which layers are cut across devices or workers (models/training/shard.hpp), where the
// user leaves that to the planner: shards change the order of sums, so it is never done unasked.
//
// Candidates are no shards, and 2, 4, 8… shards up to the number of workers, of layers that meet
// only in a sum at their end (pairs of linear layers, heads with the linear layers around them), of
// these and all other linear layers, and of convolutions too. The simulator prices each as keep-all
// would plan it; the first of the best wins. Where memory is bounded, those that keep-all fits into
// it come before all others, and those that are proved not to fit at all behind them. Nothing else
// is proved. A counted number of tasks is priced.
#pragma once

#include <string>
#include <vector>

#include "models/layers/network.hpp"
#include "planner/problem.hpp"

namespace stint {

enum class ShardReach { pairs, linear, all };

// What of the network can be cut into so many shards, in the order of its layers.
std::vector<Shard> shards_everywhere(const Network& network, std::int64_t count, ShardReach reach);

std::vector<Shard> choose_shards(const Network& network, const Platform& platform,
                                 const Request& request, const std::string& model_file);

}  // namespace stint

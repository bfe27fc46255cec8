// Networks with layers in shards of every kind.
#pragma once

#include <vector>

#include "models/layers/network.hpp"
#include "models/lowering.hpp"

namespace stint {

struct ShardedCase {
  Network network;
  std::vector<Shard> shards;
};

std::vector<ShardedCase> sharded_cases();

}  // namespace stint

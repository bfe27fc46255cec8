// Layers cut across devices: columns or rows of a matrix product, channels of a convolution, heads
// of an attention. Shards are layers of their own, so that all that follows (differentiation,
// efforts, kernels, plans) knows nothing of them.
//
// - Columns and channels: each shard reads all of the input and makes some of the output's
// features.
//   The gradient of the input is a sum over shards.
// - Rows: each shard reads some of the input's features; the outputs are summed. The bias is the
//   first shard's.
// - Heads: each shard has some heads of queries, keys and values.
//
// What is made in shards stays in shards as long as whoever reads it can take it so: element-wise
// layers, pools and normalisations of channels, splits at the ends of shards, and shards of as many
// features. So columns, an activation and rows, or columns, heads and rows, meet only in the sum at
// the end (Shoeybi et al., Megatron-LM, 2019). For everyone else shards are put together, and
// wholes taken apart, by layers `x.whole` and `x.shards`.
//
// Sums over shards follow the fixed tree (tree.hpp). Backward, that is done by views: the readers
// of a value in shard i read a view of it, two views read one of both, and so on.
//
// Parameters keep their names and first values: those of a shard are parts of the whole's. Where
// these do not lie side by side, as rows do not, the whole is stored shard by shard. Where others
// use the whole, as an embedding does, each part of its gradient is added to the shard's, and
// updated.
//
// Linear in the size of the network that it makes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/layers/infer.hpp"
#include "models/lowering.hpp"
#include "models/training/training.hpp"

namespace stint {

// Some of a parameter's entries along one dimension, half-open.
struct ParameterPart {
  std::string whole;
  int dimension = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool shared = false;  // others use the whole
};

struct ShardedNetwork {
  Network network;
  std::map<std::string, std::string> layer_of;  // the layer that each was made from
  std::map<std::string, ParameterPart> parts;   // by parameter
  NetworkTypes types;                           // of the network that was cut
};

// Throws InputError if a layer cannot be cut that way.
ShardedNetwork shard(const Network& network, const std::vector<Shard>& shards);

// Of the sharded network's training: makes parameters, and what optimizers remember of them, parts
// of the wholes.
void join_parameters(const ShardedNetwork& sharded, Training& training);

// So that cuts name the layers of the network that was cut.
void name_layers(const ShardedNetwork& sharded, Training& training);

}  // namespace stint

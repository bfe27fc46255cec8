// Values of a network that were made in shards (shard.hpp): put together for whoever wants them
// whole, taken apart for whoever wants them in shards, and spread to shards that read all of them.
// Each of these adds layers to the network, once for all who want the same.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/layers/network.hpp"

namespace stint {

// Entries along one dimension of a value, half-open.
struct ShardExtent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - begin; }
  bool operator==(const ShardExtent&) const = default;
};

std::vector<ShardExtent> equal_extents(std::int64_t all, std::int64_t count);

struct ValueShards {
  struct Piece {
    std::string value;
    ShardExtent extent;
  };
  std::size_t axis = 0;
  std::vector<Piece> pieces;  // ascending, tile the dimension
  std::string whole;          // "" as long as nobody wants it
};

class ShardedValues {
 public:
  // Appends to `layers`, and notes for each which layer it was made for.
  ShardedValues(const Network& network, std::vector<Layer>& layers,
                std::map<std::string, std::string>& layer_of);

  // Those that follow are made for this layer, or for the loss.
  void begin(const std::string& layer) { layer_ = layer; }
  void add(const std::string& name, const LayerKind& kind, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs = {});

  // Null if it was made whole.
  const ValueShards* find(const std::string& value) const;
  ValueShards& make(const std::string& value, std::size_t axis);

  // The value itself.
  std::string whole(const std::string& value);
  // In shards, as it was made or taken apart.
  std::vector<std::string> apart(const std::string& value, std::size_t axis,
                                 const std::vector<ShardExtent>& extents);
  // As many views of the value as there are shards that read all of it, and views of views between:
  // their gradients are summed by the tree.
  std::vector<std::string> spread(const std::string& value, std::int64_t count);

 private:
  using Key = std::pair<std::string, std::int64_t>;  // a value, and how many shards
  std::string unused(const std::string& name);

  std::vector<Layer>& layers_;
  std::map<std::string, std::string>& layer_of_;
  std::string layer_;
  std::set<std::string> names_;                // of layers
  std::map<std::string, ValueShards> shards_;  // by value
  std::map<Key, std::vector<std::string>> apart_;
  std::map<Key, std::vector<std::string>> spread_;
};

}  // namespace stint

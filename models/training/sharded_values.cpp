#include "models/training/sharded_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/training/tree.hpp"

namespace stint {

std::vector<ShardExtent> equal_extents(std::int64_t all, std::int64_t count) {
  std::vector<ShardExtent> extents;
  for (std::int64_t i = 0; i < count; ++i)
    extents.push_back({all * i / count, all * (i + 1) / count});
  return extents;
}

ShardedValues::ShardedValues(const Network& network, std::vector<Layer>& layers,
                             std::map<std::string, std::string>& layer_of)
    : layers_(layers), layer_of_(layer_of) {
  for (const Layer& layer : network.layers) names_.insert(layer.name);
}

void ShardedValues::add(const std::string& name, const LayerKind& kind,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
  layer_of_[name] = layer_;
  layers_.push_back({name, kind, inputs, outputs});
}

const ValueShards* ShardedValues::find(const std::string& value) const {
  const auto found = shards_.find(value);
  return found == shards_.end() ? nullptr : &found->second;
}

ValueShards& ShardedValues::make(const std::string& value, std::size_t axis) {
  ValueShards& shards = shards_[value];
  shards.axis = axis;
  return shards;
}

std::string ShardedValues::whole(const std::string& value) {
  const auto found = shards_.find(value);
  if (found == shards_.end()) return value;
  ValueShards& shards = found->second;
  if (shards.pieces.size() == 1) return shards.pieces[0].value;
  if (!shards.whole.empty()) return shards.whole;
  std::vector<std::string> pieces;
  for (const ValueShards::Piece& piece : shards.pieces) pieces.push_back(piece.value);
  shards.whole = value;
  add(unused(value + ".whole"), Concat{static_cast<std::int64_t>(shards.axis)}, pieces, {value});
  return value;
}

std::vector<std::string> ShardedValues::apart(const std::string& value, std::size_t axis,
                                              const std::vector<ShardExtent>& extents) {
  std::vector<std::string> names;
  const ValueShards* const made = find(value);
  if (made != nullptr && made->axis == axis &&
      std::ranges::equal(made->pieces, extents, {}, &ValueShards::Piece::extent)) {
    for (const ValueShards::Piece& piece : made->pieces) names.push_back(piece.value);
    return names;
  }
  std::vector<std::string>& known = apart_[{value, std::ssize(extents)}];
  if (!known.empty()) return known;
  Split split{.axis = static_cast<std::int64_t>(axis)};
  for (const ShardExtent extent : extents) {
    split.sizes.push_back(extent.count());
    names.push_back(fmt::format("{}.shards[{}:{}]", value, extent.begin, extent.end));
  }
  const std::string all = whole(value);
  add(unused(value + ".shards"), split, {all}, names);
  return known = names;
}

std::vector<std::string> ShardedValues::spread(const std::string& value, std::int64_t count) {
  std::vector<std::string>& known = spread_[{value, count}];
  if (!known.empty()) return known;
  const auto merges = dyadic_merges(static_cast<int>(count));
  std::vector<std::string> nodes(count + merges.size());
  const auto view = [&](int node, int begin, int end, const std::string& of) {
    nodes[node] = fmt::format("{}[shards {}:{} of {}]", value, begin, end, count);
    add(nodes[node], Affine{}, {of});
  };
  view(static_cast<int>(nodes.size()) - 1, 0, static_cast<int>(count), value);
  for (std::size_t m = merges.size(); m-- > 0;) {
    const TreeMerge& merge = merges[m];
    view(merge.left, merge.begin, merge.middle, nodes[count + m]);
    view(merge.right, merge.middle, merge.end, nodes[count + m]);
  }
  nodes.resize(count);
  return known = nodes;
}

std::string ShardedValues::unused(const std::string& name) {
  std::string free = name;
  while (!names_.insert(free).second) free += "'";
  return free;
}

}  // namespace stint

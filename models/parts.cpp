#include "models/parts.hpp"

namespace stint {

std::vector<TensorId> wholes_first(const Graph& graph) {
  std::vector<std::vector<TensorId>> parts(graph.tensors.size());
  std::vector<TensorId> order;
  order.reserve(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const auto& part_of = graph.tensors[i].part_of;
    (part_of ? parts[part_of->tensor] : order).push_back(static_cast<TensorId>(i));
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    const auto& below = parts[order[next]];
    order.insert(order.end(), below.begin(), below.end());
  }
  return order;
}

PartOf place_in_root(const Graph& graph, TensorId tensor) {
  PartOf place{tensor, 0};
  while (const auto& part = graph.tensors[place.tensor].part_of) {
    place = {part->tensor, place.offset_bytes + part->offset_bytes};
  }
  return place;
}

}  // namespace stint

#include "models/segments.hpp"

#include <algorithm>

#include "models/parts.hpp"

namespace stint {
namespace {

std::vector<TensorId> every_tensor(std::size_t count) {
  std::vector<TensorId> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<TensorId>(i));
  return all;
}

// Where every tensor lies in the whole that is no part.
void find_roots(const Graph& graph, Segments& all) {
  all.root = every_tensor(graph.tensors.size());
  all.root_offset.assign(graph.tensors.size(), 0);
  for (const TensorId id : wholes_first(graph)) {
    const Tensor& tensor = graph.tensors[id];
    if (!tensor.part_of || tensor.bytes == 0) continue;
    const TensorId whole = tensor.part_of->tensor;
    all.root[id] = all.root[whole];
    all.root_offset[id] = all.root_offset[whole] + tensor.part_of->offset_bytes;
  }
}

// The tensors, those of one root side by side.
std::vector<TensorId> sorted_by_root(const std::vector<TensorId>& root) {
  std::vector<TensorId> order = every_tensor(root.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](TensorId a, TensorId b) { return root[a] < root[b]; });
  return order;
}

struct Family {
  const TensorId* begin;  // the tensors of one root
  const TensorId* end;
};

// Where the tensors of a family begin and end, ascending.
std::vector<std::int64_t> ends(const Graph& graph, const Segments& all, Family family) {
  std::vector<std::int64_t> cuts;
  for (const TensorId* id = family.begin; id != family.end; ++id) {
    cuts.push_back(all.root_offset[*id]);
    cuts.push_back(all.root_offset[*id] + graph.tensors[*id].bytes);
  }
  std::sort(cuts.begin(), cuts.end());
  // A tensor of 0 bytes is alone in its family and keeps its one, empty segment.
  if (cuts.back() > 0) cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void cut(const Graph& graph, Family family, Segments& all) {
  const auto cuts = ends(graph, all, family);
  const int first = all.count();
  all.begin_bytes.insert(all.begin_bytes.end(), cuts.begin(), cuts.end() - 1);
  all.end_bytes.insert(all.end_bytes.end(), cuts.begin() + 1, cuts.end());
  for (const TensorId* id = family.begin; id != family.end; ++id) {
    const std::int64_t begin = all.root_offset[*id];
    const auto from = std::lower_bound(cuts.begin(), cuts.end(), begin);
    const auto to = std::lower_bound(from + 1, cuts.end(), begin + graph.tensors[*id].bytes);
    all.of_tensor[*id] = {first + static_cast<int>(from - cuts.begin()),
                          first + static_cast<int>(to - cuts.begin())};
  }
}

}  // namespace

Segments segments(const Graph& graph) {
  Segments all;
  all.of_tensor.resize(graph.tensors.size());
  find_roots(graph, all);
  const auto order = sorted_by_root(all.root);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && all.root[order[end]] == all.root[order[begin]]) ++end;
    cut(graph, {order.data() + begin, order.data() + end}, all);
  }
  return all;
}

}  // namespace stint

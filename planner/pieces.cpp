#include "planner/pieces.hpp"

#include <algorithm>

namespace stint {

namespace {

struct Group {
  TensorId cover = no_tensor;
  SegmentRange range;
};

int depth(const Graph& graph, TensorId tensor) {
  int count = 0;
  for (; graph.tensors[tensor].part_of; tensor = graph.tensors[tensor].part_of->tensor) ++count;
  return count;
}

// The smallest tensor that both are, or are parts of.
TensorId common_whole(const Graph& graph, TensorId a, TensorId b) {
  int depth_a = depth(graph, a);
  int depth_b = depth(graph, b);
  while (a != b) {
    TensorId& lower = depth_a >= depth_b ? a : b;
    --(depth_a >= depth_b ? depth_a : depth_b);
    lower = graph.tensors[lower].part_of->tensor;
  }
  return a;
}

// Adds a tensor to the groups, which share no bytes and stand in order of their bytes. A group that
// grows may reach into those before it.
void add_to_groups(const Problem& problem, TensorId tensor, std::vector<Group>& groups) {
  Group group{tensor, problem.segments.of_tensor[tensor]};
  while (!groups.empty() && groups.back().range.end > group.range.begin) {
    group.cover = common_whole(problem.graph(), groups.back().cover, group.cover);
    group.range = problem.segments.of_tensor[group.cover];
    groups.pop_back();
  }
  groups.push_back(group);
}

std::vector<TensorId> outside_tensors(const Graph& graph) {
  std::vector<TensorId> all = graph.results;
  for (const Task& task : graph.tasks) {
    all.insert(all.end(), task.reads.begin(), task.reads.end());
    all.insert(all.end(), task.updates.begin(), task.updates.end());
  }
  std::erase_if(all, [&](TensorId t) { return graph.tensors[t].kind == Kind::activation; });
  return all;
}

// All pieces by their tensors: those of inputs and state first, then in the order of the writers.
std::vector<TensorId> piece_tensors(const Problem& problem) {
  std::vector<TensorId> tensors;
  for (const auto& [tensor, cover] : covers(problem, outside_tensors(problem.graph())))
    tensors.push_back(cover);
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  for (const Task& task : problem.graph().tasks)
    tensors.insert(tensors.end(), task.writes.begin(), task.writes.end());
  return tensors;
}

}  // namespace

std::map<TensorId, TensorId> covers(const Problem& problem, std::vector<TensorId> tensors) {
  const auto begin = [&](TensorId t) { return problem.segments.of_tensor[t].begin; };
  std::sort(tensors.begin(), tensors.end(), [&](TensorId a, TensorId b) {
    return std::pair(begin(a), int{a}) < std::pair(begin(b), int{b});
  });
  std::vector<Group> groups;
  for (const TensorId tensor : tensors) add_to_groups(problem, tensor, groups);
  std::map<TensorId, TensorId> cover;
  auto group = groups.begin();
  for (const TensorId tensor : tensors) {
    while (group->range.end <= begin(tensor)) ++group;
    cover[tensor] = group->cover;
  }
  return cover;
}

Pieces pieces(const Problem& problem) {
  Pieces result{piece_tensors(problem), {}};
  std::vector<int> of_segment(problem.segments.count(), -1);
  for (std::size_t p = 0; p < result.tensor.size(); ++p) {
    const SegmentRange range = problem.segments.of_tensor[result.tensor[p]];
    std::fill(of_segment.begin() + range.begin, of_segment.begin() + range.end,
              static_cast<int>(p));
  }
  for (const SegmentRange range : problem.segments.of_tensor) {
    std::vector<PieceId>& mine = result.of_tensor.emplace_back();
    for (int s = range.begin; s < range.end; ++s) {
      const auto piece = static_cast<PieceId>(of_segment[s]);
      if (piece >= 0 && (mine.empty() || mine.back() != piece)) mine.push_back(piece);
    }
  }
  return result;
}

std::vector<bool> wanted(const Problem& problem) {
  std::vector<bool> segment(problem.segments.count(), false);
  const auto want = [&](TensorId tensor) {
    const SegmentRange range = problem.segments.of_tensor[tensor];
    std::fill(segment.begin() + range.begin, segment.begin() + range.end, true);
  };
  for (const TensorId tensor : problem.graph().results) want(tensor);
  for (const Task& task : problem.graph().tasks) {
    for (const TensorId tensor : task.reads) want(tensor);
  }
  std::vector<bool> result;
  for (const SegmentRange range : problem.segments.of_tensor) {
    const auto begin = segment.begin();
    result.push_back(std::find(begin + range.begin, begin + range.end, true) != begin + range.end);
  }
  return result;
}

}  // namespace stint

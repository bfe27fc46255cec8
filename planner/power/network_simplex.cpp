#include "planner/power/network_simplex.hpp"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

constexpr int no_node = -1;

class NetworkSimplex {
 public:
  NetworkSimplex(const std::vector<FlowArc>& arcs, const std::vector<int>& parent_arc)
      : arcs_(arcs),
        flow_(arcs.size(), 0),
        parent_(parent_arc.size(), no_node),
        parent_arc_(parent_arc),
        depth_(parent_arc.size(), 0),
        potential_(parent_arc.size(), 0),
        first_child_(parent_arc.size(), no_node),
        next_(parent_arc.size(), no_node),
        previous_(parent_arc.size(), no_node),
        block_(std::max<std::size_t>(
            16, static_cast<std::size_t>(std::sqrt(static_cast<double>(arcs.size()))))) {
    for (std::size_t v = 0; v < parent_arc_.size(); ++v) {
      if (parent_arc_[v] == no_node)
        root_ = static_cast<int>(v);
      else
        attach(static_cast<int>(v), arcs_[parent_arc_[v]].to);
    }
    refresh(root_);
  }

  Circulation run(std::int64_t work) {
    int entering = find_entering();
    while (entering != no_node && work_ < work) {
      pivot(entering);
      entering = find_entering();
    }
    return {std::move(flow_), std::move(potential_), entering == no_node, work_};
  }

 private:
  std::int64_t reduced_cost(int arc) const {
    const FlowArc& a = arcs_[arc];
    return a.cost + potential_[a.from] - potential_[a.to];
  }

  // By how much a unit more, or a unit less, of flow on the arc would lower the cost.
  std::int64_t gain(int arc) const {
    const std::int64_t cost = reduced_cost(arc);
    if (cost < 0 && flow_[arc] < arcs_[arc].capacity) return -cost;
    return cost > 0 && flow_[arc] > 0 ? cost : 0;
  }

  // The best arc of the first block that has one. Arcs of the tree have no gain.
  int find_entering() {
    int best = no_node;
    std::int64_t most = 0;
    for (std::size_t seen = 1; seen <= arcs_.size(); ++seen) {
      const int arc = static_cast<int>(next_arc_);
      next_arc_ = next_arc_ + 1 == arcs_.size() ? 0 : next_arc_ + 1;
      const std::int64_t worth = gain(arc);
      if (worth > most) most = worth, best = arc;
      ++work_;
      if (best != no_node && seen % block_ == 0) break;
    }
    return best;
  }

  bool points_up(int node) const { return arcs_[parent_arc_[node]].from == node; }
  // What can still go over the arc to the parent, towards it or away from it.
  std::int64_t room(int node, bool up) const {
    const int arc = parent_arc_[node];
    return points_up(node) == up ? arcs_[arc].capacity - flow_[arc] : flow_[arc];
  }

  int join_of(int u, int v) const {
    while (u != v) (depth_[u] >= depth_[v] ? u : v) = parent_[depth_[u] >= depth_[v] ? u : v];
    return u;
  }

  struct Leaving {
    std::int64_t amount = 0;
    int node = no_node;  // whose arc to its parent leaves; no_node: the entering arc fills up
    bool on_first_side = false;
  };

  // The flow goes from the join down to `first`, over the entering arc to `second`, and up again.
  // Of the arcs that stop it the last on that way leaves: so the tree stays strongly feasible.
  Leaving find_leaving(int first, int second, int join, std::int64_t most) {
    Leaving leaving{most, no_node, false};
    for (int u = first; u != join; u = parent_[u], ++work_) {
      if (room(u, false) < leaving.amount) leaving = {room(u, false), u, true};
    }
    for (int u = second; u != join; u = parent_[u], ++work_) {
      if (room(u, true) <= leaving.amount) leaving = {room(u, true), u, false};
    }
    return leaving;
  }

  void push(int node, int join, bool up, std::int64_t amount) {
    for (int u = node; u != join; u = parent_[u])
      flow_[parent_arc_[u]] += points_up(u) == up ? amount : -amount;
  }

  void pivot(int entering) {
    const FlowArc& arc = arcs_[entering];
    const bool more = reduced_cost(entering) < 0;
    const int first = more ? arc.from : arc.to;
    const int second = more ? arc.to : arc.from;
    const int join = join_of(first, second);
    const std::int64_t most = more ? arc.capacity - flow_[entering] : flow_[entering];
    const Leaving leaving = find_leaving(first, second, join, most);
    flow_[entering] += more ? leaving.amount : -leaving.amount;
    push(first, join, false, leaving.amount);
    push(second, join, true, leaving.amount);
    if (leaving.node == no_node) return;
    const int moved = leaving.on_first_side ? first : second;
    hang(moved, leaving.on_first_side ? second : first, entering, leaving.node);
  }

  // The subtree below `top` is hung up by `moved`, a node of it, with the arc, under `parent`.
  void hang(int moved, int parent, int arc, int top) {
    for (int node = moved;; ++work_) {
      const int old_parent = parent_[node];
      const int old_arc = parent_arc_[node];
      detach(node);
      attach(node, parent);
      parent_arc_[node] = arc;
      if (node == top) break;
      parent = node;
      arc = old_arc;
      node = old_parent;
    }
    refresh(moved);
  }

  void attach(int node, int parent) {
    parent_[node] = parent;
    previous_[node] = no_node;
    next_[node] = first_child_[parent];
    if (next_[node] != no_node) previous_[next_[node]] = node;
    first_child_[parent] = node;
  }
  void detach(int node) {
    const int before = previous_[node];
    (before == no_node ? first_child_[parent_[node]] : next_[before]) = next_[node];
    if (next_[node] != no_node) previous_[next_[node]] = before;
  }

  // Depths and potentials of all below a node, and of itself.
  void refresh(int top) {
    stack_.assign(1, top);
    while (!stack_.empty()) {
      const int node = stack_.back();
      stack_.pop_back();
      ++work_;
      if (node != root_) {
        const FlowArc& arc = arcs_[parent_arc_[node]];
        depth_[node] = depth_[parent_[node]] + 1;
        potential_[node] = potential_[parent_[node]] + (points_up(node) ? -arc.cost : arc.cost);
      }
      for (int child = first_child_[node]; child != no_node; child = next_[child])
        stack_.push_back(child);
    }
  }

  const std::vector<FlowArc>& arcs_;
  std::vector<std::int64_t> flow_;
  std::vector<int> parent_;
  std::vector<int> parent_arc_;
  std::vector<int> depth_;
  std::vector<std::int64_t> potential_;
  std::vector<int> first_child_;
  std::vector<int> next_;
  std::vector<int> previous_;
  std::size_t block_;
  std::vector<int> stack_;
  int root_ = 0;
  std::size_t next_arc_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace

Circulation least_cost_circulation(const std::vector<FlowArc>& arcs,
                                   const std::vector<int>& parent_arc, std::int64_t work) {
  return NetworkSimplex(arcs, parent_arc).run(work);
}

}  // namespace stint

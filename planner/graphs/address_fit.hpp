// From a plan whose live bytes fit to one whose addresses do: where these take more than what is
// live, it is solved again for less, in the stretches where bytes are wasted (address_cuts.hpp) or
// everywhere. In large graphs a little less memory everywhere costs little, and finding out where
// it is wasted takes long.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "planner/graphs/address_cuts.hpp"
#include "planner/graphs/device_drafts.hpp"
#include "planner/graphs/graph_solver.hpp"

namespace stint {

class AddressFit {
 public:
  AddressFit(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
             double limit, GraphSolver& solver, DeviceDrafts& drafts);

  // Whether there is one on so many workers; the best is with the drafts.
  bool fit(const GraphPlan& plan, const std::vector<int>& states, int workers);

 private:
  bool has_addresses(const GraphPlan& plan, const GraphCrew& crew);
  bool fit_by_search(const GraphPlan& plan, const GraphCrew& crew);
  bool fit_with_cuts(GraphPlan plan, const GraphCrew& crew);
  bool fit_with_each(const std::vector<AddressCut>& cuts, const GraphCrew& crew);
  bool fit_with_less(GraphPlan plan, GraphCrew crew);
  bool is_dear(const GraphPlan& whole) const;
  void fit_between(GraphCrew crew, std::int64_t fails);

  const Problem& problem_;
  const SearchOptions& options_;
  const DeviceGraph& graph_;
  AddressCutOptions how_;
  GraphSolver& solver_;
  DeviceDrafts& drafts_;
  bool is_small_;
  bool is_quick_;
  // What was found to have no addresses: on so many workers, for so many bytes.
  std::set<std::tuple<int, std::int64_t, TaskSequence>> without_;
};

}  // namespace stint

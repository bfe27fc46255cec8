// What it costs at least that something crosses a border of a row of memories (memory_row.hpp): the
// copy's joules once, or another execution behind the border, and what the wait for the copy adds.
//
// Whoever is executed again pays for it once, wherever it spares copies: each border counts at most
// its share of that, so that all borders together count no more than what was really paid.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "planner/placement/length_mean.hpp"
#include "planner/placement/memory_row.hpp"
#include "planner/placement/side_row.hpp"

namespace stint {

struct CrossingPrice {
  double joules = 0;
  double seconds = 0;
  double link_seconds = 0;                                        // of the links' time
  double again_joules = std::numeric_limits<double>::infinity();  // at most, instead
};
using CrossingPrices = std::vector<std::array<CrossingPrice, 2>>;  // by border and direction

// State that its last updater has and others read or update.
struct StateCrossing {
  TaskId from = no_task;
  std::vector<int> to;
  CrossingPrices prices;
};

class CutCrossings {
 public:
  CutCrossings(const PlacedGraph& graph, const MemoryRow& row);

  // Adds nodes for inputs, which may be on any side for nothing, and all crossings, where a second
  // costs so many watts of the mean.
  void add_to(SideRow& problem, const LengthMean& mean, double watts) const;
  // How long a reader on a side waits for the copy of an item.
  double copy_seconds(GraphItemId item, const std::vector<char>& side, int to) const;
  // How long the links of every border, forwards and backwards, are busy.
  std::vector<double> link_seconds(const std::vector<char>& side) const;
  int links() const { return 2 * row_.borders(); }

 private:
  bool counts_joules() const;
  CrossingPrices prices_of(TensorId tensor) const;
  double least_joules(TaskId task, int from_side, int end_side) const;
  void find_items();
  void find_states();
  std::vector<double> waits(GraphItemId item, const CrossingPrice& price, double once,
                            const LengthMean& mean, double watts) const;
  void add_state(const StateCrossing& state, SideRow& problem, const LengthMean& mean,
                 double watts) const;

  const PlacedGraph& graph_;
  const MemoryRow& row_;
  std::vector<CrossingPrices> items_;
  std::vector<StateCrossing> states_;
};

}  // namespace stint

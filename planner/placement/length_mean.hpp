// A mean of lower bounds on the length of a step, as weights on the seconds of its parts: of paths
// (what a second of a task, and of the copy of something that it reads, counts) and of devices'
// work (what a second of a device counts). The weights of one path or one device are 1; a mean of
// them is no more than the length of any step.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/placement/placed_graph.hpp"

namespace stint {

// Where every task runs, and how long everything takes then.
struct TimedDivision {
  std::vector<const PlacedWay*> way;        // by task
  std::vector<std::vector<double>> copies;  // by task and place in what it reads: seconds until it
                                            // is there; 0 where nothing crosses
};

struct LengthMean {
  std::vector<double> device;
  std::vector<double> task;
  std::vector<std::vector<double>> read;  // by task and place in what it reads

  explicit LengthMean(const PlacedGraph& graph);
  // The mean with the longest of all paths and devices of a division, which gets that share.
  // Returns how long that is.
  double mix(const PlacedGraph& graph, const TimedDivision& division, double share);

 private:
  void scale(double factor);
};

}  // namespace stint

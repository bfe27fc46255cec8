// A mean of lower bounds on the length of a step, as weights on the seconds of its parts: of paths
// (what a second of a task, and of the copy of something that it reads, counts), of devices' work
// (what a second of a device counts), and of the copies over links.
//
// Each lower bound is the longest path, or the time of all copies over some links, or adds up over
// the stretches between waists (makespan_bound.hpp): a waist runs alone, and a stretch takes as
// long as its longest path or the work in it of devices that are alike, shared by all of their
// workers. The weights of one path, or of one kind of devices in one stretch, are 1; a mean of them
// is no more than the length of any step.
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
  std::vector<double> links;                // seconds of all copies over them
};

class LengthMean {
 public:
  LengthMean(const PlacedGraph& graph, int links);

  // The mean with the longest bound of a division, which gets that share. Returns how long that is.
  double mix(const TimedDivision& division, double share);
  double of(const TimedDivision& division) const;
  // What a second of a task counts on a device, and that of the copy of what it reads at a place.
  double of_task(TaskId task, DeviceId device) const;
  double of_link(int link) const { return links_[link]; }
  double of_read(TaskId task, std::size_t place) const { return read_[task][place]; }

 private:
  struct Paths;
  void find_stretches();
  bool is_between_waists(TaskId task, TaskId before) const;
  int stretches() const { return static_cast<int>(waists_.size()) + 1; }
  void scale(double factor);
  Paths longest_paths(const TimedDivision& division, bool between_waists) const;
  std::vector<std::vector<double>> seconds_of_kinds(const TimedDivision& division) const;
  double path_of(int stretch, const Paths& paths) const;
  void add_path(const Paths& paths, TaskId from, double share);
  void add_stretch(int stretch, const Paths& paths, const std::vector<double>& work, double share);

  const PlacedGraph* graph_;
  std::vector<int> kind_;        // by device: those that are alike have the same
  std::vector<double> workers_;  // by kind
  std::vector<TaskId> waists_;
  std::vector<int> stretch_;                // by task; of a waist, the one before it; -1: none
  std::vector<char> is_waist_;              // by task
  std::vector<std::vector<double>> works_;  // [stretch][kind]
  std::vector<double> links_;
  std::vector<double> task_;
  std::vector<std::vector<double>> read_;  // by task and place in what it reads
};

}  // namespace stint

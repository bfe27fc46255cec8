#include "planner/placement/length_mean.hpp"

#include <algorithm>

namespace stint {
namespace {

// The longest path: when each task ends, and what decides when it begins.
struct Paths {
  std::vector<double> end;
  std::vector<TaskId> after;  // no_task: nothing
  std::vector<int> read;      // the place of what is waited for; -1: nothing is read
};

Paths longest_paths(const PlacedGraph& graph, const TimedDivision& division) {
  Paths paths;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    double begin = 0;
    TaskId after = no_task;
    int place = -1;
    for (const TaskId before : graph.problem->needs[t]) {
      if (paths.end[before] > begin) begin = paths.end[before], after = before;
    }
    const auto& reads = graph.flat.tasks[t].reads;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const auto& writers = graph.flat.items[reads[r]].writers;
      if (writers.size() != 1 || !graph.is_whole[reads[r]]) continue;
      const double there = paths.end[writers.front()] + division.copies[t][r];
      if (there < begin || (there == begin && after != writers.front())) continue;
      begin = there, after = writers.front(), place = static_cast<int>(r);
    }
    paths.end.push_back(begin + division.way[t]->seconds);
    paths.after.push_back(after);
    paths.read.push_back(place);
  }
  return paths;
}

std::vector<double> device_seconds(const PlacedGraph& graph, const TimedDivision& division) {
  const auto& devices = graph.problem->platform().devices;
  std::vector<double> seconds(devices.size(), 0);
  for (const PlacedWay* way : division.way)
    seconds[way->device] += way->seconds / devices[way->device].workers;
  return seconds;
}

}  // namespace

LengthMean::LengthMean(const PlacedGraph& graph)
    : device(graph.problem->platform().devices.size(), 0), task(graph.tasks(), 0) {
  for (std::size_t t = 0; t < graph.tasks(); ++t)
    read.emplace_back(graph.flat.tasks[t].reads.size(), 0.0);
}

void LengthMean::scale(double factor) {
  for (double& weight : device) weight *= factor;
  for (double& weight : task) weight *= factor;
  for (auto& weights : read) {
    for (double& weight : weights) weight *= factor;
  }
}

double LengthMean::mix(const PlacedGraph& graph, const TimedDivision& division, double share) {
  scale(1 - share);
  const Paths paths = longest_paths(graph, division);
  const std::vector<double> seconds = device_seconds(graph, division);
  const auto last = std::max_element(paths.end.begin(), paths.end.end());
  const auto busiest = std::max_element(seconds.begin(), seconds.end());
  if (last == paths.end.end() || *busiest > *last) {
    device[busiest - seconds.begin()] += share;
    return *busiest;
  }
  for (auto t = static_cast<TaskId>(last - paths.end.begin()); t != no_task; t = paths.after[t]) {
    task[t] += share;
    if (paths.read[t] >= 0) read[t][paths.read[t]] += share;
  }
  return *last;
}

}  // namespace stint

#include "planner/placement/length_mean.hpp"

#include <algorithm>
#include <utility>

#include "planner/makespan_bound.hpp"

namespace stint {
namespace {

bool are_alike(const PlacedGraph& graph, int a, int b) {
  const auto& devices = graph.problem->platform().devices;
  if (devices[a].workers != devices[b].workers) return false;
  const auto ways_on = [&](const std::vector<PlacedWay>& ways, int device) {
    std::vector<std::pair<double, double>> found;
    for (const PlacedWay& way : ways) {
      if (way.device == device) found.emplace_back(way.seconds, way.joules);
    }
    return found;
  };
  return std::all_of(graph.ways.begin(), graph.ways.end(),
                     [&](const auto& ways) { return ways_on(ways, a) == ways_on(ways, b); });
}

std::vector<int> kinds_of_devices(const PlacedGraph& graph) {
  std::vector<int> kinds;
  std::vector<int> firsts;
  for (int d = 0; d < std::ssize(graph.problem->platform().devices); ++d) {
    const auto like = std::find_if(firsts.begin(), firsts.end(),
                                   [&](int first) { return are_alike(graph, first, d); });
    kinds.push_back(static_cast<int>(like - firsts.begin()));
    if (like == firsts.end()) firsts.push_back(d);
  }
  return kinds;
}

}  // namespace

// When each task ends, and what decides when it begins.
struct LengthMean::Paths {
  bool between_waists = false;  // stretches count alone
  std::vector<double> begin;
  std::vector<double> end;    // of a waist, then, 0
  std::vector<TaskId> after;  // no_task: nothing
  std::vector<int> read;      // the place of what is waited for; -1: nothing is read
};

LengthMean::LengthMean(const PlacedGraph& graph)
    : graph_(&graph),
      kind_(kinds_of_devices(graph)),
      workers_(kind_.size(), 0),
      waists_(waists(graph.problem->needs)),
      is_waist_(graph.tasks(), 0),
      task_(graph.tasks(), 0) {
  for (std::size_t d = 0; d < kind_.size(); ++d)
    workers_[kind_[d]] += graph.problem->platform().devices[d].workers;
  for (const TaskId waist : waists_) is_waist_[waist] = 1;
  int stretch = 0;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    stretch_.push_back(stretch);
    if (is_waist_[t]) ++stretch;
    read_.emplace_back(graph.flat.tasks[t].reads.size(), 0.0);
  }
  works_.assign(stretches(), std::vector<double>(workers_.size(), 0));
}

double LengthMean::of_task(TaskId task, DeviceId device) const {
  if (is_waist_[task]) return task_[task];
  const int kind = kind_[device];
  return task_[task] + works_[stretch_[task]][kind] / workers_[kind];
}

double LengthMean::of(const TimedDivision& division) const {
  double length = 0;
  for (std::size_t t = 0; t < graph_->tasks(); ++t) {
    const PlacedWay& way = *division.way[t];
    length += of_task(static_cast<TaskId>(t), way.device) * way.seconds;
    for (std::size_t r = 0; r < read_[t].size(); ++r) length += read_[t][r] * division.copies[t][r];
  }
  return length;
}

void LengthMean::scale(double factor) {
  for (auto* const all : {&works_, &read_}) {
    for (auto& weights : *all) {
      for (double& weight : weights) weight *= factor;
    }
  }
  for (double& weight : task_) weight *= factor;
}

LengthMean::Paths LengthMean::longest_paths(const TimedDivision& division,
                                            bool between_waists) const {
  Paths paths;
  paths.between_waists = between_waists;
  for (std::size_t t = 0; t < graph_->tasks(); ++t) {
    const int stretch = stretch_[t];
    const int first = between_waists && stretch > 0 ? static_cast<int>(waists_[stretch - 1]) : 0;
    double begin = 0;
    TaskId after = no_task;
    int place = -1;
    for (const TaskId before : graph_->problem->needs[t]) {
      if (before >= first && paths.end[before] > begin) begin = paths.end[before], after = before;
    }
    const auto& reads = graph_->flat.tasks[t].reads;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const auto& writers = graph_->flat.items[reads[r]].writers;
      if (writers.size() != 1 || !graph_->is_whole[reads[r]] || writers.front() < first) continue;
      const double there = paths.end[writers.front()] + division.copies[t][r];
      if (there < begin || (there == begin && after != writers.front())) continue;
      begin = there, after = writers.front(), place = static_cast<int>(r);
    }
    paths.begin.push_back(begin);
    const bool begins_anew = between_waists && is_waist_[t];
    paths.end.push_back(begins_anew ? 0 : begin + division.way[t]->seconds);
    paths.after.push_back(after);
    paths.read.push_back(place);
  }
  return paths;
}

// [stretch][kind], the waists left out.
std::vector<std::vector<double>> LengthMean::seconds_of_kinds(const TimedDivision& division) const {
  std::vector<std::vector<double>> seconds(stretches(), std::vector<double>(workers_.size(), 0));
  for (std::size_t t = 0; t < graph_->tasks(); ++t) {
    const int kind = kind_[division.way[t]->device];
    if (!is_waist_[t]) seconds[stretch_[t]][kind] += division.way[t]->seconds / workers_[kind];
  }
  return seconds;
}

double LengthMean::path_of(int stretch, const Paths& paths) const {
  if (stretch < std::ssize(waists_)) return paths.begin[waists_[stretch]];
  const int first = waists_.empty() ? 0 : waists_.back() + 1;
  double longest = 0;
  for (std::size_t t = first; t < paths.end.size(); ++t) longest = std::max(longest, paths.end[t]);
  return longest;
}

// Everything that decides when a task ends, itself included, back to a waist where stretches count
// alone.
void LengthMean::add_path(const Paths& paths, TaskId from, double share) {
  for (TaskId t = from; t != no_task; t = paths.after[t]) {
    if (paths.between_waists && is_waist_[t] && t != from) break;
    task_[t] += share;
    if (paths.read[t] >= 0) read_[t][paths.read[t]] += share;
  }
}

void LengthMean::add_stretch(int stretch, const Paths& paths, const std::vector<double>& work,
                             double share) {
  const bool has_waist = stretch < std::ssize(waists_);
  const auto busiest = std::max_element(work.begin(), work.end());
  if (*busiest > path_of(stretch, paths)) {
    works_[stretch][busiest - work.begin()] += share;
    if (has_waist) task_[waists_[stretch]] += share;
  } else if (has_waist) {
    add_path(paths, waists_[stretch], share);
  } else if (stretch_.empty() || !is_waist_.back()) {
    const auto last = std::max_element(
        paths.end.begin() + (waists_.empty() ? 0 : waists_.back() + 1), paths.end.end());
    if (last != paths.end.end())
      add_path(paths, static_cast<TaskId>(last - paths.end.begin()), share);
  }
}

double LengthMean::mix(const TimedDivision& division, double share) {
  scale(1 - share);
  const Paths whole = longest_paths(division, false);
  const Paths paths = longest_paths(division, true);
  const auto work = seconds_of_kinds(division);
  double length = 0;
  for (int s = 0; s < stretches(); ++s)
    length += std::max(path_of(s, paths), *std::max_element(work[s].begin(), work[s].end()));
  for (const TaskId waist : waists_) length += division.way[waist]->seconds;
  const auto last = std::max_element(whole.end.begin(), whole.end.end());
  if (last != whole.end.end() && *last > length) {
    add_path(whole, static_cast<TaskId>(last - whole.end.begin()), share);
    return *last;
  }
  for (int s = 0; s < stretches(); ++s) add_stretch(s, paths, work[s], share);
  return length;
}

}  // namespace stint

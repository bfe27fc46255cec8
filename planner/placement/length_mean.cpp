#include "planner/placement/length_mean.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/makespan_bound.hpp"

namespace stint {
namespace {

constexpr double most_beside = 0.005;  // of all work, neither before nor after a waist
constexpr std::size_t most_tasks_of_near_waists = 2000;

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

double least_seconds(const std::vector<PlacedWay>& ways) {
  double least = ways.empty() ? 0 : ways.front().seconds;
  for (const PlacedWay& way : ways) least = std::min(least, way.seconds);
  return least;
}

// Tasks, each after the one before it, that nearly all work comes before or after.
std::vector<TaskId> near_waists(const PlacedGraph& graph,
                                const std::vector<std::vector<bool>>& reaches) {
  std::vector<double> seconds;
  for (const auto& ways : graph.ways) seconds.push_back(least_seconds(ways));
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::vector<TaskId> found;
  for (std::size_t w = 0; w < seconds.size(); ++w) {
    if (!found.empty() && !reaches[found.back()][w]) continue;
    double beside = 0;
    for (std::size_t t = 0; t < seconds.size(); ++t) {
      if (t != w && !reaches[t][w] && !reaches[w][t]) beside += seconds[t];
    }
    if (beside <= most_beside * all) found.push_back(static_cast<TaskId>(w));
  }
  return found;
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

LengthMean::LengthMean(const PlacedGraph& graph, int links)
    : graph_(&graph),
      kind_(kinds_of_devices(graph)),
      workers_(kind_.size(), 0),
      stretch_(graph.tasks(), -1),
      is_waist_(graph.tasks(), 0),
      links_(links, 0),
      task_(graph.tasks(), 0) {
  for (std::size_t d = 0; d < kind_.size(); ++d)
    workers_[kind_[d]] += graph.problem->platform().devices[d].workers;
  find_stretches();
  for (std::size_t t = 0; t < graph.tasks(); ++t)
    read_.emplace_back(graph.flat.tasks[t].reads.size(), 0.0);
  works_.assign(stretches(), std::vector<double>(workers_.size(), 0));
}

// Between waists is who needs the one and is needed by the other.
void LengthMean::find_stretches() {
  const auto& needs = graph_->problem->needs;
  const bool is_large = needs.size() > most_tasks_of_near_waists;
  const auto reaches = is_large ? std::vector<std::vector<bool>>{} : reachability(needs);
  waists_ = is_large ? waists(needs) : near_waists(*graph_, reaches);
  for (const TaskId waist : waists_) is_waist_[waist] = 1;
  const auto comes_before = [&](TaskId a, TaskId b) {
    return is_large ? a < b : bool(reaches[a][b]);
  };
  int next = 0;  // the first waist listed behind the task
  for (std::size_t t = 0; t < stretch_.size(); ++t) {
    const auto task = static_cast<TaskId>(t);
    const bool is_after = next == 0 || comes_before(waists_[next - 1], task);
    const bool is_before = next == std::ssize(waists_) || comes_before(task, waists_[next]);
    if (is_waist_[t] || (is_after && is_before)) stretch_[t] = next;
    if (is_waist_[t]) ++next;
  }
}

double LengthMean::of_task(TaskId task, DeviceId device) const {
  if (is_waist_[task] || stretch_[task] < 0) return task_[task];
  const int kind = kind_[device];
  return task_[task] + works_[stretch_[task]][kind] / workers_[kind];
}

double LengthMean::of(const TimedDivision& division) const {
  double length = std::inner_product(links_.begin(), links_.end(), division.links.begin(), 0.0);
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
  for (auto* const all : {&links_, &task_}) {
    for (double& weight : *all) weight *= factor;
  }
}

// Whether what comes before a task is in the same stretch, or the waist before that.
bool LengthMean::is_between_waists(TaskId task, TaskId before) const {
  if (stretch_[task] < 0 || stretch_[before] < 0) return false;
  return stretch_[before] + (is_waist_[before] ? 1 : 0) == stretch_[task];
}

LengthMean::Paths LengthMean::longest_paths(const TimedDivision& division,
                                            bool between_waists) const {
  Paths paths;
  paths.between_waists = between_waists;
  for (std::size_t t = 0; t < graph_->tasks(); ++t) {
    const auto counts = [&](TaskId before) {
      return !between_waists || is_between_waists(static_cast<TaskId>(t), before);
    };
    double begin = 0;
    TaskId after = no_task;
    int place = -1;
    for (const TaskId before : graph_->problem->needs[t]) {
      if (counts(before) && paths.end[before] > begin) begin = paths.end[before], after = before;
    }
    const auto& reads = graph_->flat.tasks[t].reads;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const auto& writers = graph_->flat.items[reads[r]].writers;
      if (writers.size() != 1 || !graph_->is_whole[reads[r]] || !counts(writers.front())) continue;
      const double there = paths.end[writers.front()] + division.copies[t][r];
      if (there < begin || (there == begin && after != writers.front())) continue;
      begin = there, after = writers.front(), place = static_cast<int>(r);
    }
    paths.begin.push_back(begin);
    const bool begins_anew = between_waists && (is_waist_[t] || stretch_[t] < 0);
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
    if (!is_waist_[t] && stretch_[t] >= 0)
      seconds[stretch_[t]][kind] += division.way[t]->seconds / workers_[kind];
  }
  return seconds;
}

double LengthMean::path_of(int stretch, const Paths& paths) const {
  if (stretch < std::ssize(waists_)) return paths.begin[waists_[stretch]];
  double longest = 0;
  for (std::size_t t = 0; t < paths.end.size(); ++t) {
    if (stretch_[t] == stretch) longest = std::max(longest, paths.end[t]);
  }
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
  } else {
    TaskId last = no_task;
    for (std::size_t t = 0; t < paths.end.size(); ++t) {
      const bool is_later = last == no_task || paths.end[t] > paths.end[last];
      if (stretch_[t] == stretch && is_later) last = static_cast<TaskId>(t);
    }
    add_path(paths, last, share);
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
  const auto busiest = std::max_element(division.links.begin(), division.links.end());
  const auto last = std::max_element(whole.end.begin(), whole.end.end());
  const double path = last == whole.end.end() ? 0 : *last;
  if (busiest != division.links.end() && *busiest > std::max(path, length)) {
    links_[busiest - division.links.begin()] += share;
    return *busiest;
  }
  if (last != whole.end.end() && *last > length) {
    add_path(whole, static_cast<TaskId>(last - whole.end.begin()), share);
    return *last;
  }
  for (int s = 0; s < stretches(); ++s) add_stretch(s, paths, work[s], share);
  return length;
}

}  // namespace stint

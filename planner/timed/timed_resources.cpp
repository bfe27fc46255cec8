// What the runs of a timed model (timed_model.hpp) share: workers, links and memory.
#include <algorithm>
#include <map>
#include <string>

#include "models/graph_algorithms.hpp"
#include "planner/timed/timed_runs.hpp"

namespace stint {
namespace {

// What a task touches, item by item, and its workspace; not what may lie in the place of an input
// or be left out.
struct Touched {
  std::map<GraphItemId, std::int64_t> items;
  std::int64_t workspace = 0;
};

std::int64_t bytes_beside(const Touched& a, const Touched& b) {
  std::int64_t bytes = a.workspace + b.workspace;
  for (const auto& [item, size] : a.items) {
    const auto other = b.items.find(item);
    bytes += other == b.items.end() ? size : std::max(size, other->second);
  }
  for (const auto& [item, size] : b.items) bytes += a.items.contains(item) ? 0 : size;
  return bytes;
}

// Of the tasks that touch the item at most so many run at once: as many as it takes chains, each
// task after the one before, to have them all.
std::int64_t most_at_once(GraphItemId item, const std::vector<Touched>& tasks,
                          const std::vector<std::vector<bool>>& reaches) {
  std::vector<std::size_t> ends;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (!tasks[t].items.contains(item)) continue;
    const auto chain =
        std::find_if(ends.begin(), ends.end(), [&](std::size_t end) { return reaches[end][t]; });
    if (chain == ends.end())
      ends.push_back(t);
    else
      *chain = t;
  }
  return std::max<std::int64_t>(1, std::ssize(ends));
}

}  // namespace

// What first runs touch fits beside each other, also where the solver does not see it by itself:
// tasks that do not fit in pairs take turns; and of bytes that several touch, of which so many run
// at once, each counts for its share.
void TimedRuns::keep_apart() {
  const auto reaches = reachability(problem_.needs);
  std::vector<Touched> all;
  for (int t = 0; t < graph_.problem_tasks; ++t) {
    Touched touched{{}, graph_.tasks[t].workspace_bytes};
    for (const GraphItemId i : graph_.tasks[t].reads)
      touched.items[i] = read_bytes(tensors_read(static_cast<TaskId>(t), i));
    for (const GraphOutput& output : graph_.tasks[t].writes) {
      if (!output.is_optional && output.at_most_in == no_graph_item)
        touched.items[output.item] = output.bytes;
    }
    all.push_back(std::move(touched));
  }
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (reaches[a][b] || bytes_beside(all[a], all[b]) <= capacity_) continue;
      std::vector<IntervalId> turns;
      for (const std::size_t task : {a, b})
        for (const int run : runs_of_[task]) turns.push_back(runs_[run].interval);
      model_.add_no_overlap(turns);
    }
  }
  std::vector<IntervalId> runs;
  std::vector<LinearSum> shares;
  for (std::size_t t = 0; t < all.size(); ++t) {
    std::int64_t bytes = all[t].workspace;
    for (const auto& [item, size] : all[t].items) bytes += size / most_at_once(item, all, reaches);
    runs.push_back(first(static_cast<TaskId>(t)).interval);
    shares.emplace_back(bytes / byte_unit_);
  }
  model_.add_cumulative(runs, shares, capacity_ / byte_unit_);
}

void TimedRuns::share() {
  auto& [computing, out, back] = lanes_;
  model_.add_cumulative(computing, std::vector<LinearSum>(computing.size(), LinearSum(1)),
                        device_.workers);
  if (is_one_channel()) {
    out.insert(out.end(), back.begin(), back.end());
    back.clear();
  }
  const auto& links = problem_.platform().links;
  const auto leads_only = [&](auto end) {
    return std::count_if(links.begin(), links.end(),
                         [&](const Link& link) { return link.*end == graph_.memory; }) == 1;
  };
  if (out.size() > 1 && leads_only(&Link::from)) model_.add_no_overlap(out);
  if (back.size() > 1 && leads_only(&Link::to)) model_.add_no_overlap(back);
  model_.add_cumulative(held_, held_bytes_, capacity_ / byte_unit_);
}

// One link each way, and they take turns.
bool TimedRuns::is_one_channel() const {
  std::vector<std::string> channels;
  for (const Link& link : problem_.platform().links) {
    if (link.from == graph_.memory || link.to == graph_.memory) channels.push_back(link.channel);
  }
  return channels.size() == 2 && !channels[0].empty() && channels[0] == channels[1];
}

}  // namespace stint

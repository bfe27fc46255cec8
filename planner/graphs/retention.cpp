#include "planner/graphs/retention.hpp"

#include <algorithm>

namespace stint {
namespace {

constexpr std::size_t most_steps_per_task = 12;
constexpr int most_replays = 100;  // each with one more item that is computed early

}  // namespace

RetentionGaps::RetentionGaps(const DeviceGraph& graph, TaskOrder order)
    : order_(std::move(order)), position_(order_.size()) {
  for (std::size_t p = 0; p < order_.size(); ++p) position_[order_[p]] = static_cast<int>(p);
  std::vector<std::vector<int>> uses(graph.items.size());
  const auto note = [&](GraphItemId item, int p) {
    if (uses[item].empty() || uses[item].back() != p) uses[item].push_back(p);
  };
  for (int p = 0; p < static_cast<int>(order_.size()); ++p) {
    const GraphTask& task = graph.tasks[order_[p]];
    for (const GraphItemId item : task.reads) note(item, p);
    for (const GraphOutput& output : task.writes) note(output.item, p);
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    first_.push_back(static_cast<int>(use_.size()));
    use_.insert(use_.end(), uses[i].begin(), uses[i].end());
    item_.insert(item_.end(), uses[i].size(), static_cast<GraphItemId>(i));
  }
  first_.push_back(static_cast<int>(use_.size()));
}

Retention RetentionGaps::keep_all() const {
  const std::size_t items = first_.size() - 1;
  return {std::vector<char>(use_.size(), 1), std::vector<char>(items, 1),
          std::vector<char>(items, 0)};
}

int RetentionGaps::gap_before(GraphItemId item, int position) const {
  const auto begin = use_.begin() + first_[item];
  const auto end = use_.begin() + first_[item + 1];
  const auto next = std::lower_bound(begin, end, position);
  return next == begin ? -1 : static_cast<int>(next - use_.begin()) - 1;
}

int RetentionGaps::gap_at(GraphItemId item, int position) const {
  return gap_before(item, position + 1);
}

int RetentionGaps::length(int gap) const {
  const bool is_last = gap + 1 == first_[item_[gap] + 1];
  return (is_last ? static_cast<int>(order_.size()) : use_[gap + 1]) - use_[gap];
}

// One that ran already, so that the task would see state that is too new; no_task: none.
TaskId RetentionReplay::update_before(TaskId task) const {
  for (const TaskId update : graph_.tasks[task].ends_with) {
    if (ran_[update]) return update;
  }
  return no_task;
}

TaskId RetentionReplay::source(GraphItemId item) const {
  const bool is_away = graph_.moves(item) && (*away_)[item];
  return is_away ? graph_.fetch[item] : graph_.writer(item);
}

// Depth first: what a task reads before the task.
bool RetentionReplay::compute_again(GraphItemId item, int position) {
  path_.assign(1, {source(item), 0});
  while (!path_.empty()) {
    auto& [task, ready] = path_.back();
    const auto& reads = graph_.tasks[task].reads;
    while (ready < reads.size() && there_[reads[ready]]) ++ready;
    if (ready < reads.size()) {
      path_.emplace_back(source(reads[ready]), 0);
      continue;
    }
    if (const TaskId update = update_before(task); update != no_task) {
      const auto depth = path_.size();
      const GraphItemId wanted =
          depth == 1 ? item : graph_.tasks[path_[depth - 2].first].reads[path_[depth - 2].second];
      missed_ = {update, wanted};
      return false;
    }
    if (sequence_.size() >= most_steps_per_task * graph_.tasks.size()) return false;
    sequence_.push_back(task);
    stage_.push_back(position);
    for (const GraphOutput& output : graph_.tasks[task].writes) {
      if (there_[output.item]) continue;
      there_[output.item] = 1;
      again_.push_back(output.item);
    }
    path_.pop_back();
  }
  return true;
}

void RetentionReplay::release(const Retention& retention, TaskId task) {
  const auto settle = [&](GraphItemId item, bool hold) {
    if (graph_.items[item].is_fixed || hold) return;
    there_[item] = retention.keep[gaps_.gap_after_use(item, passed_[item] - 1)];
  };
  const auto use = [&](GraphItemId item) {
    ++passed_[item];
    settle(item, false);
  };
  for (const GraphItemId item : again_) settle(item, retention.hold[item] != 0);
  for (const GraphItemId item : graph_.tasks[task].reads) use(item);
  for (const GraphOutput& output : graph_.tasks[task].writes) use(output.item);
}

void RetentionReplay::begin(const std::vector<char>& away) {
  away_ = &away;
  missed_ = {};
  sequence_.clear();
  stage_.clear();
  there_.assign(graph_.items.size(), 0);
  ran_.assign(graph_.tasks.size(), 0);
  passed_.assign(graph_.items.size(), 0);
  for (std::size_t i = 0; i < graph_.items.size(); ++i) there_[i] = graph_.items[i].is_fixed;
}

bool RetentionReplay::run(int position) {
  const TaskId task = gaps_.order()[position];
  for (const GraphItemId item : graph_.tasks[task].reads) {
    if (!there_[item] && !compute_again(item, position)) return false;
  }
  sequence_.push_back(task);
  stage_.push_back(position);
  ran_[task] = 1;
  for (const GraphOutput& output : graph_.tasks[task].writes) {
    there_[output.item] = 1;
    if (!graph_.moves(output.item) || !(*away_)[output.item]) continue;
    sequence_.push_back(graph_.send[output.item]);
    stage_.push_back(position);
  }
  return true;
}

// An update comes too early for what is computed again after it.
bool RetentionReplay::compute_early(int position) {
  for (const Early& early : early_) {
    const bool is_now = early.update == gaps_.order()[position] && !there_[early.item];
    if (is_now && !compute_again(early.item, position)) return false;
  }
  return true;
}

bool RetentionReplay::make(const Retention& retention) {
  begin(retention.away);
  for (int p = 0; p < static_cast<int>(gaps_.order().size()); ++p) {
    again_.clear();
    if (!run(p)) return false;
    release(retention, gaps_.order()[p]);
  }
  return true;
}

bool RetentionReplay::make(const std::vector<int>& positions,
                           const std::vector<std::vector<char>>& there) {
  early_.clear();
  for (int tried = 0; tried < most_replays; ++tried) {
    if (make_once(positions, there)) return true;
    const bool is_known = std::find(early_.begin(), early_.end(), missed_) != early_.end();
    if (missed_.update == no_task || is_known) return false;
    early_.push_back(missed_);
  }
  return false;
}

bool RetentionReplay::make_once(const std::vector<int>& positions,
                                const std::vector<std::vector<char>>& there) {
  const std::vector<char> none(graph_.items.size(), 0);
  begin(none);
  std::size_t k = 0;
  for (int p = 0; p < static_cast<int>(gaps_.order().size()); ++p) {
    again_.clear();
    const bool is_moment = k < positions.size() && positions[k] == p;
    for (std::size_t i = 0; is_moment && i < there_.size(); ++i) {
      const auto item = static_cast<GraphItemId>(i);
      const bool is_older = gaps_.uses(item) > 0 && gaps_.use(item, 0) < p;
      if (there[k][i] && !there_[i] && is_older && !compute_again(item, p)) return false;
    }
    if (!compute_early(p) || !run(p)) return false;
    if (!is_moment) continue;
    for (std::size_t i = 0; i < there_.size(); ++i)
      there_[i] = graph_.items[i].is_fixed || (there_[i] && there[k][i]);
    ++k;
  }
  return true;
}

}  // namespace stint

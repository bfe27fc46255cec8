#include "planner/graphs/beside_search.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "planner/infinity.hpp"
#include "planner/strategy.hpp"

namespace stint {
namespace {

constexpr double last_temperature = 1e-6;
constexpr int most_changes = 3;  // in one move
constexpr int most_tries = 20;   // at a move that gives a plan that fits
constexpr std::size_t most_found = 12;

class BesideAnnealing {
 public:
  BesideAnnealing(const Problem& problem, const DeviceGraph& graph, const GraphCrew& crew,
                  const BesideSearchOptions& options)
      : problem_(problem),
        graph_(graph),
        crew_(crew),
        options_(options),
        meter_(graph, std::vector<double>(graph.tasks.size(), 0.0)),
        deadline_(deadline_seconds(problem.request())),
        random_(options.seed),
        scratch_(problem.blank) {}

  std::vector<TaskSequence> search(const TaskSequence& start) {
    now_ = start;
    if (!fits(now_)) return {};
    const double started = value(now_);
    double current = started;
    for (int i = 0; i < options_.sequences && !is_done(); ++i) {
      const auto next = neighbour();
      if (!next) continue;
      const double other = value(*next);
      const double left = 1 - static_cast<double>(i) / options_.sequences;
      const double temperature =
          started * (options_.first_temperature * left * left + last_temperature);
      if (other > current && !(std::exp((current - other) / temperature) > chance())) continue;
      now_ = *next;
      current = other;
      if (current < started) note(current);
    }
    std::vector<TaskSequence> best;
    for (Found& each : found_) best.push_back(std::move(each.sequence));
    return best;
  }

 private:
  struct Found {
    double value = 0;
    TaskSequence sequence;
  };

  // The best few, by value; of those with the same the first.
  void note(double value) {
    const auto place = std::lower_bound(found_.begin(), found_.end(), value,
                                        [](const Found& f, double v) { return f.value < v; });
    const double least_difference = 1e-4 * value;
    if (place != found_.end() && place->value - value < least_difference) return;
    if (place != found_.begin() && value - std::prev(place)->value < least_difference) return;
    found_.insert(place, {value, now_});
    if (found_.size() > most_found) found_.pop_back();
  }

  bool is_done() const {
    return (!found_.empty() && found_.front().value <= options_.good_enough) ||
           (options_.interrupted != nullptr && options_.interrupted->load());
  }

  double chance() { return static_cast<double>(random_() >> 40) * 0x1p-24; }
  int below(std::size_t most) { return static_cast<int>(random_() % most); }
  // A copy that may be left out.
  bool is_move(TaskId task) const { return task >= graph_.own_tasks; }
  bool reads(TaskId task, GraphItemId item) const {
    const auto& list = graph_.tasks[task].reads;
    return std::binary_search(list.begin(), list.end(), item);
  }

  double value(const TaskSequence& sequence) {
    const auto cost = cost_of(problem_, graph_draft(problem_, graph_, sequence, crew_), scratch_);
    if (!cost || !meets(cost->seconds, deadline_)) return infinity;
    switch (problem_.request().objective) {
      case Objective::time:
        return cost->seconds;
      case Objective::edp:
        return cost->seconds * cost->joules;
      default:
        return cost->joules;
    }
  }

  std::optional<TaskSequence> neighbour() {
    for (int tried = 0; tried < most_tries; ++tried) {
      TaskSequence next = now_;
      for (int changes = 1 + below(most_changes); changes > 0; --changes) change(next);
      next = without_needless(next);
      if (next != now_ && is_valid(next) && fits(next)) return next;
    }
    return std::nullopt;
  }

  bool fits(const TaskSequence& sequence) {
    return meter_.measure(sequence).peak_bytes <= crew_.capacity_bytes;
  }

  void change(TaskSequence& sequence) {
    const int kind = below(8);
    if (kind < 4) return shift(sequence);
    if (kind < 6) return leave_out(sequence);
    come_again(sequence);
  }

  void shift(TaskSequence& sequence) {
    const int step = below(sequence.size());
    const int last = static_cast<int>(sequence.size()) - 1;
    const int reach = 1 + below(static_cast<std::size_t>(2 + last / (1 << below(5))));
    const int to = std::clamp(step + (below(2) ? reach : -reach), 0, last);
    const auto begin = sequence.begin();
    if (to > step) std::rotate(begin + step, begin + step + 1, begin + to + 1);
    if (to < step) std::rotate(begin + to, begin + step, begin + step + 1);
  }

  // A run that is not the first of its task, or a copy.
  void leave_out(TaskSequence& sequence) {
    std::vector<int> steps;
    std::vector<char> ran(graph_.tasks.size(), 0);
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const bool again = std::exchange(ran[sequence[i]], 1);
      if (again || is_move(sequence[i])) steps.push_back(static_cast<int>(i));
    }
    if (!steps.empty()) sequence.erase(sequence.begin() + steps[below(steps.size())]);
  }

  // An item is not kept before one of its readers, but computed again or fetched back.
  void come_again(TaskSequence& sequence) {
    const int reader = below(sequence.size());
    const auto& items = graph_.tasks[sequence[reader]].reads;
    if (items.empty()) return;
    const GraphItemId item = items[below(items.size())];
    if (graph_.items[item].is_fixed) return;
    if (crew_.place && graph_.moves(item) && below(2)) return move_away(sequence, item, reader);
    compute_again(sequence, item, reader, 2);
  }

  // With what it needs in turn, half of the time.
  void compute_again(TaskSequence& sequence, GraphItemId item, int before, int depth) {
    const TaskId task = graph_.writer(item);
    if (graph_.tasks[task].runs_once) return;
    sequence.insert(sequence.begin() + before, task);
    for (const GraphItemId read : graph_.tasks[task].reads) {
      if (depth > 0 && below(4) == 0 && !graph_.items[read].is_fixed)
        compute_again(sequence, read, before, depth - 1);
    }
  }

  void move_away(TaskSequence& sequence, GraphItemId item, int reader) {
    const TaskId writer = graph_.writer(item);
    const auto until = sequence.begin() + reader;
    const bool is_made = std::find(sequence.begin(), until, writer) != until;
    const bool is_sent = std::find(sequence.begin(), until, graph_.send[item]) != until;
    if (!is_made) return;
    sequence.insert(until, graph_.fetch[item]);
    if (is_sent) return;
    const auto made = std::find(sequence.begin(), sequence.end(), writer);
    sequence.insert(made + 1, graph_.send[item]);
  }

  // What nobody reads is not computed again, sent or fetched.
  TaskSequence without_needless(const TaskSequence& sequence) const {
    std::vector<char> is_first(sequence.size(), 0);
    std::vector<char> ran(graph_.tasks.size(), 0);
    for (std::size_t step = 0; step < sequence.size(); ++step)
      is_first[step] = !std::exchange(ran[sequence[step]], 1) && !is_move(sequence[step]);
    std::vector<char> wanted(graph_.items.size(), 0);
    std::vector<char> wanted_away(graph_.items.size(), 0);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = graph_.items[i].is_result;
    TaskSequence needed;
    for (std::size_t step = sequence.size(); step-- > 0;) {
      const GraphTask& task = graph_.tasks[sequence[step]];
      const bool is_send = is_move(sequence[step]) && task.writes.empty();
      bool is_needed = is_first[step];
      if (is_send) is_needed = wanted_away[task.reads.front()];
      for (const GraphOutput& output : task.writes)
        is_needed = is_needed || (wanted[output.item] && !graph_.items[output.item].is_fixed);
      if (!is_needed) continue;
      needed.push_back(sequence[step]);
      for (const GraphOutput& output : task.writes) {
        wanted[output.item] = 0;
        if (is_move(sequence[step])) wanted_away[output.item] = 1;
      }
      if (is_send) wanted_away[task.reads.front()] = 0;
      for (const GraphItemId read : task.reads) wanted[read] = 1;
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
  }

  // Everything is there when it is read, once at most sent, and nobody sees state too new or old.
  bool is_valid(const TaskSequence& sequence) {
    there_.assign(graph_.items.size(), 0);
    ran_.assign(graph_.tasks.size(), 0);
    for (std::size_t i = 0; i < graph_.items.size(); ++i)
      there_[i] = graph_.items[i].writers.empty();
    for (const TaskId task : sequence) {
      if (!may_run(task)) return false;
      for (const GraphOutput& output : graph_.tasks[task].writes) there_[output.item] = 1;
      ran_[task] = 1;
    }
    return true;
  }

  bool may_run(TaskId task) const {
    const GraphTask& flat = graph_.tasks[task];
    const auto has_run = [&](TaskId other) { return ran_[other] != 0; };
    const auto is_there = [&](GraphItemId item) { return there_[item] != 0; };
    if (!std::all_of(flat.reads.begin(), flat.reads.end(), is_there)) return false;
    if (is_move(task)) {
      if (flat.writes.empty()) return !ran_[task];
      return has_run(graph_.send[flat.writes.front().item]);
    }
    if (ran_[task] && flat.runs_once) return false;
    if (std::any_of(flat.ends_with.begin(), flat.ends_with.end(), has_run)) return false;
    if (graph_.is_copy(task)) return true;
    const auto& before = problem_.before[task];
    return std::all_of(before.begin(), before.end(), has_run);
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  const GraphCrew& crew_;
  const BesideSearchOptions& options_;
  SequenceMeter meter_;
  std::optional<double> deadline_;
  std::mt19937_64 random_;
  Schedule scratch_;
  TaskSequence now_;
  std::vector<Found> found_;
  std::vector<char> there_;
  std::vector<char> ran_;
};

}  // namespace

std::vector<TaskSequence> search_beside(const Problem& problem, const DeviceGraph& graph,
                                        const GraphCrew& crew, const TaskSequence& start,
                                        const BesideSearchOptions& options) {
  if (start.empty()) return {};
  return BesideAnnealing(problem, graph, crew, options).search(start);
}

}  // namespace stint

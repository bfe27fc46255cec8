// What a bound permits beyond what has a place in time (timed_model.hpp). Each permit is a literal
// with a price that no plan undercuts; plans of our own get none.
#include <algorithm>

#include "planner/timed/timed_runs.hpp"

namespace stint {

// More runs than have a place in time; those that have one happen before.
std::optional<VariableId> TimedRuns::again(TaskId task) {
  if (!is_bound() || !may_run_again(task)) return std::nullopt;
  auto& known = again_[task];
  if (known) return known;
  known = model_.add_boolean();
  cost_.add(*known, prices_.least_cost[task]);
  for (const int run : runs_of_[task])
    if (runs_[run].happens) imply(*known, *runs_[run].happens);
  return known;
}

// Another run than the first.
std::optional<VariableId> TimedRuns::second(TaskId task) {
  if (!is_bound()) return std::nullopt;
  const auto& runs = runs_of_[task];
  return runs.size() > 1 ? runs_[runs[1]].happens : again(task);
}

std::optional<VariableId> TimedRuns::more(Move& move) {
  if (!is_bound()) return std::nullopt;
  if (move.more) return move.more;
  move.more = model_.add_boolean();
  cost_.add(*move.more, prices_.back[move.tensor].cost);
  imply(*move.more, *runs_[move.comes.back().run].happens);
  return move.more;
}

// What the writer writes of an item of which there is one comes there from elsewhere, or from
// another run than the first: then what the first one wrote is read too, else that run would not
// be.
std::optional<VariableId> TimedRuns::come_to_fixed(GraphItemId i, TaskId writer) {
  if (!is_bound() || item(i).writers.size() == 1) return std::nullopt;
  Literals ways;
  const auto twice = read_twice(i);
  if (const auto way = second(writer); way && twice) {
    const VariableId is_so = model_.add_boolean();
    imply(is_so, *way);
    if (!twice->empty()) model_.add_clause(with(*twice, no(is_so)));
    ways.push_back(is_so);
  }
  if (prices_.can_move()) ways.push_back(come_from_elsewhere(i, writer));
  if (ways.empty()) return std::nullopt;
  const VariableId any = model_.add_boolean();
  model_.add_clause(with(ways, no(any)));
  return any;
}

// Who reads it then waits for it to go there and back.
VariableId TimedRuns::come_from_elsewhere(GraphItemId i, TaskId writer) {
  const VariableId comes = model_.add_boolean();
  TimedTransfer least{INT64_MAX, INT64_MAX};
  for (const TensorId tensor : problem_.graph().tasks[writer].writes) {
    if (graph_.item_of[tensor] != i) continue;
    const TimedTransfer& out = prices_.out[tensor];
    const TimedTransfer& back = prices_.back[tensor];
    least.cost = std::min(least.cost, back.cost);
    least.length = std::min(least.length, out.length + back.length);
  }
  cost_.add(comes, least.cost);
  LinearSum there = first(writer).end;
  there.constant += least.length;
  for (int t = writer + 1; t < graph_.problem_tasks; ++t) {
    const auto reader = static_cast<TaskId>(t);
    if (tensors_read(reader, i) == std::vector{item(i).tensor})
      add_order(first(reader).begin, there, {comes});
  }
  return comes;
}

// One of the literals holds if the item is read twice: nothing if it never is, none if it always
// may be.
std::optional<Literals> TimedRuns::read_twice(GraphItemId i) {
  std::vector<TaskId> readers;
  for (int t = 0; t < graph_.problem_tasks; ++t) {
    const auto& reads = graph_.tasks[t].reads;
    if (std::binary_search(reads.begin(), reads.end(), i))
      readers.push_back(static_cast<TaskId>(t));
  }
  if (readers.empty()) return std::nullopt;
  if (readers.size() > 1 || item(i).is_result || prices_.can_move()) return Literals{};
  const auto another = second(readers.front());
  if (!another) return std::nullopt;
  return Literals{*another};
}

// Ways to read tensors of an item that have no instance: one that came back once more, or that
// further runs wrote, which take their time, after those that have a place in it; or one that came
// back part by part, whenever that was.
Literals TimedRuns::ways_beside(GraphItemId i, const std::vector<TensorId>& tensors,
                                const LinearSum& begin) {
  if (!is_bound()) return {};
  Literals ways;
  for (Move& move : moves_[i]) {
    if (!covers(move.tensor, tensors)) continue;
    LinearSum there = runs_[move.comes.back().run].end;
    there.constant += prices_.back[move.tensor].length;
    ways.push_back(model_.add_boolean());
    imply(ways.back(), *more(move));
    add_order(begin, there, {ways.back()});
    if (!has_parts(move.tensor)) continue;
    if (!move.in_parts) {
      move.in_parts = model_.add_boolean();
      cost_.add(*move.in_parts, prices_.back[move.tensor].cost);
    }
    ways.push_back(model_.add_boolean());
    imply(ways.back(), *move.in_parts);
  }
  std::vector<TaskId> writers = item(i).writers;
  std::erase_if(writers, [&](TaskId writer) { return !is_read_of(tensors, writer); });
  const auto another = [&](TaskId writer) {
    return item(i).is_fixed ? second(writer) : again(writer);
  };
  const bool all = std::all_of(writers.begin(), writers.end(),
                               [&](TaskId writer) { return another(writer).has_value(); });
  if (writers.empty() || !all) return ways;
  ways.push_back(model_.add_boolean());
  for (const TaskId writer : writers) {
    imply(ways.back(), *another(writer));
    add_order(begin, end_of_another(writer, item(i).is_fixed), {ways.back()});
  }
  return ways;
}

// Whether there is a tensor inside of it.
bool TimedRuns::has_parts(TensorId tensor) const {
  const SegmentRange outer = segments(tensor);
  const auto& all = problem_.segments.of_tensor;
  return std::any_of(all.begin(), all.end(), [&](const SegmentRange& inner) {
    return inner.begin < inner.end && outer.begin <= inner.begin && inner.end <= outer.end &&
           (outer.begin < inner.begin || inner.end < outer.end);
  });
}

// When the second run, or one more than have a place in time, ends at the earliest.
LinearSum TimedRuns::end_of_another(TaskId task, bool is_second) const {
  const auto& runs = runs_of_[task];
  if (is_second && runs.size() > 1) return runs_[runs[1]].end;
  const auto& ways = prices_.ways[task];
  const auto shortest =
      std::min_element(ways.begin(), ways.end(),
                       [](const TimedWay& a, const TimedWay& b) { return a.length < b.length; });
  LinearSum end = runs_[runs.back()].end;
  end.constant += shortest->length;
  return end;
}

bool TimedRuns::is_read_of(const std::vector<TensorId>& tensors, TaskId writer) const {
  for (const TensorId read : tensors) {
    for (const TensorId written : problem_.graph().tasks[writer].writes) {
      if (segments(read).begin < segments(written).end &&
          segments(written).begin < segments(read).end)
        return true;
    }
  }
  return false;
}

// State that has two buffers may be updated before all have read it; where things can be moved, one
// that was copied for a while.
VariableId TimedRuns::two_buffers(TaskId update) {
  auto& known = two_buffers_[update];
  if (known) return *known;
  known = model_.add_boolean();
  std::int64_t bytes = huge_bytes;
  for (const TensorId tensor : problem_.graph().tasks[update].updates)
    bytes = std::min(bytes, bytes_of(tensor));
  if (!prices_.can_move()) hold(model_.add_interval(0, end_, end_, Literals{*known}), bytes);
  return *known;
}

// State is there throughout, or lives elsewhere and is there for those who use it, in parts perhaps
// only a part of it.
void TimedRuns::hold_state() {
  for (const StateUse& use : state_uses(problem_)) {
    if (bytes_of(use.tensor) < options_.least_bytes) continue;
    const VariableId is_away = model_.add_boolean();
    hold(model_.add_interval(0, end_, end_, Literals{no(is_away)}), bytes_of(use.tensor));
    if (use.in_parts) continue;
    copy_state(use, is_away);
    for (const TaskId user : use.users) {
      for (const int r : runs_of_[user]) {
        const Run& run = runs_[r];
        hold(model_.add_interval(run.begin, run.length, run.end, with(run.conditions(), is_away)),
             bytes_of(use.tensor));
      }
    }
  }
}

// It comes before anybody uses it, and goes back once it is updated.
void TimedRuns::copy_state(const StateUse& use, VariableId is_away) {
  const auto add_copy = [&](const TimedTransfer& copy, Lane lane) {
    const int r = add_run(no_task, {{0, copy.length, 0}}, copy.cost, lane);
    imply(is_away, *runs_[r].happens);
    hold(runs_[r].interval, bytes_of(use.tensor));
    return r;
  };
  const int comes = add_copy(prices_.back[use.tensor], Lane::back);
  for (const TaskId user : use.users) add_order(first(user).begin, runs_[comes].end, {is_away});
  if (use.updaters.empty()) return;
  const int goes = add_copy(prices_.out[use.tensor], Lane::out);
  for (const TaskId updater : use.updaters)
    add_order(runs_[goes].begin, first(updater).end, {is_away});
}

void TimedRuns::note_what_is_missing(const CpAnswer& found, TimedAnswer& answer) const {
  for (std::size_t t = 0; t < again_.size(); ++t) {
    if (again_[t] && found.is_true(*again_[t])) answer.more_runs.push_back(static_cast<TaskId>(t));
  }
  for (const auto& moves : moves_) {
    for (const Move& move : moves)
      if (move.more && found.is_true(*move.more)) answer.more_comes.push_back(move.tensor);
  }
}

}  // namespace stint

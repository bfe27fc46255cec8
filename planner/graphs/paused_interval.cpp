#include "planner/graphs/paused_interval.hpp"

#include <algorithm>

namespace stint {

PausedInterval::PausedInterval(MomentModel& model, int interval, const CountedRun& run)
    : m_(model),
      k_(interval),
      counted_(run),
      there_(model.graph.items.size(), never_so),
      runs_after_(model.graph.tasks.size(), never_so),
      comes_after_(model.graph.items.size(), never_so) {
  for (std::size_t i = 0; i < m_.graph.items.size(); ++i) {
    const Fact& next = m_.there[k_ + 1][i];
    if (m_.is_free(i) || next.kind == Fact::no) continue;
    std::vector<VariableId> unless;
    if (next.kind == Fact::open) unless.push_back(no(next.literal));
    require(static_cast<GraphItemId>(i), std::move(unless));
  }
  wait_for_readers();
}

bool PausedInterval::touches(GraphItemId item) const {
  const GraphTask& task = m_.graph.tasks[counted_.task];
  return std::binary_search(task.reads.begin(), task.reads.end(), item) ||
         std::any_of(task.writes.begin(), task.writes.end(),
                     [&](const GraphOutput& output) { return output.item == item; });
}

void PausedInterval::wait_for_readers() {
  std::vector<VariableId> otherwise;
  TaskId writer = counted_.task;
  for (const TaskId reader : counted_.readers) {
    const Fact& runs = m_.run[k_][reader];
    if (runs.kind == Fact::no || !note_reader(writer, reader, otherwise)) return;
    std::vector<VariableId> unless = otherwise;
    if (runs.kind == Fact::open) unless.push_back(no(runs.literal));
    for (const GraphItemId read : m_.graph.tasks[reader].reads) require(read, unless);
    writer = reader;
  }
}

// Whether what the reader reads of the writer is written in the interval, if none of the literals
// holds.
bool PausedInterval::note_reader(TaskId writer, TaskId reader,
                                 std::vector<VariableId>& otherwise) const {
  const auto& reads = m_.graph.tasks[reader].reads;
  for (const GraphOutput& output : m_.graph.tasks[writer].writes) {
    const bool is_read = std::binary_search(reads.begin(), reads.end(), output.item);
    if (!is_read || m_.is_free(output.item) || m_.item(output.item).writers.size() > 1) continue;
    const Fact& before = m_.after[k_][output.item];
    const Fact& back = m_.back[k_][output.item];
    if (before.kind == Fact::yes || back.kind == Fact::yes) continue;
    if (before.kind == Fact::open) otherwise.push_back(before.literal);
    if (back.kind == Fact::open) otherwise.push_back(back.literal);
    return true;
  }
  return false;
}

void PausedInterval::require(GraphItemId item, std::vector<VariableId> unless) {
  if (m_.is_free(item) || touches(item)) return;
  const Fact written = written_after(item);
  const Fact there = written.kind == Fact::yes ? never_so : this->there(item);
  for (const Fact& way : {written, m_.back[k_][item], there}) {
    if (way.kind == Fact::yes) return;
    if (way.kind == Fact::open) unless.push_back(way.literal);
  }
  if (unless.empty()) m_.impossible = true;
  if (!unless.empty()) m_.model.add_clause(unless);
}

Fact PausedInterval::there(GraphItemId item) {
  const bool may_be = m_.after[k_][item].kind != Fact::no || m_.made(k_, item).kind != Fact::no ||
                      m_.back[k_][item].kind != Fact::no;
  if (may_be && there_[item].kind == Fact::no) there_[item] = m_.open();
  return there_[item];
}

Fact PausedInterval::written_after(GraphItemId item) {
  const auto& writers = m_.item(item).writers;
  if (writers.size() > 1) return m_.made(k_, item);
  if (writers.size() == 1) return runs_after(writers.front());
  const Fact& comes = m_.come[k_][item];
  if (comes.kind != Fact::open || comes_after_[item].kind == Fact::open) return comes_after_[item];
  comes_after_[item] = m_.open();
  m_.model.add_clause({no(comes_after_[item].literal), comes.literal});
  return comes_after_[item];
}

Fact PausedInterval::runs_after(TaskId task) {
  const Fact& runs = m_.run[k_][task];
  if (runs.kind == Fact::no || runs_after_[task].kind == Fact::open) return runs_after_[task];
  const Fact after = runs_after_[task] = m_.open();
  if (runs.kind == Fact::open) m_.model.add_clause({no(after.literal), runs.literal});
  for (const GraphItemId read : m_.graph.tasks[task].reads) require(read, {no(after.literal)});
  return after;
}

}  // namespace stint

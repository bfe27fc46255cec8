#include "planner/graphs/moment_memory.hpp"

#include <algorithm>
#include <numeric>

#include "planner/graphs/paused_interval.hpp"

namespace stint {
namespace {

// All sizes are multiples of it.
std::int64_t unit_bytes(const DeviceGraph& graph) {
  std::int64_t unit = 0;
  for (const GraphItem& item : graph.items) unit = std::gcd(unit, item.bytes);
  for (const GraphTask& task : graph.tasks)
    for (const GraphOutput& output : task.writes) unit = std::gcd(unit, output.bytes);
  return std::max<std::int64_t>(unit, 1);
}

class MomentMemory {
 public:
  explicit MomentMemory(MomentModel& model) : m_(model), unit_(unit_bytes(model.graph)) {}

  void require() {
    for (int k = 1; k <= m_.moments; ++k) require_at(k);
    count_runs();
  }

 private:
  // What is free elsewhere is there while the moment's task reads or writes it.
  std::int64_t free_bytes_at(int k) const {
    std::int64_t bytes = 0;
    const auto counts = [&](GraphItemId i) {
      return m_.problem.is_rough && m_.is_free(i) && m_.item(i).is_alone &&
             m_.item(i).writers.size() <= 1;
    };
    for (const GraphItemId read : m_.moment_task(k).reads)
      bytes += counts(read) ? m_.item(read).bytes : 0;
    for (const GraphOutput& output : m_.moment_task(k).writes)
      bytes += counts(output.item) && !output.is_optional ? output.bytes : 0;
    return bytes;
  }

  void require_at(int k) {
    LinearSum bytes;
    std::int64_t known = m_.moment_task(k).workspace_bytes + free_bytes_at(k);
    if (!m_.problem.reserved_bytes.empty()) known += m_.problem.reserved_bytes[k - 1];
    for (std::size_t i = 0; i < m_.graph.items.size(); ++i) {
      const Fact& there = m_.there[k][i];
      if (m_.is_free(i)) continue;
      if (there.kind == Fact::yes) known += m_.item(i).bytes;
      if (there.kind == Fact::open) bytes.add(there.literal, m_.item(i).bytes / unit_);
    }
    known -= replaced_bytes(k, bytes);
    known += state_bytes_at(k, bytes);
    const std::int64_t left = m_.problem.capacity_bytes - known;
    if (left < 0 && bytes.terms.empty()) m_.impossible = true;
    m_.model.add_linear(bytes, INT64_MIN / 2, whole_units(left));
  }

  // State that may live elsewhere takes its bytes at the moments at which it is there.
  std::int64_t state_bytes_at(int k, LinearSum& bytes) const {
    std::int64_t known = 0;
    for (std::size_t s = 0; s < m_.states.size(); ++s) {
      const Fact& there = m_.states[s].there[k];
      if (there.kind == Fact::yes) known += m_.problem.states[s].bytes;
      if (there.kind == Fact::open) bytes.add(there.literal, m_.problem.states[s].bytes / unit_);
    }
    return known;
  }

  // While any other task runs: unless it lives elsewhere and is not used by the task, which runs.
  std::int64_t state_bytes(TaskId task, const Fact& runs, LinearSum& bytes) const {
    std::int64_t known = 0;
    for (std::size_t s = 0; s < m_.states.size(); ++s) {
      const MovedState& state = m_.problem.states[s];
      known += state.bytes;
      if (runs.kind != Fact::yes || !state.is_used_by(task))
        bytes.add(m_.states[s].away, -(state.bytes / unit_ + (state.bytes % unit_ > 0 ? 1 : 0)));
    }
    return known;
  }

  // What a task needs while it runs, at the least.
  std::int64_t needed_bytes(TaskId t) const {
    const GraphTask& task = m_.graph.tasks[t];
    std::int64_t bytes = task.workspace_bytes;
    for (const GraphItemId read : task.reads)
      if (m_.item(read).is_alone) bytes += m_.item(read).bytes;
    for (const GraphOutput& output : task.writes) {
      if (!output.is_optional && m_.replaced_by(output) == no_graph_item) bytes += output.bytes;
    }
    return bytes;
  }

  void count_runs() {
    for (const CountedRun& counted : m_.problem.counted) {
      for (int k = std::max(counted.first, 1); k <= std::min(counted.last, m_.moments - 1); ++k) {
        if (m_.run[k][counted.task].kind != Fact::no) count_run(k, counted);
      }
    }
  }
  void count_run(int k, const CountedRun& counted) {
    const std::int64_t needed = needed_bytes(counted.task);
    LinearSum bytes;
    std::int64_t left = m_.problem.capacity_bytes;
    const Fact& run = m_.run[k][counted.task];
    left -= state_bytes(counted.task, run, bytes);
    if (run.kind == Fact::yes) left -= needed;
    if (run.kind == Fact::open) bytes.add(run.literal, needed / unit_);
    const Facts beside = PausedInterval(m_, k, counted).there();
    for (std::size_t i = 0; i < beside.size(); ++i) {
      if (beside[i].kind == Fact::yes) left -= m_.item(i).bytes;
      if (beside[i].kind == Fact::open) bytes.add(beside[i].literal, m_.item(i).bytes / unit_);
    }
    if (left < 0 && bytes.terms.empty()) m_.impossible = true;
    if (!bytes.terms.empty()) m_.model.add_linear(bytes, INT64_MIN / 2, whole_units(left));
  }

  // Bytes that outputs of the moment's task share with inputs, unless these are used again.
  std::int64_t replaced_bytes(int k, LinearSum& bytes) const {
    std::int64_t replaced = 0;
    for (const GraphOutput& output : m_.moment_task(k).writes) {
      const GraphItemId input = m_.replaced_by(output);
      if (input == no_graph_item) continue;
      const Fact& stays = m_.after[k][input];
      if (stays.kind == Fact::yes && !m_.is_free(input)) continue;
      replaced += output.bytes;
      if (stays.kind == Fact::open) bytes.add(stays.literal, output.bytes / unit_);
    }
    return replaced;
  }

  // In units, rounded down.
  std::int64_t whole_units(std::int64_t bytes) const {
    return bytes >= 0 ? bytes / unit_ : -((-bytes + unit_ - 1) / unit_);
  }

  MomentModel& m_;
  std::int64_t unit_;
};

}  // namespace

void require_memory(MomentModel& model) { MomentMemory(model).require(); }

}  // namespace stint

// R1: every name and every id resolves. R2: the order has no cycle.
#include <fmt/format.h>

#include <unordered_set>

#include "files/input_error.hpp"
#include "schedules/rules.hpp"

namespace stint {
namespace {

// Indices that no reader would make, in schedules that programs build in memory.
class IndexCheck {
 public:
  explicit IndexCheck(const Judge& judge) : judge_(judge), schedule_(judge.schedule) {}

  void run() {
    check_ids();
    for (int i = 0; i < size(schedule_.buffers); ++i) check_buffer(BufferId{i});
    for (int i = 0; i < size(schedule_.actions); ++i) check_action(ActionId{i});
  }

 private:
  template <typename Table>
  static int size(const Table& table) {
    return static_cast<int>(table.size());
  }
  template <typename Table>
  static bool in(const Table& table, int index, int least = 0) {
    return index >= least && index < size(table);
  }

  // Paths are made only where something is wrong: there are millions of these checks.
  void expect(bool holds, BufferId id, const char* key, const char* what) const {
    if (!holds) report(buffer_path(id, key), what);
  }
  void expect(bool holds, ActionId id, const char* key, const char* what) const {
    if (!holds) report(action_path(id, key), what);
  }
  void report(const std::string& where, const char* what) const {
    judge_.report(1, where, fmt::format("names no {0}; expected a {0} of the file", what));
  }

  void check_ids() const {
    std::unordered_set<std::int64_t> seen;
    for (int i = 0; i < size(schedule_.buffers); ++i) {
      if (!seen.insert(schedule_.buffers[i].id).second)
        report_twice(buffer_path(BufferId{i}, "id"));
    }
    seen.clear();
    for (int i = 0; i < size(schedule_.actions); ++i) {
      if (!seen.insert(schedule_.actions[i].id).second)
        report_twice(action_path(ActionId{i}, "id"));
    }
  }

  void report_twice(const std::string& where) const {
    judge_.report(1, where, "an id that stands before; expected every id once");
  }

  void check_buffer(BufferId id) const {
    const Buffer& buffer = schedule_.buffers[id];
    expect(in(schedule_.graph.tensors, buffer.tensor, -1), id, "tensor", "tensor");
    expect(in(schedule_.platform.memories, buffer.memory), id, "memory", "memory");
    expect(in(schedule_.buffers, buffer.within, -1), id, "within", "buffer");
  }

  void check_action(ActionId id) const {
    const Action& action = schedule_.actions[id];
    const bool worker = in(judge_.workers, action.worker);
    expect(worker, id, "worker", "worker");
    expect(in(judge_.workers, action.occupies, -1), id, "occupies", "worker");
    if (action.what == Do::compute) {
      expect(in(schedule_.graph.tasks, action.task), id, "task", "task");
      if (worker) check_state(id, action);
    }
    check_list(id, "reads", "buffer", action.reads, schedule_.buffers);
    check_list(id, "writes", "buffer", action.writes, schedule_.buffers, -1);
    check_list(id, "updates", "buffer", action.updates, schedule_.buffers);
    check_list(id, "after", "action", action.after, schedule_.actions);
    expect(in(schedule_.buffers, action.workspace, -1), id, "workspace", "buffer");
  }

  void check_state(ActionId id, const Action& action) const {
    const int device = judge_.workers[action.worker].device;
    const bool found =
        device < 0 || in(schedule_.platform.devices[device].states, action.state, -1);
    expect(found, id, "state", "power state");
  }

  // `least` is -1 where something may be left out.
  template <typename Id, typename Table>
  void check_list(ActionId id, const char* key, const char* what, const std::vector<Id>& list,
                  const Table& table, int least = 0) const {
    for (int i = 0; i < size(list); ++i) {
      if (!in(table, list[i], least)) report(fmt::format("{}/{}", action_path(id, key), i), what);
    }
  }

  const Judge& judge_;
  const Schedule& schedule_;
};

void judge_memory_names(const Judge& judge, const std::map<std::string, std::int64_t>& by_memory,
                        const std::string& where) {
  for (const auto& [name, bytes] : by_memory) {
    if (find_memory(judge.schedule.platform, name)) continue;
    judge.report(
        1, where + '/' + pointer_step(name),
        fmt::format("there is no memory {}; expected one of the platform", in_quotes(name)));
  }
}

}  // namespace

void judge_names(const Judge& judge) {
  if (!judge.schedule.unresolved.empty()) {
    for (const auto& [where, fault] : judge.schedule.unresolved) judge.report(1, where, fault);
    return;
  }
  judge_memory_names(judge, judge.schedule.arenas, "/arenas");
  judge_memory_names(judge, judge.schedule.request.memory, "/request/memory");
  judge_memory_names(judge, judge.schedule.predicted.peak_bytes, "/predicted/peak_bytes");
  IndexCheck(judge).run();
}

void judge_order(const Judge& judge, const Lanes& lanes) {
  const std::vector<ActionId> cycle = find_cycle(judge.schedule, lanes);
  std::string names;
  for (const ActionId id : cycle) names += judge.action(id) + " before ";
  judge.report(2, action_path(cycle.front()),
               names + judge.action(cycle.front()) +
                   ", a cycle in which all wait for each other; expected an order without one");
}

}  // namespace stint

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

  void expect(bool holds, const std::string& where, const char* what) const {
    if (!holds)
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
    const auto& tensors = schedule_.graph.tensors;
    expect(buffer.tensor >= -1 && buffer.tensor < size(tensors), buffer_path(id, "tensor"),
           "tensor");
    expect(buffer.memory >= 0 && buffer.memory < size(schedule_.platform.memories),
           buffer_path(id, "memory"), "memory");
    expect(buffer.within >= -1 && buffer.within < size(schedule_.buffers),
           buffer_path(id, "within"), "buffer");
  }

  void check_action(ActionId id) const {
    const Action& action = schedule_.actions[id];
    const bool worker = action.worker >= 0 && action.worker < size(judge_.workers);
    expect(worker, action_path(id, "worker"), "worker");
    expect(action.occupies >= -1 && action.occupies < size(judge_.workers),
           action_path(id, "occupies"), "worker");
    if (action.what == Do::compute) {
      expect(action.task >= 0 && action.task < size(schedule_.graph.tasks), action_path(id, "task"),
             "task");
      if (worker) check_state(id, action);
    }
    check_buffers(action.reads, action_path(id, "reads"), false);
    check_buffers(action.writes, action_path(id, "writes"), true);
    check_buffers(action.updates, action_path(id, "updates"), false);
    expect(action.workspace >= -1 && action.workspace < size(schedule_.buffers),
           action_path(id, "workspace"), "buffer");
    for (int i = 0; i < size(action.after); ++i) {
      const ActionId earlier = action.after[i];
      if (earlier >= 0 && earlier < size(schedule_.actions)) continue;
      expect(false, fmt::format("{}/{}", action_path(id, "after"), i), "action");
    }
  }

  void check_state(ActionId id, const Action& action) const {
    const int device = judge_.workers[action.worker].device;
    const bool found =
        device < 0 ||
        (action.state >= -1 && action.state < size(schedule_.platform.devices[device].states));
    expect(found, action_path(id, "state"), "power state");
  }

  void check_buffers(const std::vector<BufferId>& list, const std::string& where,
                     bool may_be_left_out) const {
    for (int i = 0; i < size(list); ++i) {
      const bool found = list[i] >= 0 && list[i] < size(schedule_.buffers);
      if (found || (may_be_left_out && list[i] == no_buffer)) continue;
      expect(false, fmt::format("{}/{}", where, i), "buffer");
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

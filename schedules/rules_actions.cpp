// R4: an action fits its kind and its task. R5: it works in the memories that its worker reaches.
// R12: every task is executed; those that update state, once.
#include <fmt/format.h>

#include <algorithm>

#include "schedules/cost.hpp"
#include "schedules/rules.hpp"

namespace stint {
namespace {

class ActionCheck {
 public:
  ActionCheck(const Judge& judge, const TaskTimes& times, ActionId id)
      : judge_(judge),
        schedule_(judge.schedule),
        times_(times),
        id_(id),
        action_(schedule_.actions[id]) {}

  void run() const {
    if (action_.what == Do::compute) check_compute();
    if (action_.what == Do::copy) check_copy();
    if (action_.what == Do::load) check_load();
  }

 private:
  void report(const std::string& key, const std::string& what) const {
    judge_.report(4, action_path(id_, key), judge_.action(id_) + ": " + what);
  }

  bool on_link() const { return judge_.workers[action_.worker].is_link(); }

  void check_compute() const {
    if (on_link()) return report("worker", "a task on a link; expected a worker of a device");
    if (action_.occupies != no_worker) report("occupies", "a compute occupies no second worker");
    const DeviceId device{judge_.workers[action_.worker].device};
    const Task& task = schedule_.graph.tasks[action_.task];
    if (!times_.seconds_at_speed_1(task, device)) {
      report("worker", fmt::format("{} has no time on {}; expected a device that can run it",
                                   task.name, device_name(schedule_.platform, device)));
    }
    check_list("reads", action_.reads, task.reads);
    check_list("writes", action_.writes, task.writes);
    check_list("updates", action_.updates, task.updates);
    check_workspace(task);
  }

  void check_list(const std::string& key, const std::vector<BufferId>& buffers,
                  const std::vector<TensorId>& tensors) const {
    if (buffers.size() != tensors.size()) {
      return report(key, fmt::format("{} buffers; expected {}, one for each of the task's {}",
                                     buffers.size(), tensors.size(), key));
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i] == no_buffer) {
        check_left_out(key, i, tensors[i]);
      } else if (schedule_.buffers[buffers[i]].tensor != tensors[i]) {
        report(fmt::format("{}/{}", key, i),
               fmt::format("{}; expected a buffer of {}", judge_.buffer(buffers[i]),
                           judge_.tensor(tensors[i])));
      }
    }
  }

  void check_left_out(const std::string& key, std::size_t i, TensorId tensor) const {
    const Task& task = schedule_.graph.tasks[action_.task];
    const auto& optional = task.optional;
    const bool may = std::find(optional.begin(), optional.end(), tensor) != optional.end();
    if (may) return;
    report(
        fmt::format("{}/{}", key, i),
        fmt::format("leaves {} out; expected a buffer, it is not optional", judge_.tensor(tensor)));
  }

  void check_workspace(const Task& task) const {
    if (action_.workspace == no_buffer) {
      if (task.workspace_bytes > 0) {
        report("workspace", fmt::format("none; expected {} bytes", task.workspace_bytes));
      }
      return;
    }
    const Buffer& workspace = schedule_.buffers[action_.workspace];
    if (workspace.tensor != no_tensor) {
      report("workspace", fmt::format("{}; expected a buffer without a tensor",
                                      judge_.buffer(action_.workspace)));
    } else if (workspace.bytes < task.workspace_bytes) {
      report("workspace",
             fmt::format("{} bytes; expected at least {}", workspace.bytes, task.workspace_bytes));
    }
  }

  void expect_no_task() const {
    if (action_.task != no_task || !action_.updates.empty() || action_.workspace != no_buffer) {
      report("", "has a task, updates or workspace; expected them on a compute only");
    }
  }

  void check_copy() const {
    expect_no_task();
    if (!on_link()) return report("worker", "a copy on a compute worker; expected a link");
    const bool one_each =
        action_.reads.size() == 1 && action_.writes.size() == 1 && action_.writes[0] != no_buffer;
    if (!one_each) return report("", "expected one buffer read and one written");
    const Buffer& from = schedule_.buffers[action_.reads[0]];
    const Buffer& to = schedule_.buffers[action_.writes[0]];
    if (from.tensor == no_tensor) report("reads/0", "copies workspace; expected a tensor");
    if (from.tensor != to.tensor) {
      report("writes/0",
             fmt::format("copies {} to {}; expected the same tensor",
                         judge_.buffer(action_.reads[0]), judge_.buffer(action_.writes[0])));
    }
    check_occupied();
  }

  void check_occupied() const {
    const bool blocking = schedule_.platform.links[judge_.workers[action_.worker].link].blocking;
    const bool occupies = action_.occupies != no_worker;
    if (blocking != occupies) {
      report("occupies", blocking
                             ? "none; expected the compute worker that a blocking link occupies"
                             : "a worker; expected none, the link is not blocking");
    } else if (occupies && judge_.workers[action_.occupies].is_link()) {
      report("occupies", "a link; expected a compute worker");
    }
  }

  void check_load() const {
    expect_no_task();
    if (!action_.reads.empty()) report("reads", "a load reads no buffer");
    if (action_.occupies != no_worker) report("occupies", "a load occupies no second worker");
    if (on_link() && schedule_.platform.links[judge_.workers[action_.worker].link].blocking) {
      report("worker", "a load over a blocking link; expected another link or a compute worker");
    }
    if (action_.for_step != 0 && action_.for_step != 1) {
      report("for_step", fmt::format("{}; expected 0 or 1", action_.for_step));
    }
    if (action_.writes.empty()) report("writes", "nothing; expected the buffers of inputs");
    for (std::size_t i = 0; i < action_.writes.size(); ++i) {
      const BufferId id = action_.writes[i];
      const TensorId tensor = id == no_buffer ? no_tensor : schedule_.buffers[id].tensor;
      if (tensor != no_tensor && schedule_.graph.tensors[tensor].kind == Kind::input) continue;
      report(fmt::format("writes/{}", i), "not an input; expected a buffer of an input");
    }
  }

  const Judge& judge_;
  const Schedule& schedule_;
  const TaskTimes& times_;
  ActionId id_;
  const Action& action_;
};

class PlaceCheck {
 public:
  PlaceCheck(const Judge& judge, ActionId id)
      : judge_(judge), id_(id), action_(judge.schedule.actions[id]) {}

  void run() const {
    const Worker& worker = judge_.workers[action_.worker];
    if (action_.what != Do::load && worker.is_link() != (action_.what == Do::copy)) return;  // R4's
    const Platform& platform = judge_.schedule.platform;
    const MemoryId from = worker.is_link() ? platform.links[worker.link].from
                                           : platform.devices[worker.device].memory;
    const MemoryId to =
        worker.is_link() ? platform.links[worker.link].to : platform.devices[worker.device].memory;
    check("reads", action_.reads, from);
    check("writes", action_.writes, to);
    check("updates", action_.updates, to);
    if (action_.workspace != no_buffer) check("workspace", {action_.workspace}, to);
  }

 private:
  void check(const char* key, const std::vector<BufferId>& buffers, MemoryId expected) const {
    for (const BufferId id : buffers) {
      if (id == no_buffer || judge_.schedule.buffers[id].memory == expected) continue;
      judge_.report(
          5, action_path(id_, key),
          fmt::format("{}: {} is in {}; expected {}, which {} reaches", judge_.action(id_),
                      judge_.buffer(id), judge_.memory(judge_.schedule.buffers[id].memory),
                      judge_.memory(expected), judge_.workers[action_.worker].name));
    }
  }

  const Judge& judge_;
  ActionId id_;
  const Action& action_;
};

}  // namespace

void judge_actions(const Judge& judge) {
  const TaskTimes times(judge.schedule.platform);
  for (int i = 0; i < static_cast<int>(judge.schedule.actions.size()); ++i) {
    ActionCheck(judge, times, ActionId{i}).run();
  }
}

void judge_places(const Judge& judge) {
  for (int i = 0; i < static_cast<int>(judge.schedule.actions.size()); ++i) {
    PlaceCheck(judge, ActionId{i}).run();
  }
}

void judge_executions(const Judge& judge) {
  const Graph& graph = judge.schedule.graph;
  std::vector<int> executions(graph.tasks.size(), 0);
  for (int i = 0; i < static_cast<int>(judge.schedule.actions.size()); ++i) {
    const Action& action = judge.schedule.actions[i];
    if (action.what != Do::compute || ++executions[action.task] == 1) continue;
    if (graph.tasks[action.task].updates.empty()) continue;
    judge.report(12, action_path(ActionId{i}, "task"),
                 fmt::format("{} updates state and is executed again; expected exactly once",
                             graph.tasks[action.task].name));
  }
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (executions[t] > 0) continue;
    judge.report(12, "/actions",
                 fmt::format("{} is never executed; expected at least once", graph.tasks[t].name));
  }
}

}  // namespace stint

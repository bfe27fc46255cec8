#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "files/input_error.hpp"
#include "models/check_graph.hpp"

namespace stint {
namespace {

// A set of tensors that is emptied in no time, for the many short lists of tasks.
class Marks {
 public:
  explicit Marks(std::size_t tensors) : marked_(tensors, 0) {}
  void clear() { ++round_; }
  bool has(TensorId tensor) const {
    return tensor >= 0 && tensor < static_cast<int>(marked_.size()) && marked_[tensor] == round_;
  }
  // False if it was there already.
  bool insert(TensorId tensor) { return std::exchange(marked_[tensor], round_) != round_; }

 private:
  std::vector<std::int64_t> marked_;  // the round in which a tensor was last inserted
  std::int64_t round_ = 1;
};

class TaskCheck {
 public:
  TaskCheck(const Graph& graph, TotalBytes& total)
      : graph_(graph),
        total_(total),
        reads_(graph.tensors.size()),
        writes_(graph.tensors.size()),
        others_(graph.tensors.size()) {}

  void check_task(std::size_t i) {
    where_ = "/tasks/" + std::to_string(i);
    const Task& task = graph_.tasks[i];
    check_name(task.name);
    check_lists(task);
    check_kinds(task);
    check_may_overwrite(task);
    check_workspace(task.workspace_bytes);
    check_costs(task);
  }

  void check_results() {
    where_ = "";
    check_list("results", graph_.results, others_);
  }

 private:
  [[noreturn]] void fail(const std::string& step, const std::string& fault) const {
    throw InputError(where_ + '/' + step, fault);
  }
  [[noreturn]] void fail(const char* list, std::size_t i, const std::string& fault) const {
    throw InputError(fmt::format("{}/{}/{}", where_, list, i), fault);
  }
  bool exists(TensorId tensor) const {
    return tensor >= 0 && tensor < static_cast<int>(graph_.tensors.size());
  }
  std::string name(TensorId tensor) const {
    return exists(tensor) ? in_quotes(graph_.tensors[tensor].name) : std::to_string(tensor);
  }
  Kind kind(TensorId tensor) const { return graph_.tensors[tensor].kind; }

  void check_name(const std::string& name) {
    if (const auto fault = fault_in_name(name); !fault.empty()) fail("name", fault);
    if (!names_.insert(name).second) {
      fail("name", "a second task named " + in_quotes(name) + "; expected each name once");
    }
  }

  void check_list(const char* key, const std::vector<TensorId>& list, Marks& marks) {
    marks.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!exists(list[i])) fail(key, i, "no such tensor; expected one of this graph");
      if (!marks.insert(list[i])) {
        fail(key, i, name(list[i]) + " is listed twice; expected each tensor once");
      }
    }
  }

  void check_lists(const Task& task) {
    check_list("reads", task.reads, reads_);
    check_list("writes", task.writes, writes_);
    check_list("updates", task.updates, others_);
    check_list("optional", task.optional, others_);
    for (std::size_t i = 0; i < task.optional.size(); ++i) {
      if (writes_.has(task.optional[i])) continue;
      fail("optional", i, name(task.optional[i]) + " is not written; expected one of the writes");
    }
  }

  void check_kinds(const Task& task) const {
    for (std::size_t i = 0; i < task.writes.size(); ++i) {
      const TensorId tensor = task.writes[i];
      if (kind(tensor) == Kind::input) {
        fail("writes", i, name(tensor) + " is an input; expected an activation");
      }
      if (kind(tensor) == Kind::state) {
        fail("writes", i, name(tensor) + " is state; expected it in updates");
      }
    }
    for (std::size_t i = 0; i < task.updates.size(); ++i) {
      if (kind(task.updates[i]) == Kind::state) continue;
      fail("updates", i, name(task.updates[i]) + " is not state; expected state");
    }
  }

  void check_may_overwrite(const Task& task) {
    Marks& taken = others_;
    taken.clear();
    for (const auto& [y, x] : task.may_overwrite) {
      if (!writes_.has(y)) fail_overwrite(y, y, "is not written; expected one of the writes");
      if (!reads_.has(x)) fail_overwrite(y, x, "is not read; expected one of the reads");
      if (kind(x) == Kind::state) fail_overwrite(y, x, "is state; expected what is not");
      if (!taken.insert(y)) fail_overwrite(y, y, "is listed twice; expected each tensor once");
      if (!taken.insert(x)) fail_overwrite(y, x, "is overwritten twice; expected at most once");
    }
  }

  [[noreturn]] void fail_overwrite(TensorId y, TensorId tensor, const char* fault) const {
    const std::string key = exists(y) ? graph_.tensors[y].name : std::to_string(y);
    fail("may_overwrite/" + pointer_step(key), name(tensor) + ' ' + fault);
  }

  void check_workspace(std::int64_t bytes) {
    if (const auto fault = total_.add(bytes); !fault.empty()) fail("workspace_bytes", fault);
  }

  void check_number(const std::string& step, double number) const {
    if (std::isfinite(number) && number >= 0) return;
    fail(step, fmt::format("{}; expected a number of at least 0", number));
  }

  void check_costs(const Task& task) const {
    for (const auto& [device, seconds] : task.seconds) {
      const std::string step = "seconds/" + pointer_step(device);
      if (const auto fault = fault_in_name(device); !fault.empty()) fail(step, fault);
      check_number(step, seconds);
    }
    check_number("flops", task.flops);
    check_number("bytes_moved", task.bytes_moved);
    for (const auto& [name, value] : task.features) check_feature(name, value);
    if (task.parallel) check_parallel(*task.parallel);
  }

  void check_feature(const std::string& name, double value) const {
    const std::string step = "features/" + pointer_step(name);
    if (const auto fault = fault_in_name(name); !fault.empty()) fail(step, fault);
    if (name == "constant" || name == "flops" || name == "bytes") {
      fail(step, "a feature that every task has; expected another name");
    }
    check_number(step, value);
  }

  void check_parallel(const Parallel& parallel) const {
    if (parallel.max_workers < 1) {
      fail("parallel/max_workers",
           fmt::format("{}; expected a whole number of at least 1", parallel.max_workers));
    }
    if (!(parallel.serial_fraction >= 0 && parallel.serial_fraction <= 1)) {
      fail("parallel/serial_fraction",
           fmt::format("{}; expected a number from 0 to 1", parallel.serial_fraction));
    }
  }

  const Graph& graph_;
  TotalBytes& total_;
  Marks reads_;   // of the task at hand
  Marks writes_;  // likewise
  Marks others_;
  std::unordered_set<std::string_view> names_;
  std::string where_;
};

}  // namespace

void check_tasks(const Graph& graph, TotalBytes& total) {
  TaskCheck all(graph, total);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) all.check_task(i);
  all.check_results();
}

}  // namespace stint

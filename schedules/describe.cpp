#include "schedules/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/units.hpp"

namespace stint {
namespace {

std::string tensor_name(const Schedule& schedule, BufferId buffer) {
  if (buffer == no_buffer) return "?";
  const TensorId tensor = schedule.buffers[buffer].tensor;
  return tensor == no_tensor ? "workspace" : schedule.graph.tensors[tensor].name;
}

}  // namespace

std::string label(const Schedule& schedule, const Action& action) {
  if (action.what == Do::compute) {
    return action.task == no_task ? "?" : schedule.graph.tasks[action.task].name;
  }
  const char* const verb = action.what == Do::copy ? "copy " : "load ";
  return verb + (action.writes.empty() ? "nothing" : tensor_name(schedule, action.writes.front()));
}

std::vector<bool> recomputations(const Schedule& schedule) {
  std::vector<bool> again;
  again.reserve(schedule.actions.size());
  std::vector<bool> seen(schedule.graph.tasks.size());
  for (const Action& action : schedule.actions) {
    const bool is_task = action.what == Do::compute && action.task != no_task;
    again.push_back(is_task && seen[action.task]);
    if (is_task) seen[action.task] = true;
  }
  return again;
}

std::int64_t bytes_touched(const Schedule& schedule, const Action& action) {
  std::int64_t bytes = 0;
  const auto add = [&](const std::vector<BufferId>& buffers) {
    for (const BufferId buffer : buffers) {
      if (buffer != no_buffer) bytes = add_bytes(bytes, schedule.buffers[buffer].bytes);
    }
  };
  if (action.what == Do::compute) {
    add(action.reads);
    add(action.updates);
  }
  add(action.writes);
  return bytes;
}

const PowerState* power_state(const Schedule& schedule, const Action& action,
                              const std::vector<Worker>& workers) {
  if (action.what != Do::compute || action.worker == no_worker) return nullptr;
  if (workers[action.worker].is_link() || action.state < -1) return nullptr;
  const auto& states = schedule.platform.devices[workers[action.worker].device].states;
  const auto index = static_cast<std::size_t>(std::max(action.state, 0));
  return index < states.size() ? &states[index] : nullptr;
}

std::string describe_action(const Schedule& schedule, ActionId action,
                            const std::vector<Worker>& workers) {
  const Action& it = schedule.actions[action];
  const std::string worker = it.worker == no_worker ? "?" : workers[it.worker].name;
  return fmt::format("action {} ({} on {})", it.id, label(schedule, it), worker);
}

std::string describe_buffer(const Schedule& schedule, BufferId buffer) {
  return fmt::format("buffer {} ({})", schedule.buffers[buffer].id, tensor_name(schedule, buffer));
}

}  // namespace stint

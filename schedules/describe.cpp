// How messages name the parts of a schedule, also of one whose names do not resolve.

#include <fmt/format.h>

#include "schedules/schedule.hpp"

namespace stint {
namespace {

std::string tensor_name(const Schedule& schedule, BufferId buffer) {
  if (buffer < 0 || buffer >= static_cast<int>(schedule.buffers.size())) return "?";
  const TensorId tensor = schedule.buffers[buffer].tensor;
  return tensor == no_tensor ? "workspace" : schedule.graph.tensors[tensor].name;
}

std::string deed(const Schedule& schedule, const Action& action) {
  if (action.what == Do::compute) {
    return action.task == no_task ? "?" : schedule.graph.tasks[action.task].name;
  }
  const char* const verb = action.what == Do::copy ? "copy of " : "load of ";
  return verb + (action.writes.empty() ? "nothing" : tensor_name(schedule, action.writes.front()));
}

}  // namespace

std::string describe_action(const Schedule& schedule, ActionId action,
                            const std::vector<Worker>& workers) {
  const Action& it = schedule.actions[action];
  const std::string worker = it.worker == no_worker ? "?" : workers[it.worker].name;
  return fmt::format("action {} ({} on {})", it.id, deed(schedule, it), worker);
}

std::string describe_buffer(const Schedule& schedule, BufferId buffer) {
  return fmt::format("buffer {} ({})", schedule.buffers[buffer].id, tensor_name(schedule, buffer));
}

}  // namespace stint

#include "executor/operands.hpp"

#include "files/input_error.hpp"

namespace stint {
namespace {

bool is_double(const Schedule& schedule, BufferId buffer) {
  const BufferId outer = outermost(schedule, buffer);
  return schedule.buffers[outer].second_offset.has_value();
}

}  // namespace

HalfChooser::HalfChooser(const Schedule& schedule, const HappensBefore& before)
    : schedule_(schedule),
      before_(before),
      layout_(layout(schedule)),
      versions_(schedule.graph, layout_.segments),
      writer_(layout_.cell_place.size(), nobody) {
  const auto note = [&](ActionId id, BufferId buffer) {
    if (buffer == no_buffer || !is_double(schedule, buffer)) return;
    for (int c = layout_.cells[buffer].begin; c < layout_.cells[buffer].end; ++c) writer_[c] = id;
  };
  for (int i = 0; i < static_cast<int>(schedule.actions.size()); ++i) {
    const Action& action = schedule.actions[i];
    for (const BufferId buffer : action.updates) note(ActionId{i}, buffer);
    if (action.what != Do::copy) continue;
    for (const BufferId buffer : action.writes) note(ActionId{i}, buffer);
  }
}

bool HalfChooser::reads_other_half(ActionId action, BufferId buffer) const {
  const TensorId tensor = schedule_.buffers[buffer].tensor;
  if (tensor == no_tensor || schedule_.graph.tensors[tensor].kind != Kind::state) return false;
  if (!is_double(schedule_, buffer)) return false;
  const CellRange cells = layout_.cells[buffer];
  const bool first = cells.begin < cells.end && reads_other_half(action, cells.begin);
  for (int c = cells.begin; c < cells.end; ++c) {
    if (reads_other_half(action, c) == first) continue;
    throw InputError(
        "/actions/" + std::to_string(static_cast<int>(action)),
        "reads old and new bytes of " + describe_buffer(schedule_, buffer) +
            ", which lie in different halves; expected all in one, this executor reads no other");
  }
  return first;
}

bool HalfChooser::reads_other_half(ActionId action, int cell) const {
  const Action& it = schedule_.actions[action];
  if (it.what == Do::compute) {
    return versions_.before(layout_.cell_segment[cell], it.task) != initial_version;
  }
  return writer_[cell] != nobody && before_(ActionId{writer_[cell]}, action);
}

Place place(const Schedule& schedule, BufferId buffer, bool other_half) {
  if (buffer == no_buffer) return {};
  const Buffer& it = schedule.buffers[buffer];
  const Buffer& outer = schedule.buffers[outermost(schedule, buffer)];
  const std::int64_t ahead = outer.second_offset ? *outer.second_offset - outer.offset : 0;
  return {.buffer = buffer,
          .memory = it.memory,
          .bytes = it.bytes,
          .offsets = {it.offset, it.offset + ahead},
          .other_half = other_half && outer.second_offset.has_value()};
}

Operands operands(const Schedule& schedule, const HalfChooser& halves, ActionId id) {
  const Action& action = schedule.actions[id];
  const bool writes_ahead = action.what == Do::load && action.for_step == 1;
  Operands result;
  for (const BufferId buffer : action.reads) {
    result.reads.push_back(place(schedule, buffer, halves.reads_other_half(id, buffer)));
  }
  for (const BufferId buffer : action.writes) {
    // Only state and inputs are double, and a step never writes the half that it reads.
    result.writes.push_back(place(schedule, buffer, writes_ahead || action.what == Do::copy));
  }
  for (const BufferId buffer : action.updates) {
    result.updates_from.push_back(place(schedule, buffer));
    result.updates_to.push_back(place(schedule, buffer, true));
  }
  result.workspace = place(schedule, action.workspace);
  return result;
}

}  // namespace stint

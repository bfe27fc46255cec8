#include "schedules/happens_before.hpp"

#include <algorithm>

namespace stint {

HappensBefore::HappensBefore(const Schedule& schedule, const Lanes& lanes,
                             const std::vector<ActionId>& order)
    : lanes_(&lanes), schedule_(&schedule), row_(schedule.actions.size(), 0) {
  for (const auto& list : lanes.lists) column_.push_back(list.empty() ? -1 : columns_++);
  clocks_.assign(columns_, 0);
  for (const ActionId action : order) {
    const LanePosition own = lanes.own[action];
    const int previous_row = own.position == 0 ? 0 : row_[lanes.lists[own.lane][own.position - 1]];
    if (lanes.occupied[action] < 0 && knows_all_of(previous_row, schedule, action)) {
      row_[action] = previous_row;
    } else {
      add_row(schedule, action);
    }
  }
}

// Whether what the action waits for is known from its own list already.
bool HappensBefore::knows_all_of(int row, const Schedule& schedule, ActionId action) const {
  const LanePosition own = lanes_->own[action];
  const auto& after = schedule.actions[action].after;
  // The previous action's second place is not in its row.
  if (own.position > 0 && lanes_->occupied[lanes_->lists[own.lane][own.position - 1]] >= 0) {
    return false;
  }
  return std::all_of(after.begin(), after.end(), [&](ActionId earlier) {
    const LanePosition place = lanes_->own[earlier];
    if (place.lane == own.lane) return true;
    return clocks_[static_cast<std::size_t>(row) * columns_ + column_[place.lane]] > place.position;
  });
}

void HappensBefore::add_row(const Schedule& schedule, ActionId action) {
  const std::size_t start = clocks_.size();
  clocks_.resize(start + columns_, 0);
  for_each_predecessor(schedule, *lanes_, action, [&](ActionId earlier) {
    const std::size_t from = static_cast<std::size_t>(row_[earlier]) * columns_;
    for (int c = 0; c < columns_; ++c) {
      clocks_[start + c] = std::max(clocks_[start + c], clocks_[from + c]);
    }
    const auto note = [&](WorkerId lane, int position) {
      int& known_count = clocks_[start + column_[lane]];
      known_count = std::max(known_count, position + 1);
    };
    note(lanes_->own[earlier].lane, lanes_->own[earlier].position);
    if (lanes_->occupied[earlier] >= 0) {
      note(schedule.actions[earlier].occupies, lanes_->occupied[earlier]);
    }
  });
  row_[action] = static_cast<int>(start / columns_);
}

int HappensBefore::known(ActionId action, WorkerId lane) const {
  const LanePosition own = lanes_->own[action];
  if (own.lane == lane) return own.position + 1;
  if (lanes_->occupied[action] >= 0 && schedule_->actions[action].occupies == lane) {
    return lanes_->occupied[action] + 1;
  }
  if (column_[lane] < 0) return 0;
  return clocks_[static_cast<std::size_t>(row_[action]) * columns_ + column_[lane]];
}

}  // namespace stint

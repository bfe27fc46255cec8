#include "schedules/waiting.hpp"

#include <algorithm>

namespace stint {

double hand_over_price(const Device& device, const char* term) {
  const auto model = device.time_model.find(hand_over_prices);
  if (model == device.time_model.end()) return 0;
  const auto price = model->second.terms.find(term);
  return price == model->second.terms.end() ? 0 : price->second.value;
}

double hand_over_seconds(const Device& device, Wait wait) {
  return hand_over_price(device, wait == Wait::spin ? spin_term : sleep_term);
}

HandOvers::HandOvers(const Schedule& schedule, const std::vector<Worker>& workers)
    : schedule_(schedule), workers_(workers) {
  for (const Device& device : schedule.platform.devices) {
    const Seconds seconds{hand_over_seconds(device, Wait::spin),
                          hand_over_seconds(device, Wait::sleep)};
    free_ = free_ && seconds.spin == 0 && seconds.sleep == 0;
    of_device_.push_back(seconds);
  }
}

double HandOvers::passing_seconds(ActionId earlier, ActionId later) const {
  const Action& action = schedule_.actions[later];
  const WorkerId from = schedule_.actions[earlier].worker;
  if (from == action.worker || action.what != Do::compute || workers_[from].is_link()) return 0;
  const Seconds& seconds = of_device_[workers_[action.worker].device];
  return action.wait == Wait::spin ? seconds.spin : seconds.sleep;
}

Wait wait_between_steps(const Schedule& schedule, const std::vector<ActionId>& list) {
  const auto first = std::find_if(list.begin(), list.end(), [&](ActionId id) {
    return schedule.actions[id].what == Do::compute;
  });
  return first == list.end() ? Wait::sleep : schedule.actions[*first].wait;
}

}  // namespace stint

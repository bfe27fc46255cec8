// R18: power states can be set, and agree with their scope.
#include <fmt/format.h>

#include <algorithm>

#include "schedules/rules.hpp"

namespace stint {
namespace {

class PowerCheck {
 public:
  PowerCheck(const Judge& judge, const Lanes& lanes, const HappensBefore& before)
      : judge_(judge), schedule_(judge.schedule), lanes_(lanes), before_(before) {}

  void run() {
    for (int d = 0; d < static_cast<int>(schedule_.platform.devices.size()); ++d) {
      check_device(DeviceId{d});
    }
  }

 private:
  int state(ActionId id) const { return std::max(0, schedule_.actions[id].state); }
  bool computes(ActionId id) const { return schedule_.actions[id].what == Do::compute; }
  const std::string& state_name(DeviceId device, int state) const {
    return schedule_.platform.devices[device].states[state].name;
  }

  void report(DeviceId device, ActionId id, const std::string& expected) const {
    judge_.report(18, action_path(id, "state"),
                  fmt::format("{} at {}; expected {}", judge_.action(id),
                              state_name(device, state(id)), expected));
  }

  // The lists of a device's workers, without what they do besides computing.
  std::vector<std::vector<ActionId>> lists_of(DeviceId device) const {
    std::vector<std::vector<ActionId>> lists;
    for (std::size_t w = 0; w < judge_.workers.size(); ++w) {
      if (judge_.workers[w].device != device) continue;
      auto& list = lists.emplace_back();
      std::copy_if(lanes_.lists[w].begin(), lanes_.lists[w].end(), std::back_inserter(list),
                   [&](ActionId id) { return computes(id); });
    }
    return lists;
  }

  void check_device(DeviceId id) {
    const Device& device = schedule_.platform.devices[id];
    const auto lists = lists_of(id);
    if (device.settable == Settable::none) return expect_first_state(id, lists);
    if (device.settable == Settable::run) return expect_one_state(id, lists);
    if (device.state_scope == StateScope::device) expect_agreement(id, lists);
  }

  void expect_first_state(DeviceId device, const std::vector<std::vector<ActionId>>& lists) const {
    for (const auto& list : lists) {
      for (const ActionId id : list) {
        if (state(id) == 0) continue;
        report(device, id, fmt::format("{}, its states cannot be set", state_name(device, 0)));
      }
    }
  }

  void expect_one_state(DeviceId device, const std::vector<std::vector<ActionId>>& lists) const {
    const bool per_worker = schedule_.platform.devices[device].state_scope == StateScope::worker;
    int first = -1;
    for (const auto& list : lists) {
      if (per_worker) first = -1;
      for (const ActionId id : list) {
        if (first < 0) first = state(id);
        if (state(id) == first) continue;
        report(device, id,
               fmt::format("{}, a state is set once per run", state_name(device, first)));
      }
    }
  }

  // Two actions that are not ordered may overlap, and then share the device's one state. For each
  // action and each other worker it is enough to look at the first action there that is not before
  // it and has another state: it must come after.
  void expect_agreement(DeviceId device, const std::vector<std::vector<ActionId>>& lists) const {
    for (const auto& others : lists) {
      const std::vector<int> next_change = next_changes(others);
      for (const auto& list : lists) {
        if (&list != &others) expect_agreement(device, list, others, next_change);
      }
    }
  }

  // For each position the next one with another state than it has.
  std::vector<int> next_changes(const std::vector<ActionId>& list) const {
    std::vector<int> next(list.size(), static_cast<int>(list.size()));
    for (int i = static_cast<int>(list.size()) - 2; i >= 0; --i) {
      next[i] = state(list[i]) == state(list[i + 1]) ? next[i + 1] : i + 1;
    }
    return next;
  }

  void expect_agreement(DeviceId device, const std::vector<ActionId>& list,
                        const std::vector<ActionId>& others,
                        const std::vector<int>& next_change) const {
    int first_not_before = 0;  // grows along the list
    for (const ActionId id : list) {
      while (first_not_before < static_cast<int>(others.size()) &&
             before_(others[first_not_before], id)) {
        ++first_not_before;
      }
      if (first_not_before == static_cast<int>(others.size())) return;
      const bool differs = state(others[first_not_before]) != state(id);
      const int other = differs ? first_not_before : next_change[first_not_before];
      if (other == static_cast<int>(others.size()) || before_(id, others[other])) continue;
      report(device, id,
             fmt::format("{} as for {}, with which it may overlap on one device",
                         state_name(device, state(others[other])), judge_.action(others[other])));
    }
  }

  const Judge& judge_;
  const Schedule& schedule_;
  const Lanes& lanes_;
  const HappensBefore& before_;
};

}  // namespace

void judge_power_states(const Judge& judge, const Lanes& lanes, const HappensBefore& before) {
  PowerCheck(judge, lanes, before).run();
}

}  // namespace stint

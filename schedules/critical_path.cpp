#include "schedules/critical_path.hpp"

#include <algorithm>
#include <tuple>

#include "schedules/clock.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

class Chain {
 public:
  Chain(const Schedule& schedule, const std::vector<Worker>& workers, const Lanes& lanes,
        const Simulation& simulation)
      : schedule_(schedule),
        workers_(workers),
        hand_overs_(schedule, workers),
        lanes_(lanes),
        simulation_(simulation) {
    find_neighbours_on_channels();
  }

  std::vector<ActionId> find() const {
    std::vector<ActionId> chain;
    std::vector<bool> seen(schedule_.actions.size(), false);
    for (ActionId id = last_to_end(); id != no_action && !seen[id]; id = decided_by(id)) {
      seen[id] = true;
      chain.push_back(id);
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

 private:
  double end_of(ActionId id) const {
    return simulation_.start_seconds[id] + simulation_.seconds[id];
  }

  // Copies of one channel are served one after another.
  void find_neighbours_on_channels() {
    const std::vector<int> channel_of = channels(schedule_.platform);
    std::vector<std::tuple<int, double, int>> served;  // channel, start, action
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      const Worker& worker = workers_[schedule_.actions[i].worker];
      if (worker.is_link())
        served.emplace_back(channel_of[worker.link], simulation_.start_seconds[i], i);
    }
    std::sort(served.begin(), served.end());
    before_on_channel_.assign(schedule_.actions.size(), no_action);
    for (std::size_t k = 1; k < served.size(); ++k) {
      const auto& [channel, start, action] = served[k];
      if (std::get<0>(served[k - 1]) == channel)
        before_on_channel_[action] = ActionId{std::get<2>(served[k - 1])};
    }
  }

  ActionId last_to_end() const {
    ActionId last = no_action;
    for (int i = 0; i < static_cast<int>(schedule_.actions.size()); ++i) {
      if (last == no_action || end_of(ActionId{i}) > end_of(last)) last = ActionId{i};
    }
    return last;
  }

  ActionId decided_by(ActionId id) const {
    ActionId latest = no_action;
    const auto seen_at = [&](ActionId earlier) {
      return end_of(earlier) + hand_overs_.seconds(earlier, id);
    };
    const auto consider = [&](ActionId earlier) {
      if (latest == no_action || seen_at(earlier) > seen_at(latest)) latest = earlier;
    };
    for_each_predecessor(schedule_, lanes_, id, consider);
    if (before_on_channel_[id] != no_action) consider(before_on_channel_[id]);
    return latest;
  }

  const Schedule& schedule_;
  const std::vector<Worker>& workers_;
  HandOvers hand_overs_;
  const Lanes& lanes_;
  const Simulation& simulation_;
  std::vector<ActionId> before_on_channel_;  // by action
};

}  // namespace

std::vector<ActionId> critical_path(const Schedule& schedule, const std::vector<Worker>& workers,
                                    const Lanes& lanes, const Simulation& simulation) {
  return Chain(schedule, workers, lanes, simulation).find();
}

}  // namespace stint

#include "schedules/clock.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <stdexcept>
#include <utility>

#include "schedules/cache_traffic.hpp"
#include "schedules/cost.hpp"
#include "schedules/handed_bytes.hpp"
#include "schedules/marginal_joules.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

// Whose power state it is: a worker's, or a whole device's.
int state_unit(const Platform& platform, const std::vector<Worker>& workers, WorkerId worker) {
  const int device = workers[worker].device;
  const bool whole_device = platform.devices[device].state_scope == StateScope::device;
  return whole_device ? static_cast<int>(workers.size()) + device : static_cast<int>(worker);
}

// A channel belongs to a node; the network's channels are the platform's.
std::string channel_key(const Platform& platform, const Link& link) {
  const std::string node =
      link.network ? "" : platform.nodes[platform.memories[link.from].node].name;
  return node + '/' + link.channel;
}

class Clock {
 public:
  Clock(const Schedule& schedule, const std::vector<Worker>& workers, const Order& order,
        Simulation& result)
      : schedule_(schedule),
        platform_(schedule.platform),
        times_(schedule.platform),
        workers_(workers),
        lanes_(order.lanes),
        hand_overs_(schedule, workers),
        caches_(cache_costs(schedule, workers, order.lanes, times_)),
        joules_(schedule, workers, caches_.joules),
        handed_seconds_(handed_over_seconds(schedule, workers, order)),
        result_(result),
        free_at_(workers_.size(), 0),
        channel_of_(channels(platform_)),
        channel_free_at_(workers_.size(), 0),
        state_(workers_.size() + platform_.devices.size(), -1),
        state_entered_at_(state_.size(), 0),
        done_(schedule.actions.size(), false),
        waiting_for_(schedule.actions.size(), no_worker),
        next_waiting_(workers_.size(), no_worker),
        heads_(workers_.size()) {
    const std::size_t count = schedule.actions.size();
    result_.start_seconds.assign(count, 0);
    result_.seconds.assign(count, 0);
    result_.joules.assign(count, 0);
    if (order.topological) set_first_states(order.rank);
  }

  // Performs all actions in the order in which they become ready. Only the head of a list can be
  // ready, so the queue holds at most one action a worker.
  void run() {
    for (int w = 0; w < static_cast<int>(lanes_.lists.size()); ++w) look_for_next(WorkerId{w}, 0);
    std::size_t done = 0;
    for (; !ready_.empty(); ++done) {
      const Ready next = ready_.top();
      ready_.pop();
      perform(ActionId{next.action}, next.seconds);
    }
    if (done < schedule_.actions.size()) {
      throw std::logic_error("simulate: the schedule's order has a cycle; validate it first");
    }
    bill_end_of_step();
  }

 private:
  struct Ready {
    double seconds;
    int action;
    bool operator<(
        const Ready& other) const {  // the queue's top is the earliest, ties by file order
      return seconds != other.seconds ? seconds > other.seconds : action > other.action;
    }
  };

  // A worker's next action, and what is known of its predecessors.
  struct Head {
    ActionId action = no_action;
    std::size_t seen = 0;      // so many of them are done
    double ready_seconds = 0;  // when the last of those ended
  };

  // Steps repeat, so every worker begins in the state in which it ended: that of its last compute,
  // or of the last one on its device.
  void set_first_states(const std::vector<int>& rank) {
    std::vector<int> last_rank(state_.size(), -1);
    for (const auto& list : lanes_.lists) {
      const auto last = std::find_if(list.rbegin(), list.rend(), [&](ActionId id) {
        return schedule_.actions[id].what == Do::compute;
      });
      if (last == list.rend()) continue;
      const Action& action = schedule_.actions[*last];
      const int unit = state_unit(platform_, workers_, action.worker);
      if (rank[*last] < last_rank[unit]) continue;
      last_rank[unit] = rank[*last];
      state_[unit] = std::max(0, action.state);
    }
  }

  // The worker's next action of its own from that position of its list on; others in it are copies
  // that occupy the worker and are performed by their links.
  void look_for_next(WorkerId worker, int position) {
    const auto& list = lanes_.lists[worker];
    const int size = static_cast<int>(list.size());
    while (position < size && lanes_.own[list[position]].lane != worker) ++position;
    if (position == size) return;
    heads_[worker] = {list[position]};
    look_on(worker);
  }

  // Goes on through the predecessors of the worker's next action, up to one that is not done: then
  // that one wakes the worker up. So only heads of lists wait, and nobody keeps lists of
  // successors.
  void look_on(WorkerId worker) {
    Head& head = heads_[worker];
    const std::size_t count = 2 + schedule_.actions[head.action].after.size();
    for (; head.seen < count; ++head.seen) {
      const ActionId earlier = predecessor(head.action, head.seen);
      if (earlier == no_action) continue;
      if (!done_[earlier]) {
        next_waiting_[worker] = std::exchange(waiting_for_[earlier], worker);
        return;
      }
      const double passing = hand_overs_.seconds(earlier, head.action);
      head.ready_seconds = std::max(head.ready_seconds, end_seconds(earlier) + passing);
    }
    ready_.push({head.ready_seconds, head.action});
  }

  // The one before it in its list, in the list of the worker that it occupies, then its `after`.
  ActionId predecessor(ActionId id, std::size_t k) const {
    const Action& action = schedule_.actions[id];
    if (k >= 2) return action.after[k - 2];
    const WorkerId lane = k == 0 ? action.worker : action.occupies;
    const int position = k == 0 ? lanes_.own[id].position : lanes_.occupied[id];
    return position > 0 ? lanes_.lists[lane][position - 1] : no_action;
  }

  double end_seconds(ActionId id) const { return result_.start_seconds[id] + result_.seconds[id]; }

  void perform(ActionId id, double ready_seconds) {
    const Action& action = schedule_.actions[id];
    price(id);
    double start = ready_seconds;
    if (action.what == Do::compute) {
      start = enter_state(action, start);
    } else if (workers_[action.worker].is_link()) {
      double& channel_free_at = channel_free_at_[channel_of_[workers_[action.worker].link]];
      start = std::max(start, channel_free_at);
      channel_free_at = start + result_.seconds[id];
    }
    finish(id, ready_seconds, start);
  }

  void price(ActionId id) {
    const Action& action = schedule_.actions[id];
    if (action.what == Do::compute) {
      const DeviceId device{workers_[action.worker].device};
      const Task& task = schedule_.graph.tasks[action.task];
      const PowerState& state = platform_.devices[device].states[std::max(0, action.state)];
      const double traffic = (caches_.seconds.empty() ? 0 : caches_.seconds[id]) +
                             (handed_seconds_.empty() ? 0 : handed_seconds_[id]);
      result_.seconds[id] =
          (times_.seconds_at_speed_1(task, device).value_or(0) + traffic) / state.speed;
      result_.cache_joules += joules_.cache_joules(id);
    } else if (workers_[action.worker].is_link()) {
      const Link& link = platform_.links[workers_[action.worker].link];
      result_.seconds[id] = copy_seconds(link, bytes_moved(schedule_, action));
    }
    result_.joules[id] = joules_(id, result_.seconds[id]);
  }

  // Returns when the action can start: once its power state has been entered.
  double enter_state(const Action& action, double ready_seconds) {
    const int unit = state_unit(platform_, workers_, action.worker);
    const int wanted = std::max(0, action.state);
    const PowerState& state = platform_.devices[workers_[action.worker].device].states[wanted];
    if (state_[unit] != wanted) {
      state_[unit] = wanted;
      state_entered_at_[unit] = ready_seconds + state.switch_seconds;
      result_.joules_by.switches += state.switch_joules;
    }
    return std::max(ready_seconds, state_entered_at_[unit]);
  }

  void finish(ActionId id, double ready_seconds, double start) {
    const Action& action = schedule_.actions[id];
    const double end = start + result_.seconds[id];
    result_.start_seconds[id] = start;
    result_.makespan_seconds = std::max(result_.makespan_seconds, end);
    const WorkerId computing = action.occupies != no_worker ? action.occupies : action.worker;
    // A copy that queues for its channel keeps the worker that it occupies waiting.
    const double waited_until = action.what == Do::compute ? ready_seconds : start;
    if (action.wait == Wait::spin && !workers_[computing].is_link()) {
      const Device& device = platform_.devices[workers_[computing].device];
      result_.joules_by.wait += device.wait_watts * (waited_until - free_at_[computing]);
    }
    free_at_[action.worker] = end;
    if (action.occupies != no_worker) free_at_[action.occupies] = end;
    wake_up(id);
  }

  // Who is done waits for the step to end, and then for the next.
  void bill_end_of_step() {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (workers_[w].is_link()) continue;
      if (wait_between_steps(schedule_, lanes_.lists[w]) == Wait::sleep) continue;
      const Device& device = platform_.devices[workers_[w].device];
      result_.joules_by.wait += device.wait_watts * (result_.makespan_seconds - free_at_[w]);
    }
  }

  void wake_up(ActionId id) {
    done_[id] = true;
    WorkerId waiting = std::exchange(waiting_for_[id], no_worker);
    while (waiting != no_worker) {
      const WorkerId next = next_waiting_[waiting];
      look_on(waiting);
      waiting = next;
    }
    look_for_next(lanes_.own[id].lane, lanes_.own[id].position + 1);
  }

  const Schedule& schedule_;
  const Platform& platform_;
  TaskTimes times_;
  const std::vector<Worker>& workers_;
  const Lanes& lanes_;
  HandOvers hand_overs_;
  CacheCosts caches_;
  MarginalJoules joules_;
  std::vector<double> handed_seconds_;  // by action, or none
  Simulation& result_;
  std::vector<double> free_at_;          // by worker
  std::vector<int> channel_of_;          // by link
  std::vector<double> channel_free_at_;  // by channel
  std::vector<int> state_;               // by worker, then by device
  std::vector<double> state_entered_at_;
  std::vector<bool> done_;              // by action
  std::vector<WorkerId> waiting_for_;   // by action: a worker whose head waits for it
  std::vector<WorkerId> next_waiting_;  // by worker: another that waits for the same action
  std::vector<Head> heads_;             // by worker
  std::priority_queue<Ready> ready_;
};

}  // namespace

void run_clock(const Schedule& schedule, const std::vector<Worker>& workers, const Order& order,
               Simulation& result) {
  Clock(schedule, workers, order, result).run();
}

std::vector<int> channels(const Platform& platform) {
  std::vector<int> of_link;
  std::map<std::string, int> by_name;
  for (int i = 0; i < static_cast<int>(platform.links.size()); ++i) {
    const Link& link = platform.links[i];
    const bool shared = !link.channel.empty();
    of_link.push_back(shared ? by_name.emplace(channel_key(platform, link), i).first->second : i);
  }
  return of_link;
}

std::int64_t bytes_moved(const Schedule& schedule, const Action& action) {
  std::int64_t bytes = 0;
  for (const BufferId buffer : action.writes) bytes += schedule.buffers[buffer].bytes;
  return bytes;
}

}  // namespace stint

#include "schedules/clock.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <stdexcept>

#include "schedules/cost.hpp"

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
  Clock(const Schedule& schedule, const std::vector<Worker>& workers, const Lanes& lanes,
        Simulation& result)
      : schedule_(schedule),
        platform_(schedule.platform),
        workers_(workers),
        lanes_(lanes),
        result_(result),
        free_at_(workers_.size(), 0),
        channel_of_(channels(platform_)),
        channel_free_at_(workers_.size(), 0),
        state_(workers_.size() + platform_.devices.size(), -1),
        state_entered_at_(state_.size(), 0) {
    const std::size_t count = schedule.actions.size();
    result_.start_seconds.assign(count, 0);
    result_.seconds.assign(count, 0);
    result_.joules.assign(count, 0);
    set_first_states();
  }

  // Performs all actions in the order in which they become ready. Only the head of a list can be
  // ready, so the queue holds at most one action a worker.
  void run() {
    count_predecessors();
    for (int i = 0; i < static_cast<int>(open_.size()); ++i) {
      if (open_[i] == 0) ready_.push({0.0, i});
    }
    std::size_t done = 0;
    for (; !ready_.empty(); ++done) {
      const Ready next = ready_.top();
      ready_.pop();
      perform(ActionId{next.action}, next.seconds);
    }
    if (done < schedule_.actions.size()) {
      throw std::logic_error("simulate: the schedule's order has a cycle; validate it first");
    }
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

  // Steps repeat, so every worker begins in the state in which it ended.
  void set_first_states() {
    const auto order = topological_order(schedule_, lanes_);
    if (!order) return;
    for (const ActionId id : *order) {
      const Action& action = schedule_.actions[id];
      if (action.what != Do::compute) continue;
      state_[state_unit(platform_, workers_, action.worker)] = std::max(0, action.state);
    }
  }

  void count_predecessors() {
    const std::size_t count = schedule_.actions.size();
    open_.assign(count, 0);
    ready_at_.assign(count, 0);
    first_successor_.assign(count + 1, 0);
    const auto each_edge = [&](auto visit) {
      for (int i = 0; i < static_cast<int>(count); ++i) {
        for_each_predecessor(schedule_, lanes_, ActionId{i},
                             [&](ActionId earlier) { visit(earlier, i); });
      }
    };
    each_edge([&](int earlier, int later) {
      ++open_[later];
      ++first_successor_[earlier + 1];
    });
    for (std::size_t i = 0; i < count; ++i) first_successor_[i + 1] += first_successor_[i];
    successors_.resize(first_successor_[count]);
    std::vector<int> next(first_successor_.begin(), first_successor_.end() - 1);
    each_edge([&](int earlier, int later) { successors_[next[earlier]++] = later; });
  }

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
      result_.seconds[id] = seconds_at_speed_1(task, platform_, device).value_or(0) / state.speed;
      result_.joules[id] = busy_watts(task, state) * result_.seconds[id];
    } else if (workers_[action.worker].is_link()) {
      const Link& link = platform_.links[workers_[action.worker].link];
      const std::int64_t bytes = bytes_moved(schedule_, action);
      result_.seconds[id] = copy_seconds(link, bytes);
      result_.joules[id] = copy_joules(link, bytes);
    }
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
    for (int s = first_successor_[id]; s < first_successor_[id + 1]; ++s) {
      const int later = successors_[s];
      ready_at_[later] = std::max(ready_at_[later], end);
      if (--open_[later] == 0) ready_.push({ready_at_[later], later});
    }
  }

  const Schedule& schedule_;
  const Platform& platform_;
  const std::vector<Worker>& workers_;
  const Lanes& lanes_;
  Simulation& result_;
  std::vector<double> free_at_;          // by worker
  std::vector<int> channel_of_;          // by link
  std::vector<double> channel_free_at_;  // by channel
  std::vector<int> state_;               // by worker, then by device
  std::vector<double> state_entered_at_;
  std::vector<int> open_;  // by action: predecessors that are not done
  std::vector<double> ready_at_;
  std::vector<int> first_successor_;  // by action: where its part of successors_ begins
  std::vector<int> successors_;
  std::priority_queue<Ready> ready_;
};

}  // namespace

void run_clock(const Schedule& schedule, const std::vector<Worker>& workers, const Lanes& lanes,
               Simulation& result) {
  Clock(schedule, workers, lanes, result).run();
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

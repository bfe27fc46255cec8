// The script, replay.txt: actors, and under each its steps, a line each.
//
//   precision SECONDS        to which SimGrid tells times apart
//   until SECONDS            the billing window, if it is not the makespan
//   actor NAME
//   ID exec HOST FLOPS STATE [fetch CACHE BYTES]…
//   ID send FROM TO BYTES DELAY
//   ID pass
//
// A step may go on with `within CHANNEL` (one at a time), `beside HOST` (busy meanwhile, any number
// of times) and, last, `after ID…` (steps of other actors).
#include "schedules/simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "schedules/cache_traffic.hpp"
#include "schedules/clock.hpp"
#include "schedules/cost.hpp"
#include "schedules/handed_bytes.hpp"
#include "schedules/lanes.hpp"
#include "schedules/simgrid_hosts.hpp"

namespace stint {
namespace {

class ScriptWriter {
 public:
  explicit ScriptWriter(const Schedule& schedule)
      : schedule_(schedule),
        platform_(schedule.platform),
        times_(schedule.platform),
        workers_(workers(schedule.platform)),
        order_(order(schedule, static_cast<int>(workers_.size()))),
        lanes_(order_.lanes),
        missed_(missed_bytes(schedule, workers_, lanes_)),
        cache_seconds_(cache_costs(schedule, workers_, lanes_, times_).seconds),
        handed_seconds_(handed_over_seconds(schedule, workers_, order_)),
        channel_of_(channels(schedule.platform)) {
    for (const Device& device : platform_.devices) {
      host_per_worker_.push_back(has_host_per_worker(platform_, device));
    }
  }

  std::string write() {
    for (int w = 0; w < static_cast<int>(workers_.size()); ++w) add_actor(WorkerId{w});
    return head() + std::move(text_);
  }

 private:
  // Fine beside the shortest action, coarse beside the rounding of the clock, which never exceeds
  // the sum of all actions.
  std::string head() const {
    std::string text = "# A step for simgrid_replay.\n";
    if (all_seconds_ > 0) text += fmt::format("precision {}\n", all_seconds_ / 1e13);
    const Request& request = schedule_.request;
    if (request.bill == Bill::period) text += fmt::format("until {}\n", request.period_seconds);
    if (request.bill == Bill::deadline && request.deadline_seconds) {
      text += fmt::format("until {}\n", *request.deadline_seconds);
    }
    return text;
  }

  void add_actor(WorkerId worker) {
    const std::size_t before = text_.size();
    fmt::format_to(std::back_inserter(text_), "actor {}\n", workers_[worker].name);
    bool has_steps = false;
    for (const ActionId id : lanes_.lists[worker]) {
      if (schedule_.actions[id].worker != worker) continue;  // a copy that occupies the worker
      add_step(id);
      has_steps = true;
    }
    if (!has_steps) text_.resize(before);
  }

  void add_step(ActionId id) {
    const Action& action = schedule_.actions[id];
    fmt::format_to(std::back_inserter(text_), "{}", static_cast<int>(id));
    if (action.what == Do::compute) {
      add_exec(id);
    } else if (workers_[action.worker].is_link()) {
      add_send(action, LinkId{workers_[action.worker].link});
    } else {
      text_ += " pass";  // a load by a compute worker takes no time
    }
    add_after(id);
    text_ += '\n';
  }

  void add_exec(ActionId action_id) {
    const Action& action = schedule_.actions[action_id];
    const DeviceId id{workers_[action.worker].device};
    const Device& device = platform_.devices[id];
    const Task& task = schedule_.graph.tasks[action.task];
    const int state = std::max(0, action.state);
    const double seconds =
        times_.seconds_at_speed_1(task, id).value_or(0) + traffic_seconds(action_id);
    const bool own_host = host_per_worker_[id];
    const std::string name = device_name(platform_, id);
    fmt::format_to(std::back_inserter(text_), " exec {} {} {}",
                   own_host ? workers_[action.worker].name : name, seconds * flops_at_speed_1,
                   host_state(device, task, state));
    add_fetches(action_id, device, name);
    if (own_host) add_beside(name);
    all_seconds_ += seconds / device.states[state].speed;
  }

  double traffic_seconds(ActionId id) const {
    return (cache_seconds_.empty() ? 0 : cache_seconds_[id]) +
           (handed_seconds_.empty() ? 0 : handed_seconds_[id]);
  }

  void add_fetches(ActionId id, const Device& device, const std::string& name) {
    if (missed_.empty()) return;
    for (std::size_t i = 0; i < missed_[id].size(); ++i) {
      if (missed_[id][i] > 0 && device.caches[i].joules_per_byte > 0)
        fmt::format_to(std::back_inserter(text_), " fetch {} {}", cache_host(name, i),
                       missed_[id][i]);
    }
  }

  void add_send(const Action& action, LinkId id) {
    const Link& link = platform_.links[id];
    const std::int64_t bytes = bytes_moved(schedule_, action);
    fmt::format_to(std::back_inserter(text_), " send {} {} {} {}",
                   memory_name(platform_, link.from), memory_name(platform_, link.to), bytes,
                   link.latency_seconds.value);
    if (!link.channel.empty()) add_channel(id);
    if (link.active_watts > 0) add_beside(link_name(platform_, id));
    if (action.occupies != no_worker) add_occupied(DeviceId{workers_[action.occupies].device});
    all_seconds_ += copy_seconds(link, bytes);
  }

  // An occupied worker keeps its device active, and adds no watts of its own.
  void add_occupied(DeviceId device) {
    if (host_per_worker_[device]) add_beside(device_name(platform_, device));
  }

  void add_beside(const std::string& host) {
    fmt::format_to(std::back_inserter(text_), " beside {}", host);
  }

  // A channel goes by the name of its first link, which has no white space in it.
  void add_channel(LinkId id) {
    fmt::format_to(std::back_inserter(text_), " within {}",
                   link_name(platform_, LinkId{channel_of_[id]}));
  }

  // An actor's steps follow each other anyway. What stands in two lists, because it occupies a
  // worker, is a step of one actor, so that the other's neighbours must name it.
  void add_after(ActionId id) {
    const WorkerId lane = schedule_.actions[id].worker;
    std::vector<int> after;
    for_each_predecessor(schedule_, lanes_, id, [&](ActionId earlier) {
      if (schedule_.actions[earlier].worker != lane) after.push_back(earlier);
    });
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    if (after.empty()) return;
    fmt::format_to(std::back_inserter(text_), " after {}", fmt::join(after, " "));
  }

  const Schedule& schedule_;
  const Platform& platform_;
  TaskTimes times_;
  std::vector<Worker> workers_;
  Order order_;
  const Lanes& lanes_;
  std::vector<std::vector<double>> missed_;  // bytes by action and cache, or none
  std::vector<double> cache_seconds_;        // by action, or none
  std::vector<double> handed_seconds_;       // by action, or none
  std::vector<int> channel_of_;              // by link: the first of its channel
  std::vector<bool> host_per_worker_;        // by device
  double all_seconds_ = 0;
  std::string text_;
};

}  // namespace

std::string simgrid_replay(const Schedule& schedule) { return ScriptWriter(schedule).write(); }

SimgridFiles simgrid_files(const Schedule& schedule) {
  return {simgrid_platform(schedule.platform), simgrid_replay(schedule)};
}

}  // namespace stint

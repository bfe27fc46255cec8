#include "schedules/reordered.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "schedules/clock.hpp"
#include "schedules/layout.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

// Who wrote a buffer last, and who has read it since.
struct Accesses {
  BufferId buffer = no_buffer;
  std::vector<ActionId> writers;  // of parts, there may be several before anyone reads
  std::vector<ActionId> readers;
};

bool overlap(const Buffer& a, const Buffer& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// By the outermost buffer, the buffers within it that were used.
class LastAccesses {
 public:
  explicit LastAccesses(const Schedule& schedule)
      : schedule_(schedule), of_place_(schedule.buffers.size()) {}

  // Calls depend(a) for every action whose result the reader needs.
  template <typename Depend>
  void read(BufferId buffer, ActionId reader, Depend depend) {
    for_each_sharing(buffer, [&](const Accesses& other) {
      for (const ActionId writer : other.writers) depend(writer);
    });
    own(buffer).readers.push_back(reader);
  }

  // And whose reading, or writing, the writer must not disturb.
  template <typename Depend>
  void write(BufferId buffer, ActionId writer, Depend depend) {
    for_each_sharing(buffer, [&](const Accesses& other) {
      for (const ActionId earlier : other.writers) depend(earlier);
      for (const ActionId reader : other.readers) depend(reader);
    });
    Accesses& mine = own(buffer);
    mine.writers = {writer};
    mine.readers.clear();
  }

 private:
  template <typename Visit>
  void for_each_sharing(BufferId buffer, Visit visit) const {
    for (const Accesses& other : of_place_[outermost(schedule_, buffer)]) {
      const bool shares = other.buffer == buffer ||
                          overlap(schedule_.buffers[other.buffer], schedule_.buffers[buffer]);
      if (shares) visit(other);
    }
  }

  Accesses& own(BufferId buffer) {
    auto& all = of_place_[outermost(schedule_, buffer)];
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Accesses& it) { return it.buffer == buffer; });
    return found != all.end() ? *found : all.emplace_back(Accesses{buffer, {}, {}});
  }

  const Schedule& schedule_;
  std::vector<std::vector<Accesses>> of_place_;
};

// Time goes on from the end of one action to the next; whoever is free takes its first ready one.
class ListSchedule {
 public:
  ListSchedule(int resources, const std::vector<int>& rank, const std::vector<double>& tails)
      : rank_(rank), tails_(tails), ready_(resources), free_at_(resources, 0) {}

  void make_ready(ActionId action, int resource, double seconds) {
    ready_[resource].push({tails_[action], -rank_[action], action});
    events_.push({-seconds, 1, resource});
  }

  // The action is told of something at that time.
  void tell(ActionId action, double seconds) { events_.push({-seconds, 3, action}); }

  // Calls start(action) → (seconds, held resource or −1), end(action, seconds) and, where it is
  // told of something, told(action, seconds).
  template <typename Start, typename End, typename Told>
  double run(Start start, End end, Told told) {
    double makespan = 0;
    while (!events_.empty()) {
      const auto [minus_seconds, kind, what] = events_.top();
      events_.pop();
      const double now = -minus_seconds;
      if (kind == 3) {
        told(ActionId{what}, now);
      } else if (kind == 2) {
        end(ActionId{what}, now);
      } else if (free_at_[what] <= now && !ready_[what].empty()) {
        makespan = std::max(makespan, take(what, now, start));
      }
    }
    return makespan;
  }

 private:
  template <typename Start>
  double take(int resource, double now, Start start) {
    const ActionId action{std::get<2>(ready_[resource].top())};
    ready_[resource].pop();
    const auto [seconds, held] = start(action);
    const double begin = held < 0 ? now : std::max(now, free_at_[held]);
    const double end = begin + seconds;
    free_at_[resource] = end;
    events_.push({-end, 1, resource});
    if (held >= 0) {
      free_at_[held] = end;
      events_.push({-end, 1, held});
    }
    events_.push({-end, 2, action});
    return end;
  }

  const std::vector<int>& rank_;
  const std::vector<double>& tails_;
  std::vector<std::priority_queue<std::tuple<double, int, int>>> ready_;  // by resource
  std::vector<double> free_at_;                                           // by resource
  // Earliest first; at one time news (3) before ends (2) before starts (1).
  std::priority_queue<std::tuple<double, int, int>> events_;
};

}  // namespace

Reordered::Reordered(const Schedule& schedule, const std::vector<Worker>& workers,
                     const Order& order)
    : schedule_(schedule),
      workers_(workers),
      order_(order),
      successors_(schedule.actions.size()),
      predecessors_(schedule.actions.size(), 0) {
  find_resources();
  find_dependences();
}

// A link is its channel.
void Reordered::find_resources() {
  const std::vector<int> channel_of = channels(schedule_.platform);
  resources_ = static_cast<int>(workers_.size() + channel_of.size());
  for (const Action& action : schedule_.actions) {
    const Worker& worker = workers_[action.worker];
    const int channel = worker.is_link() ? channel_of[worker.link] : 0;
    resource_.push_back(worker.is_link() ? static_cast<int>(workers_.size()) + channel
                                         : static_cast<int>(action.worker));
    held_.push_back(action.occupies);
  }
}

void Reordered::find_dependences() {
  LastAccesses last(schedule_);
  for (const ActionId id : order_.topological.value()) {
    const Action& action = schedule_.actions[id];
    std::vector<ActionId> needed;
    const auto depend = [&](ActionId earlier) {
      if (earlier != id) needed.push_back(earlier);
    };
    // What the next step needs is put into the other half, which nobody uses.
    const bool is_for_later = action.what == Do::load && action.for_step == 1;
    for (const BufferId buffer : action.reads) last.read(buffer, id, depend);
    for (const BufferId buffer : action.updates) last.write(buffer, id, depend);
    for (const BufferId buffer : action.writes) {
      if (buffer != no_buffer && !is_for_later) last.write(buffer, id, depend);
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    for (const ActionId earlier : needed) successors_[earlier].push_back(id);
    predecessors_[id] = static_cast<int>(needed.size());
  }
}

// From the start of an action to the end of the last that depends on it.
std::vector<double> Reordered::tails(const std::vector<double>& seconds) const {
  std::vector<double> tails(seconds.size(), 0);
  const std::vector<ActionId>& topological = *order_.topological;
  for (auto it = topological.rbegin(); it != topological.rend(); ++it) {
    double longest = 0;
    for (const ActionId later : successors_[*it]) longest = std::max(longest, tails[later]);
    tails[*it] = seconds[*it] + longest;
  }
  return tails;
}

double Reordered::list_makespan(const std::vector<double>& seconds) const {
  const std::vector<double> to_end = tails(seconds);
  std::vector<int> waiting_for = predecessors_;
  ListSchedule list(resources_, order_.rank, to_end);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const ActionId id{static_cast<int>(i)};
    if (waiting_for[i] == 0) list.make_ready(id, resource_[i], 0);
  }
  const auto told = [&](ActionId id, double now) {
    if (--waiting_for[id] == 0) list.make_ready(id, resource_[id], now);
  };
  const HandOvers hand_overs(schedule_, workers_);
  const auto end = [&](ActionId id, double now) {
    for (const ActionId later : successors_[id]) {
      const double passing = hand_overs.seconds(id, later);
      passing > 0 ? list.tell(later, now + passing) : told(later, now);
    }
  };
  return list.run([&](ActionId id) { return std::pair(seconds[id], held_[id]); }, end, told);
}

double Reordered::lower_bound(const std::vector<double>& seconds) const {
  std::vector<double> busy(resources_, 0);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    busy[resource_[i]] += seconds[i];
    if (held_[i] >= 0) busy[held_[i]] += seconds[i];
  }
  double bound = *std::max_element(busy.begin(), busy.end());
  for (const double tail : tails(seconds)) bound = std::max(bound, tail);
  return bound;
}

}  // namespace stint

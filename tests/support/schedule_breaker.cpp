#include "tests/support/schedule_breaker.hpp"

#include <random>

#include "platforms/names.hpp"

namespace stint {
namespace {

class Breaker {
 public:
  explicit Breaker(std::uint64_t seed) : random_(seed) {}

  std::string apply(Schedule& s) {
    switch (below(8)) {
      case 0:
        return forget_to_wait(s);
      case 1:
        return move_buffer(s);
      case 2:
        return swap_actions(s);
      case 3:
        return read_another_instance(s);
      case 4:
        return change_worker(s);
      case 5:
        return drop_action(s);
      case 6:
        return repeat_action(s);
      default:
        return swap_places(s);
    }
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }
  Action& any_action(Schedule& s) { return s.actions[below(s.actions.size())]; }

  std::string forget_to_wait(Schedule& s) {
    Action& action = any_action(s);
    if (action.after.empty()) return forget_all_waiting(s);
    action.after.erase(action.after.begin() + below(action.after.size()));
    return "forgot one wait";
  }
  std::string forget_all_waiting(Schedule& s) {
    for (Action& action : s.actions) {
      if (below(2) == 0) action.after.clear();
    }
    return "forgot half of all waits";
  }
  std::string move_buffer(Schedule& s) {
    const int moved = below(s.buffers.size());
    const std::int64_t unit = s.platform.memories[s.buffers[moved].memory].alignment_bytes;
    const std::int64_t shift = unit * (below(9) - 4);
    for (int b = 0; b < static_cast<int>(s.buffers.size()); ++b) {
      int outer = b;
      while (s.buffers[outer].within != no_buffer) outer = s.buffers[outer].within;
      int moved_outer = moved;
      while (s.buffers[moved_outer].within != no_buffer)
        moved_outer = s.buffers[moved_outer].within;
      if (outer == moved_outer) s.buffers[b].offset += shift;
    }
    for (auto& [name, bytes] : s.arenas) bytes += 64;
    return "moved a buffer";
  }
  std::string swap_actions(Schedule& s) {
    const int a = below(s.actions.size());
    const int b = below(s.actions.size());
    std::swap(s.actions[a], s.actions[b]);
    for (Action& action : s.actions) {
      for (ActionId& earlier : action.after) {
        earlier = earlier == a ? ActionId{b} : earlier == b ? ActionId{a} : earlier;
      }
    }
    return "swapped two actions";
  }
  std::string read_another_instance(Schedule& s) {
    Action& action = any_action(s);
    for (BufferId& read : action.reads) {
      for (int b = 0; b < static_cast<int>(s.buffers.size()); ++b) {
        const bool same = s.buffers[b].tensor == s.buffers[read].tensor &&
                          s.buffers[b].memory == s.buffers[read].memory;
        if (same && below(2) == 0) read = BufferId{b};
      }
    }
    return "read another instance";
  }
  std::string change_worker(Schedule& s) {
    Action& action = any_action(s);
    const auto all = workers(s.platform);
    const WorkerId other{below(all.size())};
    const bool same_device =
        !all[action.worker].is_link() && all[other].device == all[action.worker].device;
    if (same_device) action.worker = other;
    return "changed the worker";
  }
  std::string drop_action(Schedule& s) {
    const int dropped = below(s.actions.size());
    s.actions.erase(s.actions.begin() + dropped);
    for (Action& action : s.actions) {
      std::erase(action.after, dropped);
      for (ActionId& earlier : action.after) {
        if (earlier > dropped) earlier = static_cast<ActionId>(earlier - 1);
      }
    }
    return "dropped an action";
  }
  std::string repeat_action(Schedule& s) {
    Action again = any_action(s);
    again.id = 1000;
    for (BufferId& written : again.writes) {
      if (written == no_buffer || below(4) == 0) continue;
      Buffer fresh = s.buffers[written];
      fresh.id = 1000 + static_cast<std::int64_t>(s.buffers.size());
      fresh.within = no_buffer;
      fresh.offset = s.platform.memories[fresh.memory].alignment_bytes * below(8);
      fresh.initial = false;
      written = static_cast<BufferId>(s.buffers.size());
      s.buffers.push_back(fresh);
    }
    for (auto& [name, bytes] : s.arenas) bytes += 1024;
    s.actions.push_back(again);
    return "repeated an action";
  }
  std::string swap_places(Schedule& s) {
    Buffer& a = s.buffers[below(s.buffers.size())];
    Buffer& b = s.buffers[below(s.buffers.size())];
    const bool alone = a.within == no_buffer && b.within == no_buffer && a.memory == b.memory;
    if (alone) std::swap(a.offset, b.offset);
    for (auto& [name, bytes] : s.arenas) bytes += 256;
    return "swapped two places";
  }

  std::mt19937_64 random_;
};

}  // namespace

std::string break_schedule(Schedule& schedule, std::uint64_t seed) {
  return Breaker(seed).apply(schedule);
}

}  // namespace stint

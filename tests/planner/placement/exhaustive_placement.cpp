#include "tests/planner/placement/exhaustive_placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

#include "schedules/cost.hpp"

namespace stint {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

const Link& link_into(const Problem& problem, int memory) {
  for (const Link& link : problem.platform().links) {
    if (link.to == memory) return link;
  }
  return problem.platform().links.front();
}

struct Way {
  int device = 0;
  double seconds = 0;
  double joules = 0;
};

std::vector<Way> ways_of(const Problem& problem, int task) {
  std::vector<Way> ways;
  for (int d = 0; d < 2; ++d) {
    const Device& device = problem.platform().devices[d];
    for (int s = 0; s < choosable_states(device); ++s) {
      const double seconds = problem.seconds[d][task] / device.states[s].speed;
      ways.push_back(
          {d, seconds, seconds * busy_watts(problem.graph().tasks[task], device.states[s])});
    }
  }
  return ways;
}

// Tasks one after the other, each in all its ways; what has been decided is on the stack.
class AllOrders {
 public:
  explicit AllOrders(const Problem& problem)
      : problem_(problem), watts_(always_on_watts(problem.platform())) {
    for (int t = 0; t < tasks(); ++t) ways_.push_back(ways_of(problem, t));
  }

  double best() {
    Moment start;
    start.ready.assign(problem_.graph().tensors.size(), {never, never});
    go_on(start, 0);
    return best_;
  }

 private:
  struct Moment {
    std::vector<std::array<double, 2>> ready;  // by tensor and memory
    std::array<double, 2> worker_free{0, 0};
    std::array<double, 2> link_free{0, 0};  // into the memory
    double joules = 0;
    double seconds = 0;
  };
  int tasks() const { return static_cast<int>(problem_.graph().tasks.size()); }

  void go_on(const Moment& now, int done) {
    if (now.joules + watts_ * now.seconds >= best_) return;
    if (done == (1 << tasks()) - 1) {
      best_ = now.joules + watts_ * now.seconds;
      return;
    }
    for (int t = 0; t < tasks(); ++t) {
      const auto& before = problem_.before[t];
      const bool can = !(done >> t & 1) && std::all_of(before.begin(), before.end(), [&](TaskId b) {
        return (done >> b & 1) != 0;
      });
      if (!can) continue;
      for (const Way& way : ways_[t]) go_on(after(now, t, way), done | 1 << t);
    }
  }

  Moment after(Moment now, int task, const Way& way) const {
    double ready = now.worker_free[way.device];
    for (const TensorId tensor : problem_.graph().tasks[task].reads) {
      auto& there = now.ready[tensor];
      const bool is_input = problem_.graph().tensors[tensor].kind == Kind::input;
      if (is_input && there[0] == never && there[1] == never) there[way.device] = 0;
      if (there[way.device] == never) copy(tensor, way.device, now);
      ready = std::max(ready, there[way.device]);
    }
    const double end = ready + way.seconds;
    now.worker_free[way.device] = end;
    now.joules += way.joules;
    now.seconds = std::max(now.seconds, end);
    for (const TensorId tensor : problem_.graph().tasks[task].writes)
      now.ready[tensor][way.device] = end;
    return now;
  }

  void copy(TensorId tensor, int to, Moment& now) const {
    const Link& link = link_into(problem_, to);
    const std::int64_t bytes = problem_.graph().tensors[tensor].bytes;
    const double start = std::max(now.ready[tensor][1 - to], now.link_free[to]);
    now.ready[tensor][to] = now.link_free[to] = start + copy_seconds(link, bytes);
    now.joules += copy_joules(link, bytes);
  }

  const Problem& problem_;
  double watts_;
  std::vector<std::vector<Way>> ways_;
  double best_ = never;
};

// Dijkstra over what has run and what is where.
class AllStates {
 public:
  explicit AllStates(const Problem& problem) : problem_(problem) {}

  std::optional<double> best() {
    reach({0, 0, 0}, 0);
    const unsigned all = (1U << problem_.graph().tasks.size()) - 1;
    while (!open_.empty()) {
      const auto [joules, state] = open_.top();
      open_.pop();
      if (joules > known_.at(state)) continue;
      if (state.ran == all) return joules;
      leave(state, joules);
    }
    return std::nullopt;
  }

 private:
  struct State {
    unsigned ran = 0;
    unsigned loaded = 0;  // by tensor
    unsigned there = 0;   // by tensor and memory
    auto operator<=>(const State&) const = default;
  };
  using Open = std::pair<double, State>;

  static unsigned place(int tensor, int memory) { return 1U << (2 * tensor + memory); }
  int tensors() const { return static_cast<int>(problem_.graph().tensors.size()); }

  void reach(const State& state, double joules) {
    for (int m = 0; m < 2; ++m) {
      if (bytes_in(state.there, m) > problem_.capacity_bytes[m]) return;
    }
    const auto [known, is_new] = known_.try_emplace(state, joules);
    if (!is_new && known->second <= joules) return;
    known->second = joules;
    open_.emplace(joules, state);
  }
  std::int64_t bytes_in(unsigned there, int memory) const {
    std::int64_t bytes = 0;
    for (int t = 0; t < tensors(); ++t) {
      if (there & place(t, memory)) bytes += problem_.graph().tensors[t].bytes;
    }
    return bytes;
  }

  void leave(const State& state, double joules) {
    for (int tensor = 0; tensor < tensors(); ++tensor) {
      for (int m = 0; m < 2; ++m) {
        if (state.there & place(tensor, m))
          reach({state.ran, state.loaded, state.there & ~place(tensor, m)}, joules);
        else if (state.there & place(tensor, 1 - m))
          reach(
              {state.ran, state.loaded, state.there | place(tensor, m)},
              joules + copy_joules(link_into(problem_, m), problem_.graph().tensors[tensor].bytes));
        const bool is_new =
            problem_.graph().tensors[tensor].kind == Kind::input && !(state.loaded >> tensor & 1);
        if (is_new)
          reach({state.ran, state.loaded | 1U << tensor, state.there | place(tensor, m)}, joules);
      }
    }
    for (std::size_t t = 0; t < problem_.graph().tasks.size(); ++t)
      run(static_cast<int>(t), state, joules);
  }

  void run(int task, const State& state, double joules) {
    const Task& it = problem_.graph().tasks[task];
    double least[2] = {never, never};
    for (const Way& way : ways_of(problem_, task))
      least[way.device] = std::min(least[way.device], way.joules);
    for (int m = 0; m < 2; ++m) {
      const bool can = std::all_of(it.reads.begin(), it.reads.end(), [&](TensorId tensor) {
        return (state.there & place(tensor, m)) != 0;
      });
      if (!can) continue;
      State next = state;
      next.ran |= 1U << task;
      for (const TensorId tensor : it.writes) next.there |= place(tensor, m);
      reach(next, joules + least[m]);
    }
  }

  const Problem& problem_;
  std::map<State, double> known_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

double least_joules_without_memory(const Problem& problem) { return AllOrders(problem).best(); }

std::optional<double> least_joules_within_memory(const Problem& problem) {
  const auto joules = AllStates(problem).best();
  if (!joules) return std::nullopt;
  return *joules + always_on_watts(problem.platform()) * *problem.request().deadline_seconds;
}

}  // namespace stint

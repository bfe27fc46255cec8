#include "planner/prefetch.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "planner/accept.hpp"
#include "planner/draft.hpp"
#include "schedules/result_places.hpp"
#include "schedules/simulate.hpp"
#include "schedules/waiting.hpp"

namespace stint {
namespace {

constexpr double shortest_rest = 1e-9;  // of the step: less is a matter of rounding

// When a worker has nothing to do for longest: before that action of the plan, or at the end.
struct Rest {
  WorkerId worker = no_worker;
  std::size_t before = 0;
  double seconds = 0;
};

class Prefetching {
 public:
  Prefetching(const Problem& problem, const Schedule& plan)
      : problem_(problem), plan_(plan), simulation_(simulate(plan)), loaded_(loaded()) {}

  // Nothing if no input can be loaded by somebody who rests.
  std::optional<Draft> draft() {
    find_inputs();
    if (inputs_.empty()) return std::nullopt;
    Draft draft{.buffers = plan_.buffers};
    for (const auto& [memory, buffers] : inputs_) {
      for (const BufferId buffer : buffers) {
        draft.buffers[buffer].initial = true;
        draft.buffers[buffer].second_offset = 0;
      }
    }
    add_actions(draft);
    for (const ResultPlace& result : result_places(plan_)) draft.kept.push_back(result.buffer);
    return draft;
  }

 private:
  std::vector<bool> loaded() const {
    std::vector<bool> buffers(plan_.buffers.size(), false);
    for (const Action& action : plan_.actions) {
      if (action.what != Do::load) continue;
      for (const BufferId buffer : action.writes) buffers[buffer] = true;
    }
    return buffers;
  }

  // Whole buffers through which inputs come in, in memories where somebody rests.
  void find_inputs() {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      const Buffer& buffer = plan_.buffers[b];
      if (buffer.tensor == no_tensor || buffer.within != no_buffer || buffer.second_offset)
        continue;
      if (problem_.graph().tensors[buffer.tensor].kind != Kind::input) continue;
      if (buffer.initial || loaded_[b]) inputs_[buffer.memory].push_back(static_cast<BufferId>(b));
    }
    for (auto memory = inputs_.begin(); memory != inputs_.end();) {
      const Rest rest = longest_rest(memory->first);
      const bool rests = rest.seconds > shortest_rest * simulation_.makespan_seconds;
      if (rests) rests_[memory->first] = rest;
      memory = rests ? std::next(memory) : inputs_.erase(memory);
    }
  }

  Rest longest_rest(MemoryId memory) const {
    Rest longest;
    for (std::size_t w = 0; w < problem_.workers.size(); ++w) {
      const auto worker = static_cast<WorkerId>(w);
      if (problem_.workers[w].is_link() || problem_.device_of(worker).memory != memory) continue;
      const Rest rest = longest_rest(worker);
      if (rest.seconds > longest.seconds) longest = rest;
    }
    return longest;
  }

  // Actions stand in the order of their starts.
  Rest longest_rest(WorkerId worker) const {
    Rest longest{.worker = worker};
    double free_since = 0;
    const auto rest_until = [&](double seconds, std::size_t before) {
      if (seconds - free_since > longest.seconds) longest = {worker, before, seconds - free_since};
    };
    for (std::size_t a = 0; a < plan_.actions.size(); ++a) {
      const Action& action = plan_.actions[a];
      if (action.worker != worker && action.occupies != worker) continue;
      rest_until(simulation_.start_seconds[a], a);
      free_since = simulation_.start_seconds[a] + simulation_.seconds[a];
    }
    rest_until(simulation_.makespan_seconds, plan_.actions.size());
    return longest;
  }

  // The plan's actions, without loads that are not needed any more, and the new ones between them.
  void add_actions(Draft& draft) {
    std::vector<ActionId> place(plan_.actions.size(), ActionId{-1});
    for (std::size_t a = 0; a < plan_.actions.size(); ++a) {
      add_loads(a, draft);
      Action action = plan_.actions[a];
      if (action.what == Do::load) {
        std::erase_if(action.writes, [&](BufferId buffer) {
          return draft.buffers[buffer].second_offset.has_value();
        });
        if (action.writes.empty()) continue;
      }
      place[a] = static_cast<ActionId>(draft.actions.size());
      for (ActionId& earlier : action.after) earlier = place[earlier];
      std::erase(action.after, ActionId{-1});
      draft.actions.push_back(std::move(action));
    }
    add_loads(plan_.actions.size(), draft);
  }

  void add_loads(std::size_t before, Draft& draft) {
    for (const auto& [memory, buffers] : inputs_) {
      const Rest& rest = rests_.at(memory);
      if (rest.before != before) continue;
      Action load;
      load.what = Do::load;
      load.worker = rest.worker;
      load.writes = buffers;
      load.for_step = 1;
      draft.actions.push_back(std::move(load));
    }
  }

  const Problem& problem_;
  const Schedule& plan_;
  Simulation simulation_;
  std::vector<bool> loaded_;                          // by buffer: a load writes it
  std::map<MemoryId, std::vector<BufferId>> inputs_;  // those that become double
  std::map<MemoryId, Rest> rests_;
};

// What it may take longer to read a batch that another worker has loaded. Bringing it in between
// two steps takes longer than that, but is in neither of them.
double fetching_seconds(const Schedule& ahead) {
  double dearest = 0;
  for (const Device& device : ahead.platform.devices)
    dearest = std::max(dearest, hand_over_price(device, read_term));
  double seconds = 0;
  for (const Action& action : ahead.actions) {
    if (action.what != Do::load || action.for_step != 1) continue;
    for (const BufferId buffer : action.writes)
      seconds += dearest * static_cast<double>(ahead.buffers[buffer].bytes);
  }
  return seconds;
}

double most_watts(const Platform& platform) {
  double watts = always_on_watts(platform);
  for (const Device& device : platform.devices) {
    double busiest = 0;
    for (const PowerState& state : device.states)
      busiest = std::max(busiest, state.busy_watts.value);
    watts += device.active_watts + device.workers * std::max(busiest, device.wait_watts.value);
  }
  return watts;
}

}  // namespace

std::optional<Schedule> with_prefetch(const Problem& problem, const Schedule& plan) {
  const bool is_network = std::holds_alternative<Network>(problem.blank.model);
  if (!is_network || problem.request().objective == Objective::memory) return std::nullopt;
  const auto draft = Prefetching(problem, plan).draft();
  if (!draft) return std::nullopt;
  Schedule ahead = finish(problem, *draft, plan.predicted.strategy);
  Answer needs;
  if (!accept(problem, ahead, needs)) return std::nullopt;
  constexpr double rounding = 1 + 1e-12;
  const double fetching = fetching_seconds(ahead);
  const double fetching_joules = fetching * most_watts(problem.platform());
  const bool costs_more =
      ahead.predicted.seconds > plan.predicted.seconds * rounding + fetching ||
      ahead.predicted.joules > plan.predicted.joules * rounding + fetching_joules;
  return costs_more ? std::nullopt : std::optional(std::move(ahead));
}

}  // namespace stint

#include "planner/chains/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/chains/device_chain.hpp"

namespace stint {
namespace {

constexpr ChainAim least_joules{1, 0};
constexpr ChainAim least_time{0, 1};
constexpr int most_prices = 10;  // of a second, tried under a deadline
constexpr int most_states_tried = 4;

bool differs_by_class(const Device& device) {
  return std::any_of(device.states.begin(), device.states.end(),
                     [](const PowerState& state) { return !state.busy_watts_by_class.empty(); });
}

bool switches_cost(const Device& device) {
  return std::any_of(device.states.begin(), device.states.end(), [](const PowerState& state) {
    return state.switch_seconds > 0 || state.switch_joules > 0;
  });
}

// A solution, and the schedule it became if that meets the request.
struct Solved {
  ChainPlan plan;
  std::optional<Schedule> schedule;
};

class OnDevice {
 public:
  OnDevice(const Problem& problem, const SearchOptions& options, const DeviceChain& chain,
           Answer& answer)
      : problem_(problem), options_(options), chain_(chain), answer_(answer) {}

  void plan() {
    switch (problem_.request().objective) {
      case Objective::memory:
        return for_memory();
      case Objective::time:
        for_aim(least_time);
        break;
      case Objective::edp:
        for_product();
        break;
      case Objective::energy:
        for_aim(least_joules);
        if (deadline_seconds(problem_.request())) for_deadline();
        break;
    }
    if (!feasible_ && options_.explains) explain();
  }

 private:
  // Solves, and keeps the schedule if it is the best so far.
  Solved attempt(const ChainChoice& choice) {
    Solved solved{chain_.solve(choice, chain_.bytes()), {}};
    feasible_ = feasible_ || solved.plan.feasible;
    if (!solved.plan.feasible) return solved;
    solved.schedule = chain_.schedule(choice, solved.plan.operations, chain_.bytes(), answer_);
    if (solved.schedule) keep(*solved.schedule);
    return solved;
  }

  void keep(const Schedule& schedule) {
    const double value = schedule.predicted.objective.value;
    if (answer_.schedule && answer_.schedule->predicted.objective.value <= value) return;
    answer_.schedule = schedule;
    if (options_.improved) options_.improved(schedule);
  }

  // Only states that differ by a factor for all tasks alike lead to the same operations.
  bool one_is_enough() const { return !differs_by_class(chain_.device()) && !chain_.has_slow(); }

  // The choices worth trying for an aim, the best first. `complete`: no other can be better.
  std::vector<int> choices(const ChainAim& aim, bool& complete) const {
    std::vector<int> all = state_choices(chain_.device());
    complete = true;
    if (all.front() == each_its_best && !switches_cost(chain_.device())) return {each_its_best};
    const auto cost = [&](int states) { return chain_.cost_of_all({aim, states}); };
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return cost(a) < cost(b); });
    const std::size_t most = one_is_enough() ? 1 : most_states_tried;
    if (all.front() == each_its_best && all.size() > 1) return {all[0], all[1]};
    complete = all.size() <= most || one_is_enough();
    if (all.size() > most) all.resize(most);
    return all;
  }

  // The least cost of any plan for an aim, as far as it is proved; notes it as the bound.
  double for_aim(const ChainAim& aim) {
    bool complete = false;
    double least = std::numeric_limits<double>::infinity();
    for (const int states : choices(aim, complete)) {
      if (answer_.schedule && options_.is_interrupted()) return 0;
      const ChainChoice choice{aim, states};
      const Solved solved = attempt(choice);
      if (!solved.plan.feasible || !chain_.proves_cost()) continue;
      if (states == each_its_best || !has_each_its_best())
        least = std::min(least, chain_.least_cost(choice, solved.plan));
    }
    if (!complete || !std::isfinite(least)) return 0;
    claim(aim.joules > 0 ? least + fixed_joules(problem_) : least);
    return least;
  }
  bool has_each_its_best() const { return state_choices(chain_.device()).front() == each_its_best; }

  void claim(double value) {
    if (answer_.bound && answer_.bound->value >= value) return;
    answer_.bound = Bound{value, "chain"};
  }

  // Where the cheapest plan is late: other states, and other prices of a second.
  void for_deadline() {
    if (answer_.schedule) return;
    const double deadline = *deadline_seconds(problem_.request());
    for (int states : state_choices(chain_.device())) {
      if (states != each_its_best) attempt({least_joules, states});
      if (answer_.schedule && options_.is_interrupted()) return;
    }
    if (!has_each_its_best()) return;
    double low = 0;
    double high = 0;  // 0: not known
    double price = chain_.cost_of_all({least_joules, each_its_best}) / deadline;
    for (int tried = 0; tried < most_prices; ++tried) {
      const ChainChoice choice{{1, price}, each_its_best};
      const Solved solved = attempt(choice);
      if (!solved.plan.feasible) return;
      if (chain_.proves_cost())
        claim(chain_.least_cost(choice, solved.plan) - price * deadline + fixed_joules(problem_));
      (solved.schedule ? high : low) = price;
      price = high == 0 ? price * 8 : (low + high) / 2;
    }
    if (high == 0) attempt({least_time, each_its_best});
  }

  // Joules times seconds: weighed as they stand in the best plan so far.
  void for_product() {
    const std::optional<Bound> before = answer_.bound;
    const double joules = for_aim(least_joules);
    const double seconds = for_aim(least_time);
    answer_.bound = before;
    if (joules > 0 && seconds > 0) claim((joules + fixed_joules(problem_)) * seconds);
    for (int round = 0; round < 3 && answer_.schedule; ++round) {
      const Predicted& best = answer_.schedule->predicted;
      const double value = best.objective.value;
      if (best.seconds <= 0) return;
      bool complete = false;
      const ChainAim aim{1, best.joules / best.seconds};
      for (const int states : choices(aim, complete)) attempt({aim, states});
      if (answer_.schedule->predicted.objective.value >= value) return;
    }
  }

  void for_memory() {
    const ChainChoice choice{least_joules, choices_for_memory()};
    const LeastMemory least = chain_.least_memory(choice);
    if (chain_.proves_memory()) {
      const std::int64_t proved = chain_.proved_bytes(choice);
      claim(static_cast<double>(proved));
      answer_.proved_bytes[chain_.memory()] = proved;
    }
    finish_at(choice, least.bytes);
  }
  int choices_for_memory() const {
    bool complete = false;
    return choices(least_joules, complete).front();
  }

  void finish_at(const ChainChoice& choice, std::int64_t bytes) {
    const std::int64_t fast_bytes = bytes - chain_.resident_bytes();
    const ChainPlan plan = chain_.solve(choice, fast_bytes);
    if (!plan.feasible) return;
    if (auto schedule = chain_.schedule(choice, plan.operations, fast_bytes, answer_))
      keep(*schedule);
  }

  // There is no plan: how much memory there would have to be.
  void explain() {
    const ChainChoice choice{least_joules, choices_for_memory()};
    if (chain_.proves_memory()) answer_.proved_bytes[chain_.memory()] = chain_.proved_bytes(choice);
    finish_at(choice, chain_.least_memory(choice).bytes);
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const DeviceChain& chain_;
  Answer& answer_;
  bool feasible_ = false;
};

}  // namespace

std::optional<Answer> chain(const Problem& problem, const SearchOptions& options) {
  if (!problem.request().recompute) return std::nullopt;
  const Recognised recognised = recognise_chain(problem.graph(), problem.before);
  if (!recognised.chain) return std::nullopt;
  std::optional<Answer> answer;
  for (std::size_t d = 0; d < problem.platform().devices.size(); ++d) {
    if (answer && answer->schedule && options.is_interrupted()) break;
    const auto device = static_cast<DeviceId>(d);
    const auto on_device = DeviceChain::make(problem, options, *recognised.chain, device);
    if (!on_device) continue;
    if (!answer) answer.emplace();
    OnDevice(problem, options, *on_device, *answer).plan();
  }
  return answer;
}

}  // namespace stint

#include "planner/memory_sweep.hpp"

#include <algorithm>

#include "planner/memory_bound.hpp"
#include "planner/plan.hpp"

namespace stint {

namespace {

constexpr int even_steps = 12;
constexpr int sweep_halvings = 4;

class Sweep {
 public:
  Sweep(const Problem& problem, const SearchOptions& options)
      : problem_(problem),
        options_(options),
        memory_(default_memory(problem.platform())),
        name_(memory_name(problem.platform(), memory_)) {
    options_.improved = nullptr;
  }

  Frontier make() {
    const auto most = point_within(problem_.platform().memories[memory_].bytes);
    if (most) step_down(*most, memory_bound(problem_, memory_).bytes);
    return {
        problem_.graph().name, problem_.platform().name, name_, problem_.request().objective, true,
        useful_points()};
  }

 private:
  void step_down(std::int64_t most, std::int64_t least) {
    std::int64_t fits = most;
    std::int64_t too_small = least - 1;
    for (int i = 1; i <= even_steps + sweep_halvings && fits - too_small > 1; ++i) {
      if (options_.is_interrupted()) return;
      const bool halves = i > even_steps;
      const std::int64_t even = most - (most - least) * i / even_steps;
      const std::int64_t bytes = halves ? too_small + (fits - too_small) / 2 : even;
      if (bytes >= fits || bytes <= too_small) continue;
      if (const auto arena = point_within(bytes))
        fits = *arena;
      else
        too_small = bytes;
    }
  }

  // The arena of the plan, which is one more point.
  std::optional<std::int64_t> point_within(std::int64_t bytes) {
    Request request = problem_.request();
    request.memory[name_] = bytes;
    request.limit /= even_steps + sweep_halvings + 1;
    const Outcome outcome = plan(with_request(problem_, request), options_);
    if (!outcome.schedule) return std::nullopt;
    const Predicted& predicted = outcome.schedule->predicted;
    const auto arena = outcome.schedule->arenas.find(name_);
    const std::int64_t used = arena == outcome.schedule->arenas.end() ? 0 : arena->second;
    values_.push_back(predicted.objective.value);
    points_.push_back({.bytes = used,
                       .seconds = predicted.seconds,
                       .joules = predicted.joules,
                       .lower_bound = predicted.objective.lower_bound});
    return used;
  }

  // In growing bytes, without those that cost no less than one with fewer.
  std::vector<FrontierEntry> useful_points() {
    std::vector<std::size_t> order(points_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(points_[a].bytes, values_[a]) < std::pair(points_[b].bytes, values_[b]);
    });
    std::vector<FrontierEntry> useful;
    double least = 0;
    for (const std::size_t i : order) {
      if (!useful.empty() && values_[i] >= least) continue;
      least = values_[i];
      useful.push_back(points_[i]);
    }
    return useful;
  }

  const Problem& problem_;
  SearchOptions options_;
  MemoryId memory_;
  std::string name_;
  std::vector<FrontierEntry> points_;
  std::vector<double> values_;  // of the objective, by point
};

}  // namespace

Frontier memory_sweep(const Problem& problem, const SearchOptions& options) {
  return Sweep(problem, options).make();
}

}  // namespace stint

// Sequences of tasks on one device made into schedules with addresses, of which the best is the
// answer.
#pragma once

#include <optional>

#include "planner/graphs/graph_draft.hpp"
#include "planner/graphs/retention_search.hpp"
#include "planner/strategy.hpp"

namespace stint {

inline constexpr double near_bound = 1e-4;  // of it: good enough to stop
inline constexpr double close_gap = 3e-3;   // where more tries are not worth their time

// What the answer can still gain, of its value, by the best bound at hand; 1 without a plan.
double gap_of(const Problem& problem, const Answer& answer);

// Nothing is much better than what is found already.
bool is_close_to_best(const Problem& problem, const Answer& answer);

class DeviceDrafts {
 public:
  DeviceDrafts(const Problem& problem, const SearchOptions& options, const DeviceGraph& graph,
               Answer& answer);

  // What a schedule was made of.
  struct Drafted {
    const DeviceGraph* graph = nullptr;
    TaskSequence sequence;
    GraphCrew crew;
  };

  // In the order of the sequence, or in that in which several workers would begin its steps. The
  // graph stays where it is.
  Schedule finish_best(const DeviceGraph& graph, TaskSequence sequence, const GraphCrew& crew);
  Schedule finish_as_is(Drafted drafted);

  // Whether the schedule that was finished last is a plan, the best or not. Under a deadline with
  // the best states on its order.
  bool consider(Schedule schedule);

  const Answer& answer() const { return answer_; }
  const Drafted& best() const { return best_; }
  // State that lives elsewhere lives there.
  const std::optional<SlowPlace>& state_place() const { return state_place_; }
  GraphCrew crew_of(int workers, const std::vector<int>& states, std::int64_t capacity) const {
    return {workers, states, capacity, state_place_};
  }

  bool is_good() const { return is_close_to_best(problem_, answer_); }
  // Addresses cost hardly anything above the plan without them.
  bool is_close(const GraphPlan& plan) const;

  // Under a deadline: the best since they were forgotten, also if it is late.
  const std::optional<Schedule>& latest() const { return latest_; }
  void forget_latest() { latest_.reset(); }

 private:
  const Problem& problem_;
  const SearchOptions& options_;
  Answer& answer_;
  std::optional<SlowPlace> state_place_;
  Schedule scratch_;
  Drafted drafted_;  // the last
  Drafted best_;
  std::optional<Schedule> latest_;
};

}  // namespace stint

#include "planner/placement/placement_others.hpp"

#include <utility>

#include "planner/chains/chain.hpp"
#include "planner/graphs/graph.hpp"
#include "planner/keep_all.hpp"
#include "planner/placement/relaxed_memory.hpp"

namespace stint {
namespace {

constexpr double share_of_others = 0.1;   // of the limit
constexpr double short_share = 0.25;      // likewise, for graph where a memory is short
constexpr double sooner = 0.9;            // of a plan's seconds: what else to ask for there
constexpr std::size_t most_tasks = 2000;  // of which it is asked whether a memory is short

bool is_short(const PlacedGraph& graph) {
  const std::size_t memories = graph.problem->platform().memories.size();
  for (std::size_t m = 0; m < memories && graph.tasks() <= most_tasks; ++m) {
    if (!crowded_moments(graph, static_cast<MemoryId>(m), 1).empty()) return true;
  }
  return false;
}

class Asking {
 public:
  Asking(const PlacedGraph& graph, const SearchOptions& options)
      : problem_(*graph.problem), small_(problem_), options_(options), is_short_(is_short(graph)) {
    options_.improved = nullptr;
  }

  std::vector<Answer> all() {
    give(share_of_others);
    ask(keep_all);
    ask(chain);
    if (is_short_) give(short_share);
    if (ask(graph) && is_short_) ask_sooner();
    return std::move(answers_);
  }

 private:
  void give(double part) { small_.blank.request.limit = problem_.request().limit * part; }

  // Whether there is a plan: the last of the answers.
  template <typename Solve>
  bool ask(const Solve& strategy) {
    if (has_plan_ && options_.is_interrupted()) return false;
    auto found = strategy(small_, options_);
    if (!found) return false;
    if (found->schedule) found->schedule->request = problem_.request();
    const bool has_plan = found->schedule.has_value();
    has_plan_ = has_plan_ || has_plan;
    answers_.push_back(std::move(*found));
    return has_plan;
  }

  void ask_sooner() {
    const Request& request = problem_.request();
    if (request.objective != Objective::energy || request.bill != Bill::makespan) return;
    give(share_of_others);
    small_.blank.request.deadline_seconds = answers_.back().schedule->predicted.seconds * sooner;
    if (!ask(graph)) return;
    Answer plan;
    plan.schedule = std::move(answers_.back().schedule);
    answers_.back() = std::move(plan);
  }

  const Problem& problem_;
  Problem small_;
  SearchOptions options_;
  bool is_short_;
  bool has_plan_ = false;
  std::vector<Answer> answers_;
};

}  // namespace

std::vector<Answer> answers_of_others(const PlacedGraph& graph, const SearchOptions& options) {
  return Asking(graph, options).all();
}

}  // namespace stint

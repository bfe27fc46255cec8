// Moment generation on one worker: the cheapest sequence of tasks within a memory, and a bound.
//
// The master problem (moments.hpp) knows memory at few moments. What it keeps is replayed just in
// time; where that needs more memory than there is, the moment becomes one of the master's, and
// local search (retention_search.hpp) looks for plans in between. It ends when plan and bound meet,
// or when the limit of the request is reached. Without CP-SAT local search is all there is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/graphs/block_frontier.hpp"
#include "planner/graphs/moments.hpp"
#include "planner/graphs/sequence_search.hpp"
#include "planner/strategy.hpp"

namespace stint {

struct GraphSolverOptions {
  double limit = 10;  // units of search
  std::uint64_t seed = 0;
  const TaskChain* chain = nullptr;  // if the graph is one: its blocks give a start
  // By task, those that must have run before it. Null: the order of first runs is given.
  const std::vector<std::vector<TaskId>>* before = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
};

// Costs as whole numbers, of which all together have at most about `total` units; rounded down for
// a bound, if they are not multiples of one amount.
struct WholeCosts {
  std::vector<std::int64_t> costs;
  double unit = 1;  // what one of them is worth
};
WholeCosts whole_costs(const std::vector<double>& costs, double total);

class GraphSolver {
 public:
  // `orders`: in which tasks may first run; the ones with the smallest peaks are used.
  GraphSolver(const DeviceGraph& graph, std::vector<double> costs, std::vector<TaskOrder> orders,
              const GraphSolverOptions& options);

  // The best plan within so many bytes for the items. Nothing if none is found.
  std::optional<GraphPlan> solve(std::int64_t capacity_bytes);

  // The same for a little less than was solved, everywhere or where bytes are reserved (by position
  // in the order): from the moments and the plan found there.
  std::optional<GraphPlan> shrink(std::int64_t capacity_bytes,
                                  std::vector<std::int64_t> reserved_bytes = {});

  // The same with moves, from the best plan without them; what a move costs is in `costs` behind
  // the tasks. Local search again.
  std::optional<GraphPlan> solve_moving(const DeviceGraph& moving, const std::vector<double>& costs,
                                        std::int64_t capacity_bytes) const;

  // By local search that moves first runs too: from any plan.
  std::optional<GraphPlan> solve_in_any_order(const TaskSequence& start,
                                              std::int64_t capacity_bytes);
  // The same near a plan that may take a little too much memory.
  std::optional<GraphPlan> solve_near(const TaskSequence& start, std::int64_t capacity_bytes);
  // The same for plans to which first-fit gives addresses, the cheapest first.
  std::vector<GraphPlan> solve_with_addresses(const TaskSequence& start,
                                              std::int64_t capacity_bytes);
  // From now on that is the best plan for all of the memory; plans for less are also looked for
  // near what it was found from.
  void adopt(TaskSequence plan, TaskSequence start);

  // Tasks at whose first runs memory was counted, as they came; where plan and bound meet, those
  // that the bound takes.
  std::vector<TaskId> moments() const;
  const TaskOrder& order() const { return gaps_.order(); }
  double cost_of_all() const { return meter_.cost_of_all(); }
  double cost(const TaskSequence& sequence) const { return meter_.cost(sequence); }
  // In whole units, by task, and what runs again in a sequence.
  const std::vector<std::int64_t>& costs() const { return whole_costs_.costs; }
  std::int64_t whole_cost_again(const TaskSequence& sequence) const;
  // Of every plan in the order of first runs at hand, for the memory solved last; and whether the
  // plan meets it.
  double bound() const;
  bool is_proved() const;
  std::int64_t least_peak_bytes() const { return least_peak_; }  // of any sequence seen

 private:
  // Where a replay exceeds the memory: a first run, or one again for the task at the position.
  struct Crowd {
    std::int64_t bytes = 0;
    int position = 0;
    TaskId again = no_task;
  };
  struct CountedAgain {
    TaskId task = no_task;
    int position = 0;  // of the moment that it runs for
    bool operator==(const CountedAgain&) const = default;
  };
  bool is_interrupted() const;
  void begin(std::int64_t capacity, std::vector<std::int64_t> reserved);
  void note(const TaskSequence& sequence, const SequenceMeasure& measure, std::int64_t capacity);
  std::optional<SequenceMeasure> replayed(bool possible, std::int64_t capacity);
  std::vector<Crowd> crowds(std::int64_t capacity) const;
  RetentionSearchOptions search_options(std::int64_t capacity, double share) const;
  void search(const Retention& start, std::int64_t capacity, double share);
  Retention start() const;  // the best so far
  Retention retention_of(const MomentSolution& solution) const;
  bool is_moment(int position) const;
  bool add_moment(int position);
  bool add_moment_near(int position);
  bool add(const Crowd& crowd);
  bool add_moments(std::vector<Crowd> crowds);
  std::vector<CountedRun> counted_runs() const;
  MomentSolution solve_master(std::int64_t capacity, double share);
  MomentSolution noted(MomentSolution solution);
  void generate_moments(std::int64_t capacity);
  void search_long(std::int64_t capacity);
  void combine_blocks(std::int64_t capacity);
  void improve(const TaskSequence& start, std::int64_t capacity, double share, double heat = 0.4);
  void improve_best(std::int64_t capacity, double share);
  void improve_from(const TaskSequence& plan, std::int64_t capacity);
  SequenceSearchOptions free_options(std::int64_t capacity);
  bool is_large() const;
  double size_factor() const;  // of the steps of a search
  bool is_near() const;        // good enough in a large graph, or but for what HiGHS rounds
  double worth(const MomentSolution& solution) const;

  const DeviceGraph& graph_;
  SequenceMeter meter_;
  GraphSolverOptions options_;
  RetentionGaps gaps_;
  RetentionReplay replay_;
  WholeCosts whole_costs_;
  std::vector<int> moments_;            // positions, ascending
  std::vector<int> added_;              // the same in the order in which they came
  std::size_t telling_ = 0;             // how many there were when the bound rose last
  std::vector<CountedAgain> counted_;   // runs during which memory is counted too
  std::vector<std::int64_t> reserved_;  // by position
  std::int64_t known_bound_ = 0;
  bool is_rounded_ = false;       // it is HiGHS'
  std::int64_t free_bound_ = 0;   // the same without anything reserved
  std::int64_t bound_bytes_ = 0;  // the memory that they are for
  double work_left_ = 0;
  std::optional<GraphPlan> best_;
  Retention best_retention_;
  TaskSequence solved_;  // the best for all of the memory
  TaskSequence start_of_solved_;
  std::int64_t least_peak_ = 0;
  std::uint64_t searches_ = 0;
  BlockSolver blocks_;
};

// How much more work than usual the solver gets: what it does before it searches grows with the
// master.
double solver_work_factor(const DeviceGraph& graph);

}  // namespace stint

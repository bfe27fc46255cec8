// The master problem (moments.hpp) as variables: which tasks run in every interval, and what is
// there at every moment, so that whoever reads something has it. What that takes of memory and of
// time is for others to say (moment_memory.hpp, moment_time.hpp).
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "planner/graphs/copy_windows.hpp"
#include "planner/graphs/moment_uses.hpp"
#include "planner/solver/cp_sat.hpp"

namespace stint {

// A literal, or what is known beforehand.
struct Fact {
  enum Kind { no, yes, open } kind = no;
  VariableId literal{0};
};
inline constexpr Fact never_so{Fact::no, {}};
inline constexpr Fact always_so{Fact::yes, {}};
using Facts = std::vector<Fact>;

// Of a state that may live elsewhere.
struct StateFacts {
  VariableId away{0};  // whether it does
  Facts fetched;       // by interval
  Facts there;         // by moment
};

struct MomentModel {
  explicit MomentModel(const MomentProblem& problem);

  const GraphItem& item(std::size_t i) const { return graph.items[i]; }
  bool is_free(std::size_t i) const { return uses.is_free[i]; }
  bool is_idle(std::size_t t) const { return uses.is_idle[t]; }
  bool is_input(std::size_t i) const { return item(i).writers.empty(); }
  const GraphTask& moment_task(int k) const { return graph.tasks[problem.moments[k - 1]]; }
  GraphItemId replaced_by(const GraphOutput& output) const {
    return problem.is_bound ? output.at_most_in : output.in_place;
  }
  // Written in the interval, or come in.
  Fact made(int k, std::size_t i) const;
  Fact open() { return {Fact::open, model.add_boolean()}; }

  const MomentProblem& problem;
  const DeviceGraph& graph;
  int moments;
  MomentUses uses;
  std::vector<Facts> run;    // [interval][task]
  std::vector<Facts> come;   // [interval][input]
  std::vector<Facts> back;   // [interval][item]
  std::vector<Facts> there;  // [moment][item], moments from 1 on
  std::vector<Facts> after;  // the same, for use after the moment
  std::vector<StateFacts> states;
  std::vector<std::pair<int, TaskId>> again;  // intervals and tasks that may run in them at a cost
  std::vector<TimedCopy> copies_out;
  std::vector<TimedCopy> copies_back;
  CpModel model;
  LinearSum cost;
  bool impossible = false;

 private:
  void decide_runs();
  void decide_inputs();
  void decide_moves();
  void decide_presence();
  void run_once_at_least(std::size_t t, int earliest, int latest);
  void decide_state(const MovedState& state);
  void decide_fetches(const MovedState& state, StateFacts& facts);
  void note_move(const TimedCopy& copy, std::int64_t price, std::vector<TimedCopy>& copies);
  std::int64_t begin_of(int interval) const;
  std::int64_t end_of(TaskId task) const;
  bool has_ended(std::size_t t, int k) const;
  bool may_be_there(std::size_t i, int k) const;
  void touch(int k);
  bool is_replaced(int k, GraphItemId read) const;
  void imply(const Fact& what, std::initializer_list<Fact> others);
  void require_reads();
  void require_presence();
  void require_results();
};

}  // namespace stint

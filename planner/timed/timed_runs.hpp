// The variables of a timed model (timed_model.hpp) and what ties them together: runs of tasks,
// copies, what they write and who reads it. What a bound permits beyond that stands in
// timed_permits.cpp.
#pragma once

#include <optional>
#include <vector>

#include "planner/graphs/state_uses.hpp"
#include "planner/solver/cp_sat.hpp"
#include "planner/timed/timed_model.hpp"

namespace stint {

using Literals = std::vector<VariableId>;

Literals with(Literals literals, VariableId other);

class TimedRuns {
 public:
  TimedRuns(const Problem& problem, const DeviceGraph& graph, const TimedPrices& prices,
            const TimedOptions& options);
  TimedAnswer solve();

 private:
  enum class Lane { workers, out, back };

  struct Run {
    TaskId task = no_task;  // no_task: a copy of a part
    VariableId begin{0};
    LinearSum length;
    LinearSum end;
    std::optional<VariableId> happens;  // none: it does
    Literals ways;                      // by way to run, if there are several
    IntervalId interval{0};

    Literals conditions() const { return happens ? Literals{*happens} : Literals{}; }
  };

  // What lies in memory: written by a run or come by one, or by several runs, or an input.
  struct Instance {
    int run = -1;  // that writes it alone
    VariableId begin{0};
    VariableId release{0};
    std::optional<VariableId> is_read;  // where it need not be
  };

  // A tensor that goes away and comes back.
  struct Move {
    TensorId tensor = no_tensor;
    std::vector<Instance> comes;
    std::optional<VariableId> more;      // more often than has a place in time
    std::optional<VariableId> in_parts;  // it came back part by part
  };

  struct Overwriting {
    int run = 0;
    GraphItemId input = no_graph_item;
    VariableId begin{0};
  };
  struct Read {
    int run = 0;
    GraphItemId item = no_graph_item;
    VariableId release{0};
    VariableId is_chosen{0};
  };

  const GraphItem& item(GraphItemId i) const { return graph_.items[i]; }
  bool is_bound() const { return options_.is_bound; }
  bool counts(GraphItemId i) const { return item(i).bytes >= options_.least_bytes; }
  std::int64_t horizon() const;
  std::int64_t byte_unit() const;
  const Run& first(TaskId task) const { return runs_[runs_of_[task].front()]; }
  SegmentRange segments(TensorId tensor) const { return problem_.segments.of_tensor[tensor]; }
  std::int64_t bytes_of(TensorId tensor) const;

  void add_order(const LinearSum& late, const LinearSum& early, const Literals& if_all = {});
  void imply(VariableId what, VariableId other) { model_.add_clause({no(what), other}); }
  VariableId add_time() { return model_.add_variable(0, horizon()); }
  IntervalId add_span(const LinearSum& begin, const LinearSum& end, const Literals& if_all);
  void hold(IntervalId interval, std::int64_t bytes);

  void add_runs();
  int add_run(TaskId task, const std::vector<TimedWay>& ways, std::optional<std::int64_t> cost,
              Lane lane);
  void choose_way(const std::vector<TimedWay>& ways, Run& run);
  bool may_run_again(TaskId task) const;
  bool has_one_state() const;
  VariableId state_of_the_run(int state);

  void add_instances(GraphItemId i);
  IntervalId add_instance(GraphItemId i, int run);
  const GraphOutput& output(TaskId task, GraphItemId i) const;
  void add_fixed(GraphItemId i);
  void add_moves(GraphItemId i);
  void add_move(GraphItemId i, TensorId tensor);

  void add_reads(TaskId task);
  void add_read(int run, GraphItemId i, const std::vector<TensorId>& tensors);
  Literals choices(GraphItemId i, const std::vector<TensorId>& tensors, int run,
                   const LinearSum& begin, const LinearSum& end);
  VariableId read_from(const Instance& instance, const LinearSum& begin, const LinearSum& end);
  bool covers(TensorId outer, const std::vector<TensorId>& tensors) const;
  std::vector<TensorId> tensors_read(TaskId task, GraphItemId i) const;
  std::int64_t read_bytes(const std::vector<TensorId>& tensors) const;
  void keep_results();
  void overwrite_inputs();
  void order_updates();

  void keep_apart();
  void share();
  bool is_one_channel() const;
  std::vector<TimedRun> runs_in(const CpAnswer& found) const;

  // What only a bound permits (timed_permits.cpp).
  std::optional<VariableId> again(TaskId task);
  std::optional<VariableId> second(TaskId task);
  std::optional<VariableId> more(Move& move);
  std::optional<VariableId> come_to_fixed(GraphItemId i, TaskId writer);
  VariableId come_from_elsewhere(GraphItemId i, TaskId writer);
  std::optional<Literals> read_twice(GraphItemId i);
  Literals ways_beside(GraphItemId i, const std::vector<TensorId>& tensors, const LinearSum& begin);
  LinearSum end_of_another(TaskId task, bool is_second) const;
  bool has_parts(TensorId tensor) const;
  bool is_read_of(const std::vector<TensorId>& tensors, TaskId writer) const;
  VariableId two_buffers(TaskId update);
  void hold_state();
  void copy_state(const StateUse& use, VariableId is_away);
  void note_what_is_missing(const CpAnswer& found, TimedAnswer& answer) const;

  const Problem& problem_;
  const DeviceGraph& graph_;
  const TimedPrices& prices_;
  const TimedOptions& options_;
  const Device& device_;
  std::int64_t capacity_;
  std::int64_t byte_unit_;
  CpModel model_;
  VariableId end_;
  LinearSum cost_;
  std::vector<Run> runs_;
  std::vector<std::vector<int>> runs_of_;               // by task of the problem
  std::vector<std::vector<Instance>> instances_;        // by item
  std::vector<std::vector<Move>> moves_;                // by item
  std::vector<std::optional<VariableId>> again_;        // by task
  std::vector<std::optional<VariableId>> two_buffers_;  // by task that updates
  Literals run_states_;
  std::vector<Overwriting> overwriting_;
  std::vector<Read> reads_;
  std::vector<IntervalId> lanes_[3];
  std::vector<IntervalId> held_;
  std::vector<LinearSum> held_bytes_;
};

}  // namespace stint

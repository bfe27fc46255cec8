#include "planner/timed/timed_runs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace stint {
namespace {

constexpr std::int64_t most_byte_units = 1000000;  // sums of bytes by time must fit 64 bits

template <typename Key>
int places(const std::map<Key, int>& given, Key key, int usual) {
  const auto known = given.find(key);
  return known == given.end() ? usual : known->second;
}

}  // namespace

Literals with(Literals literals, VariableId other) {
  literals.push_back(other);
  return literals;
}

TimedRuns::TimedRuns(const Problem& problem, const DeviceGraph& graph, const TimedPrices& prices,
                     const TimedOptions& options)
    : problem_(problem),
      graph_(graph),
      prices_(prices),
      options_(options),
      device_(problem.platform().devices[graph.device]),
      capacity_(options.is_bound && prices.can_move() ? problem.capacity_bytes[graph.memory]
                                                      : graph.capacity_bytes),
      byte_unit_(byte_unit()),
      end_(model_.add_variable(0, horizon())),
      runs_of_(graph.problem_tasks),
      instances_(graph.items.size()),
      moves_(graph.items.size()),
      again_(graph.problem_tasks),
      two_buffers_(graph.problem_tasks) {
  cost_.add(end_, prices.time_cost);
  add_runs();
  for (std::size_t i = 0; i < graph_.items.size(); ++i) add_instances(static_cast<GraphItemId>(i));
  for (std::size_t i = 0; i < graph_.items.size(); ++i) add_moves(static_cast<GraphItemId>(i));
  for (int t = 0; t < graph_.problem_tasks; ++t) add_reads(static_cast<TaskId>(t));
  keep_results();
  overwrite_inputs();
  order_updates();
  if (is_bound() && prices_.can_move()) hold_state();
  keep_apart();
  share();
}

TimedAnswer TimedRuns::solve() {
  model_.add_linear(cost_, 0, options_.most_cost);
  model_.minimise(cost_);
  CpOptions how;
  how.work = options_.work;
  how.seed = options_.seed;
  how.is_timetable = true;
  how.interrupted = options_.interrupted;
  const CpAnswer found = stint::solve(model_, how);
  TimedAnswer answer;
  answer.work = found.work;
  answer.is_infeasible = found.status == CpStatus::infeasible;
  answer.is_solved = found.status == CpStatus::optimal;
  answer.bound = std::max<std::int64_t>(0, found.bound);
  if (!found.has_solution()) return answer;
  if (is_bound())
    note_what_is_missing(found, answer);
  else
    answer.runs = runs_in(found);
  return answer;
}

std::int64_t TimedRuns::horizon() const {
  return prices_.deadline ? std::min(options_.horizon, *prices_.deadline) : options_.horizon;
}

std::int64_t TimedRuns::byte_unit() const {
  std::int64_t unit = 0;
  for (const GraphItem& item : graph_.items) unit = std::gcd(unit, item.bytes);
  for (const GraphTask& task : graph_.tasks) unit = std::gcd(unit, task.workspace_bytes);
  return std::max({std::int64_t{1}, unit, capacity_ / most_byte_units});
}

std::int64_t TimedRuns::bytes_of(TensorId tensor) const {
  return aligned(problem_.graph().tensors[tensor].bytes,
                 problem_.platform().memories[graph_.memory]);
}

// The first sum is not less than the second, if all the literals hold.
void TimedRuns::add_order(const LinearSum& late, const LinearSum& early, const Literals& if_all) {
  LinearSum apart = late;
  for (const auto& [variable, coefficient] : early.terms) apart.add(variable, -coefficient);
  apart.constant -= early.constant;
  model_.add_linear(apart, 0, INT64_MAX / 4, if_all);
}

IntervalId TimedRuns::add_span(const LinearSum& begin, const LinearSum& end,
                               const Literals& if_all) {
  return model_.add_interval(begin, add_time(), end, if_all);
}

void TimedRuns::hold(IntervalId interval, std::int64_t bytes) {
  if (bytes < byte_unit_) return;
  held_.push_back(interval);
  held_bytes_.emplace_back(bytes / byte_unit_);
}

// --- runs ---

void TimedRuns::add_runs() {
  for (int t = 0; t < graph_.problem_tasks; ++t) {
    const auto task = static_cast<TaskId>(t);
    const int most = may_run_again(task) ? places(options_.places.runs, task, usual_runs) : 1;
    for (int nth = 0; nth < most; ++nth) {
      const auto cost = nth > 0 ? std::optional(prices_.least_cost[t]) : std::nullopt;
      const int r = add_run(task, prices_.ways[t], cost, Lane::workers);
      const Run& run = runs_[r];
      hold(run.interval, graph_.tasks[t].workspace_bytes);
      if (nth > 0) {
        const Run& before = runs_[runs_of_[t].back()];
        if (before.happens) imply(*run.happens, *before.happens);
        add_order(run.begin, before.end, run.conditions());
      }
      runs_of_[t].push_back(r);
    }
    for (const TaskId earlier : problem_.needs[t]) add_order(first(task).begin, first(earlier).end);
  }
}

// Of our plans only what it writes anew is of use.
bool TimedRuns::may_run_again(TaskId task) const {
  const auto& writes = graph_.tasks[task].writes;
  return problem_.request().recompute && options_.reruns && !graph_.tasks[task].runs_once &&
         std::any_of(writes.begin(), writes.end(), [&](const GraphOutput& output) {
           return counts(output.item) && (is_bound() || !item(output.item).is_fixed);
         });
}

// With a cost it may happen or not.
int TimedRuns::add_run(TaskId task, const std::vector<TimedWay>& ways,
                       std::optional<std::int64_t> cost, Lane lane) {
  Run run;
  run.task = task;
  run.begin = add_time();
  if (cost) {
    run.happens = model_.add_boolean();
    cost_.add(*run.happens, *cost);
  }
  choose_way(ways, run);
  run.interval = model_.add_interval(run.begin, run.length, run.end, run.conditions());
  add_order(end_, run.end, run.conditions());
  lanes_[static_cast<int>(lane)].push_back(run.interval);
  runs_.push_back(std::move(run));
  return static_cast<int>(runs_.size()) - 1;
}

void TimedRuns::choose_way(const std::vector<TimedWay>& ways, Run& run) {
  run.end = run.begin;
  if (ways.size() == 1) {
    run.length = run.end.constant = ways.front().length;
    return;
  }
  LinearSum length;
  LinearSum chosen;
  for (const TimedWay& way : ways) {
    const VariableId is_so = model_.add_boolean();
    run.ways.push_back(is_so);
    length.add(is_so, way.length);
    chosen.add(is_so, 1);
    cost_.add(is_so, way.cost);
    if (has_one_state()) imply(is_so, state_of_the_run(way.state));
  }
  if (run.happens) chosen.add(*run.happens, -1);
  const std::int64_t count = run.happens ? 0 : 1;
  model_.add_linear(chosen, count, count);
  const VariableId taken = add_time();
  length.add(taken, -1);
  model_.add_linear(length, 0, 0);
  run.length = taken;
  run.end = add_time();
}

// Of all actions of a step; of our plans also where it is only of those that overlap, or of a
// worker.
bool TimedRuns::has_one_state() const {
  const bool is_shared = device_.state_scope == StateScope::device || device_.workers == 1;
  if (device_.settable == Settable::run) return is_shared || !is_bound();
  return device_.state_scope == StateScope::device && device_.workers > 1 && !is_bound();
}

VariableId TimedRuns::state_of_the_run(int state) {
  if (run_states_.empty()) {
    LinearSum one;
    for (int s = 0; s < choosable_states(device_); ++s) {
      run_states_.push_back(model_.add_boolean());
      one.add(run_states_.back(), 1);
    }
    model_.add_linear(one, 1, 1);
  }
  return run_states_[state];
}

// --- instances ---

void TimedRuns::add_instances(GraphItemId i) {
  if (!counts(i)) return;
  if (item(i).is_fixed) return add_fixed(i);
  std::vector<IntervalId> lives;
  for (const int run : runs_of_[graph_.writer(i)]) lives.push_back(add_instance(i, run));
  if (lives.size() > 1) model_.add_no_overlap(lives);
}

const GraphOutput& TimedRuns::output(TaskId task, GraphItemId i) const {
  const auto& writes = graph_.tasks[task].writes;
  return *std::find_if(writes.begin(), writes.end(),
                       [&](const GraphOutput& written) { return written.item == i; });
}

// Returns the interval that no other instance that is read shares with it: all of it, or, where
// its run writes something else too and so may be needed anyway, from the end of the run.
IntervalId TimedRuns::add_instance(GraphItemId i, int r) {
  const Run& run = runs_[r];
  const GraphOutput& written = output(run.task, i);
  Instance instance;
  instance.run = r;
  instance.release = add_time();
  add_order(instance.release, run.end, run.conditions());
  if (run.happens || written.is_optional) instance.is_read = model_.add_boolean();
  Literals if_there = run.conditions();
  if (written.is_optional) if_there.push_back(*instance.is_read);
  const GraphItemId input = is_bound() ? written.at_most_in : written.in_place;
  instance.begin = input == no_graph_item ? run.begin : add_time();
  hold(add_span(instance.begin, instance.release, if_there), item(i).bytes);
  if (input != no_graph_item) {
    add_order(run.end, instance.begin, run.conditions());
    overwriting_.push_back({r, input, instance.begin});
  }
  instances_[i].push_back(instance);
  Literals if_read = run.conditions();
  if (instance.is_read) if_read.push_back(*instance.is_read);
  const bool is_alone = graph_.tasks[run.task].writes.size() == 1;
  return add_span(is_alone ? LinearSum(run.begin) : run.end, instance.release, if_read);
}

// There is one of it: from whoever writes it first to whoever reads it last. A writer whose output
// may lie in the place of an input needs no place for it before its end.
void TimedRuns::add_fixed(GraphItemId i) {
  Instance instance;
  instance.begin = add_time();
  instance.release = add_time();
  for (const TaskId writer : item(i).writers) {
    const GraphOutput& written = output(writer, i);
    if (is_bound() && written.is_optional) continue;
    Literals if_direct;
    if (const auto later = come_to_fixed(i, writer)) if_direct.push_back(no(*later));
    const bool may_overwrite = is_bound() && written.at_most_in != no_graph_item;
    const LinearSum needed = may_overwrite ? first(writer).end : LinearSum(first(writer).begin);
    add_order(needed, instance.begin, if_direct);
    add_order(instance.release, first(writer).end, if_direct);
  }
  hold(add_span(instance.begin, instance.release, {}), item(i).bytes);
  instances_[i].push_back(instance);
}

// Of our plans whole items that are written by one task; else anything.
void TimedRuns::add_moves(GraphItemId i) {
  if (!prices_.can_move() || !counts(i)) return;
  if (!is_bound()) {
    if (options_.moves && graph_.moves(i)) add_move(i, item(i).tensor);
    return;
  }
  for (std::size_t t = 0; t < graph_.item_of.size(); ++t)
    if (graph_.item_of[t] == i) add_move(i, static_cast<TensorId>(t));
}

// An input may be elsewhere from the start.
void TimedRuns::add_move(GraphItemId i, TensorId tensor) {
  const bool has_tasks = graph_.moves(i);
  const TimedTransfer& out = prices_.out[tensor];
  const TimedTransfer& back = prices_.back[tensor];
  Move move;
  move.tensor = tensor;
  int before = -1;
  if (!item(i).writers.empty()) {
    before =
        add_run(has_tasks ? graph_.send[i] : no_task, {{0, out.length, 0}}, out.cost, Lane::out);
    add_read(before, i, {tensor});
  }
  std::vector<IntervalId> lives;
  for (int nth = 0; nth < places(options_.places.comes, tensor, usual_comes); ++nth) {
    const int r = add_run(has_tasks ? graph_.fetch[i] : no_task, {{0, back.length, 0}}, back.cost,
                          Lane::back);
    const Run& run = runs_[r];
    if (before >= 0) {
      imply(*run.happens, *runs_[before].happens);
      add_order(run.begin, runs_[before].end, run.conditions());
    }
    Instance instance;
    instance.run = before = r;
    instance.begin = run.begin;
    instance.release = add_time();
    add_order(instance.release, run.end, run.conditions());
    lives.push_back(add_span(run.begin, instance.release, run.conditions()));
    hold(lives.back(), bytes_of(tensor));
    move.comes.push_back(instance);
  }
  if (lives.size() > 1) model_.add_no_overlap(lives);
  moves_[i].push_back(std::move(move));
}

// --- reads ---

std::vector<TensorId> TimedRuns::tensors_read(TaskId task, GraphItemId i) const {
  std::vector<TensorId> tensors;
  for (const TensorId tensor : problem_.graph().tasks[task].reads)
    if (graph_.item_of[tensor] == i) tensors.push_back(tensor);
  return tensors;
}

void TimedRuns::add_reads(TaskId task) {
  for (const GraphItemId i : graph_.tasks[task].reads) {
    if (!counts(i)) continue;
    for (const int run : runs_of_[task]) add_read(run, i, tensors_read(task, i));
  }
}

// Who reads what was brought back without a place in time has it while it runs.
void TimedRuns::add_read(int r, GraphItemId i, const std::vector<TensorId>& tensors) {
  const Run run = runs_[r];
  Literals all = choices(i, tensors, r, run.begin, run.end);
  for (const VariableId way : ways_beside(i, tensors, run.begin)) {
    all.push_back(way);
    hold(model_.add_interval(run.begin, run.length, run.end, with(run.conditions(), way)),
         read_bytes(tensors));
  }
  if (run.happens) all.push_back(no(*run.happens));
  model_.add_clause(all);
}

Literals TimedRuns::choices(GraphItemId i, const std::vector<TensorId>& tensors, int run,
                            const LinearSum& begin, const LinearSum& end) {
  Literals all;
  const auto choose = [&](const Instance& instance) {
    all.push_back(read_from(instance, begin, end));
    reads_.push_back({run, i, instance.release, all.back()});
  };
  for (const Instance& instance : instances_[i]) choose(instance);
  for (const Move& move : moves_[i]) {
    if (!covers(move.tensor, tensors)) continue;
    for (const Instance& instance : move.comes) choose(instance);
  }
  return all;
}

VariableId TimedRuns::read_from(const Instance& instance, const LinearSum& begin,
                                const LinearSum& end) {
  const VariableId is_chosen = model_.add_boolean();
  add_order(instance.release, end, {is_chosen});
  if (instance.is_read) imply(is_chosen, *instance.is_read);
  if (instance.run < 0) {
    add_order(begin, instance.begin, {is_chosen});
    return is_chosen;
  }
  const Run& writer = runs_[instance.run];
  if (writer.happens) imply(is_chosen, *writer.happens);
  add_order(begin, writer.end, {is_chosen});
  return is_chosen;
}

bool TimedRuns::covers(TensorId outer, const std::vector<TensorId>& tensors) const {
  return std::all_of(tensors.begin(), tensors.end(), [&](TensorId tensor) {
    return segments(outer).begin <= segments(tensor).begin &&
           segments(tensor).end <= segments(outer).end;
  });
}

// The largest of them, since they may share bytes.
std::int64_t TimedRuns::read_bytes(const std::vector<TensorId>& tensors) const {
  std::int64_t bytes = 0;
  for (const TensorId tensor : tensors) bytes = std::max(bytes, bytes_of(tensor));
  return bytes;
}

// A result is read at the end.
void TimedRuns::keep_results() {
  for (std::size_t n = 0; n < graph_.items.size(); ++n) {
    const auto i = static_cast<GraphItemId>(n);
    if (!item(i).is_result || !counts(i)) continue;
    std::vector<TensorId> tensors;
    for (const TensorId result : problem_.graph().results)
      if (graph_.item_of[result] == i) tensors.push_back(result);
    Literals all = choices(i, tensors, -1, end_, end_);
    for (const VariableId way : ways_beside(i, tensors, end_)) all.push_back(way);
    model_.add_clause(all);
  }
}

// An output lies in the place of an input, which nobody reads any more, until its run ends.
void TimedRuns::overwrite_inputs() {
  for (const Overwriting& over : overwriting_) {
    const Run& run = runs_[over.run];
    const VariableId is_so = model_.add_boolean();
    add_order(run.begin, over.begin, with(run.conditions(), no(is_so)));
    for (const Read& read : reads_) {
      if (read.run == over.run && read.item == over.input)
        add_order(run.end, read.release, {is_so, read.is_chosen});
    }
  }
}

// Who reads state runs before its update.
void TimedRuns::order_updates() {
  for (int t = 0; t < graph_.problem_tasks; ++t) {
    for (const TaskId update : graph_.tasks[t].ends_with) {
      if (update == t) continue;
      for (const int r : runs_of_[t]) {
        Literals conditions = runs_[r].conditions();
        if (is_bound()) conditions.push_back(no(two_buffers(update)));
        add_order(first(update).begin, runs_[r].end, conditions);
      }
    }
  }
}

// --- solutions ---

// As they begin; what takes no time in whole units comes before what does.
std::vector<TimedRun> TimedRuns::runs_in(const CpAnswer& found) const {
  const auto value_of = [&](const LinearSum& sum) {
    std::int64_t value = sum.constant;
    for (const auto& [variable, coefficient] : sum.terms)
      value += coefficient * found.values[variable];
    return value;
  };
  std::vector<TimedRun> all;
  for (const Run& run : runs_) {
    if (run.happens && !found.is_true(*run.happens)) continue;
    int state = 0;
    for (std::size_t w = 0; w < run.ways.size(); ++w)
      if (found.is_true(run.ways[w])) state = prices_.ways[run.task][w].state;
    all.push_back({run.task, state, value_of(run.begin), value_of(run.end)});
  }
  std::stable_sort(all.begin(), all.end(), [](const TimedRun& a, const TimedRun& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return all;
}

TimedAnswer solve_timed(const Problem& problem, const DeviceGraph& graph, const TimedPrices& prices,
                        const TimedOptions& options) {
  return TimedRuns(problem, graph, prices, options).solve();
}

}  // namespace stint

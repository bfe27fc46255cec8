#include "planner/graphs/moments.hpp"

#include <algorithm>
#include <numeric>

#include "planner/graphs/copy_windows.hpp"

namespace stint {
namespace {

constexpr std::int64_t small_part = 200;  // of the memory, which rough bounds do without

// Items of at most so many bytes are together a small part of the memory.
std::int64_t small_bytes(const MomentProblem& problem) {
  std::vector<std::int64_t> sizes;
  for (const GraphItem& item : problem.graph->items) sizes.push_back(item.bytes);
  std::sort(sizes.begin(), sizes.end());
  std::int64_t sum = 0;
  std::size_t count = 0;
  while (count < sizes.size() && sum + sizes[count] <= problem.capacity_bytes / small_part)
    sum += sizes[count++];
  return count == sizes.size() ? 0 : sizes[count] - 1;
}

// By item: what we count nothing for, and take as always there. In bounds what several tasks write,
// or what may leave in parts; in rough ones also what is small, and what only updates of state
// read: gradients of weights, which are updated at once.
std::vector<char> free_items(const MomentProblem& problem) {
  const DeviceGraph& graph = *problem.graph;
  std::vector<char> only_updates(graph.items.size(), 1);
  for (const GraphTask& task : graph.tasks) {
    const bool is_update = task.runs_once && task.writes.empty();
    for (const GraphItemId read : task.reads) only_updates[read] &= is_update;
  }
  const std::int64_t small = small_bytes(problem);
  std::vector<char> free;
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    const GraphItem& item = graph.items[i];
    const bool is_gradient = only_updates[i] && !item.is_result && !item.writers.empty();
    const bool moves_in_parts = !problem.moves.empty() && !item.is_alone;
    free.push_back(item.bytes == 0 ||
                   (problem.is_bound && (item.writers.size() > 1 || moves_in_parts)) ||
                   (problem.is_rough && (item.bytes <= small || is_gradient)));
  }
  return free;
}

// A literal, or what is known beforehand.
struct Fact {
  enum Kind { no, yes, open } kind = no;
  VariableId literal{0};
};
constexpr Fact never{Fact::no, {}};
constexpr Fact always{Fact::yes, {}};

class Master {
 public:
  explicit Master(const MomentProblem& problem)
      : problem_(problem),
        graph_(*problem.graph),
        moments_(static_cast<int>(problem.moments.size())),
        free_(free_items(problem)) {
    find_use();
    decide_runs();
    decide_presence();
    require_reads();
    require_presence();
    require_memory();
    count_runs();
    require_results();
    require_time();
  }

  MomentSolution solve(const CpOptions& options, std::int64_t known_bound) {
    if (impossible_) return {CpStatus::infeasible, known_bound, 0, 0, {}, {}, {}};
    model_.add_linear(cost_, known_bound, std::max(known_bound, problem_.most_cost));
    model_.minimise(cost_);
    const CpAnswer answer = stint::solve(model_, options);
    // INT64_MIN where the solver has no bound.
    const std::int64_t bound =
        answer.bound > INT64_MIN / 2 ? answer.bound + cost_.constant : known_bound;
    MomentSolution solution{answer.status,
                            std::max(known_bound, bound),
                            answer.value + cost_.constant,
                            answer.work,
                            {},
                            {},
                            {}};
    if (answer.status == CpStatus::infeasible) solution.bound = known_bound;
    if (!answer.has_solution()) return solution;
    for (int k = 1; k <= moments_; ++k) {
      auto& there = solution.there.emplace_back(graph_.items.size(), 0);
      for (std::size_t i = 0; i < there.size(); ++i) there[i] = holds(answer, after_[k][i]);
    }
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      int& k = solution.first.emplace_back(problem_.first.earliest[t]);
      while (!is_idle(t) && k < problem_.first.latest[t] && !holds(answer, run_[k][t])) ++k;
      int& last = solution.last.emplace_back(k);
      for (int later = k + 1; later <= moments_; ++later)
        if (holds(answer, run_[later][t])) last = later;
    }
    return solution;
  }

 private:
  using Facts = std::vector<Fact>;
  static char holds(const CpAnswer& answer, const Fact& fact) {
    if (fact.kind != Fact::open) return fact.kind == Fact::yes;
    return answer.is_true(fact.literal);
  }
  Fact open() { return {Fact::open, model_.add_boolean()}; }

  const GraphItem& item(std::size_t i) const { return graph_.items[i]; }
  bool is_free(std::size_t i) const { return free_[i]; }
  // Nothing is decided about tasks that only touch what is free.
  bool is_idle(std::size_t t) const {
    const GraphTask& task = graph_.tasks[t];
    return problem_.is_rough &&
           std::all_of(task.reads.begin(), task.reads.end(),
                       [&](GraphItemId read) { return is_free(read); }) &&
           std::all_of(task.writes.begin(), task.writes.end(),
                       [&](const GraphOutput& output) { return is_free(output.item); });
  }
  bool is_input(std::size_t i) const { return item(i).writers.empty(); }
  bool comes_again(std::size_t i) const { return !is_input(i) && !item(i).is_fixed; }
  const GraphTask& moment_task(int k) const { return graph_.tasks[problem_.moments[k - 1]]; }

  // used_[k][i]: somebody may still read the item in interval k or later; runs_[k][t]: it may make
  // sense to run the task in interval k.
  void find_use() {
    const std::size_t tasks = graph_.tasks.size();
    used_.assign(moments_ + 1, std::vector<char>(graph_.items.size(), 0));
    useful_.assign(moments_ + 1, std::vector<char>(tasks, 0));
    for (int k = 0; k <= moments_; ++k) {
      for (std::size_t i = 0; i < graph_.items.size(); ++i) used_[k][i] = item(i).is_result;
      for (std::size_t t = tasks; t-- > 0;) find_use_of(k, t);
      // Those that fetch state stand behind their readers.
      for (std::size_t t = graph_.problem_tasks; t < tasks; ++t) find_use_of(k, t);
    }
  }
  void find_use_of(int k, std::size_t t) {
    const GraphTask& task = graph_.tasks[t];
    bool useful = problem_.first.latest[t] >= k;
    for (const GraphOutput& output : task.writes)
      useful = useful || (used_[k][output.item] && comes_again(output.item) &&
                          !(problem_.is_rough && is_free(output.item)));
    useful_[k][t] = useful;
    for (const GraphItemId read : task.reads) used_[k][read] = used_[k][read] || useful;
  }

  // Of our own plans: others may have a second buffer of how the state was.
  bool has_ended(std::size_t t, int k) const {
    if (problem_.is_bound) return false;
    const auto& ends = graph_.tasks[t].ends_with;
    return std::any_of(ends.begin(), ends.end(),
                       [&](TaskId update) { return problem_.first.latest[update] < k; });
  }

  void decide_runs() {
    run_.assign(moments_ + 1, Facts(graph_.tasks.size()));
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      if (is_idle(t)) continue;
      const int earliest = problem_.first.earliest[t];
      const int latest = problem_.first.latest[t];
      for (int k = earliest; k <= moments_; ++k) {
        if (earliest == latest && k == latest) {
          run_[k][t] = always;
          continue;
        }
        const bool again = k > latest;
        if (again && (graph_.tasks[t].runs_once || !useful_[k][t] || has_ended(t, k))) continue;
        run_[k][t] = open();
        cost_.add(run_[k][t].literal, problem_.costs[t]);
        if (!problem_.spare_times.empty()) again_.push_back({k, static_cast<TaskId>(t)});
      }
      if (earliest < latest) run_once_at_least(t, earliest, latest);
    }
    // Inputs come in once, in whichever interval.
    come_.assign(moments_ + 1, Facts(graph_.items.size()));
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      if (!is_input(i) || is_free(i)) continue;
      LinearSum times;
      for (int k = 0; k <= moments_; ++k) {
        come_[k][i] = open();
        times.add(come_[k][i].literal, 1);
      }
      model_.add_linear(times, 0, 1);
    }
    decide_moves();
  }

  void run_once_at_least(std::size_t t, int earliest, int latest) {
    std::vector<VariableId> runs;
    for (int k = earliest; k <= latest; ++k) runs.push_back(run_[k][t].literal);
    model_.add_clause(runs);
    cost_.constant -= problem_.costs[t];
  }

  // Back from elsewhere, in whichever interval; gone there once.
  void decide_moves() {
    back_.assign(moments_ + 1, Facts(graph_.items.size()));
    for (const MovedState& state : problem_.states) decide_state(state);
    if (problem_.moves.empty()) return;
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      if (is_free(i)) continue;
      const VariableId out = model_.add_boolean();
      const MovePrice& price = problem_.moves[i];
      note_move({out, price.out_time, end_of(is_input(i) ? no_task : item(i).writers.front())},
                price.out, copies_out_);
      for (int k = 1; k <= moments_; ++k) {
        if (!used_[k][i]) continue;
        back_[k][i] = open();
        note_move({back_[k][i].literal, price.back_time, begin_of(k)}, price.back, copies_back_);
        model_.add_clause({no(back_[k][i].literal), out});
      }
    }
  }

  // Of a state: whether it lives elsewhere; by interval, whether it is fetched; by moment, whether
  // it is there.
  struct StateFacts {
    VariableId away{0};
    Facts fetched;
    Facts there;
  };

  void decide_state(const MovedState& state) {
    StateFacts facts{model_.add_boolean(), Facts(moments_ + 1), Facts(moments_ + 1)};
    note_move({facts.away, state.price.out_time, end_of(state.updater)}, state.price.out,
              copies_out_);
    for (int k = 1; k <= moments_; ++k) {
      const bool is_used = uses(state, problem_.moments[k - 1]);
      facts.there[k] = is_used ? always : open();
      if (!is_used) model_.add_clause({facts.away, facts.there[k].literal});
    }
    if (state.price.back > 0 || state.price.back_time > 0) decide_fetches(state, facts);
    states_.push_back(std::move(facts));
  }

  // Not before a moment at which it is not there: even while it comes its bytes are taken.
  void decide_fetches(const MovedState& state, StateFacts& facts) {
    std::vector<VariableId> at_all{no(facts.away)};
    const Fact home{Fact::open, no(facts.away)};
    for (int k = 0; k <= moments_; ++k) {
      facts.fetched[k] = open();
      at_all.push_back(facts.fetched[k].literal);
      note_move({facts.fetched[k].literal, state.price.back_time, begin_of(k)}, state.price.back,
                copies_back_);
      const Fact& before = k == 0 ? home : facts.there[k];
      if (k < moments_) imply(facts.there[k + 1], {before, facts.fetched[k]});
      for (const TaskId user : state.users) imply(run_[k][user], {before, facts.fetched[k]});
    }
    model_.add_clause(at_all);
  }

  static bool uses(const MovedState& state, TaskId task) {
    return std::binary_search(state.users.begin(), state.users.end(), task);
  }

  void note_move(const TimedCopy& copy, std::int64_t price, std::vector<TimedCopy>& copies) {
    if (price > 0) cost_.add(copy.move, price);
    if (copy.time > 0) copies.push_back(copy);
  }
  std::int64_t begin_of(int interval) const {
    if (!problem_.link_time || interval == 0) return 0;
    return problem_.link_time->begin[problem_.moments[interval - 1]];
  }
  std::int64_t end_of(TaskId task) const {
    return problem_.link_time && task != no_task ? problem_.link_time->end[task] : 0;
  }

  void decide_presence() {
    there_.assign(moments_ + 1, Facts(graph_.items.size()));
    for (int k = 1; k <= moments_; ++k) {
      for (std::size_t i = 0; i < graph_.items.size(); ++i) {
        if (is_free(i))
          there_[k][i] = always;
        else if (used_[k][i] && may_be_there(i, k))
          there_[k][i] = open();
      }
    }
    after_ = there_;
    for (int k = 1; k <= moments_; ++k) touch(k);
  }

  bool may_be_there(std::size_t i, int k) const {
    const auto& writers = item(i).writers;
    return is_input(i) || std::any_of(writers.begin(), writers.end(), [&](TaskId writer) {
             return problem_.first.earliest[writer] < k;
           });
  }

  // While a moment's task runs, what it touches is there. An input whose place an output takes is
  // not there afterwards.
  void touch(int k) {
    for (const GraphItemId read : moment_task(k).reads) there_[k][read] = always;
    for (const GraphOutput& output : moment_task(k).writes) {
      if (!output.is_optional) there_[k][output.item] = always;
    }
    for (const GraphItemId read : moment_task(k).reads) {
      if (after_[k][read].kind == Fact::open && !is_replaced(k, read)) after_[k][read] = always;
    }
    for (const GraphOutput& output : moment_task(k).writes) {
      if (!output.is_optional && after_[k][output.item].kind == Fact::open)
        after_[k][output.item] = always;
    }
  }
  GraphItemId replaced_by(const GraphOutput& output) const {
    return problem_.is_bound ? output.at_most_in : output.in_place;
  }
  bool is_replaced(int k, GraphItemId read) const {
    const auto& writes = moment_task(k).writes;
    return std::any_of(writes.begin(), writes.end(),
                       [&](const GraphOutput& output) { return replaced_by(output) == read; });
  }

  // If `what` holds, so does one of the others.
  void imply(const Fact& what, std::initializer_list<Fact> others) {
    if (what.kind == Fact::no) return;
    std::vector<VariableId> clause;
    for (const Fact& other : others) {
      if (other.kind == Fact::yes) return;
      if (other.kind == Fact::open) clause.push_back(other.literal);
    }
    if (what.kind == Fact::open) clause.push_back(no(what.literal));
    if (clause.empty()) impossible_ = true;
    if (!clause.empty()) model_.add_clause(clause);
  }

  // Written in the interval, or come in.
  Fact made(int k, std::size_t i) const {
    if (is_input(i)) return come_[k][i];
    if (item(i).writers.size() == 1) return run_[k][graph_.writer(static_cast<GraphItemId>(i))];
    // Of several writers in a given order the last one completes it.
    const auto& writers = item(i).writers;
    const bool some = std::any_of(writers.begin(), writers.end(),
                                  [&](TaskId writer) { return run_[k][writer].kind == Fact::yes; });
    return some ? always : never;
  }

  void require_reads() {
    for (int k = 0; k <= moments_; ++k) {
      for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
        for (const GraphItemId read : graph_.tasks[t].reads) {
          if (!is_free(read))
            imply(run_[k][t], {k > 0 ? after_[k][read] : never, made(k, read), back_[k][read]});
        }
      }
    }
  }

  void require_presence() {
    for (int k = 1; k <= moments_; ++k) {
      for (std::size_t i = 0; i < graph_.items.size(); ++i) {
        if (is_free(i)) continue;
        imply(there_[k][i], {k > 1 ? after_[k - 1][i] : never, made(k - 1, i), back_[k - 1][i]});
        if (after_[k][i].kind == Fact::open && there_[k][i].kind == Fact::open &&
            after_[k][i].literal != there_[k][i].literal)
          imply(after_[k][i], {there_[k][i]});
      }
    }
  }

  // What is free elsewhere is there while the moment's task reads or writes it.
  std::int64_t free_bytes_at(int k) const {
    std::int64_t bytes = 0;
    const auto counts = [&](GraphItemId i) {
      return problem_.is_rough && is_free(i) && item(i).is_alone && item(i).writers.size() <= 1;
    };
    for (const GraphItemId read : moment_task(k).reads)
      bytes += counts(read) ? item(read).bytes : 0;
    for (const GraphOutput& output : moment_task(k).writes)
      bytes += counts(output.item) && !output.is_optional ? output.bytes : 0;
    return bytes;
  }

  std::int64_t unit_bytes() const {
    std::int64_t unit = 0;
    for (const GraphItem& each : graph_.items) unit = std::gcd(unit, each.bytes);
    for (const GraphTask& task : graph_.tasks)
      for (const GraphOutput& output : task.writes) unit = std::gcd(unit, output.bytes);
    return std::max<std::int64_t>(unit, 1);
  }

  void require_memory() {
    const std::int64_t unit = unit_bytes();
    for (int k = 1; k <= moments_; ++k) {
      LinearSum bytes;
      std::int64_t known = moment_task(k).workspace_bytes + free_bytes_at(k);
      if (!problem_.reserved_bytes.empty()) known += problem_.reserved_bytes[k - 1];
      for (std::size_t i = 0; i < graph_.items.size(); ++i) {
        if (is_free(i)) continue;
        if (there_[k][i].kind == Fact::yes) known += item(i).bytes;
        if (there_[k][i].kind == Fact::open) bytes.add(there_[k][i].literal, item(i).bytes / unit);
      }
      known -= replaced_bytes(k, unit, bytes);
      known += state_bytes_at(k, unit, bytes);
      const std::int64_t left = problem_.capacity_bytes - known;
      if (left < 0 && bytes.terms.empty()) impossible_ = true;
      model_.add_linear(bytes, INT64_MIN / 2, floor_of(left, unit));
    }
  }

  // State that may live elsewhere takes its bytes at the moments at which it is there.
  std::int64_t state_bytes_at(int k, std::int64_t unit, LinearSum& bytes) const {
    std::int64_t known = 0;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const Fact& there = states_[s].there[k];
      if (there.kind == Fact::yes) known += problem_.states[s].bytes;
      if (there.kind == Fact::open) bytes.add(there.literal, problem_.states[s].bytes / unit);
    }
    return known;
  }

  // While any other task runs: unless it lives elsewhere.
  std::int64_t state_bytes(TaskId task, std::int64_t unit, LinearSum& bytes) const {
    std::int64_t known = 0;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const MovedState& state = problem_.states[s];
      known += state.bytes;
      if (!uses(state, task))
        bytes.add(states_[s].away, -(state.bytes / unit + (state.bytes % unit > 0 ? 1 : 0)));
    }
    return known;
  }

  // An item that is there at both ends of an interval, and is not written in it, is there
  // throughout.
  Fact stays(int k, std::size_t i) {
    if (is_free(i) || k == 0 || k == moments_) return never;
    if (stays_.empty()) stays_.assign(moments_ + 1, Facts(graph_.items.size(), never));
    Fact& fact = stays_[k][i];
    const Fact others[] = {made(k, i), back_[k][i]};
    if (fact.kind != Fact::no || after_[k][i].kind == Fact::no ||
        there_[k + 1][i].kind == Fact::no || others[0].kind == Fact::yes)
      return fact;
    std::vector<VariableId> clause;
    for (const Fact& end : {after_[k][i], there_[k + 1][i]})
      if (end.kind == Fact::open) clause.push_back(no(end.literal));
    for (const Fact& other : others)
      if (other.kind == Fact::open) clause.push_back(other.literal);
    if (clause.empty()) return fact = always;
    fact = open();
    clause.push_back(fact.literal);
    model_.add_clause(clause);
    return fact;
  }

  // What a task needs while it runs, at the least.
  std::int64_t needed_bytes(TaskId t) const {
    const GraphTask& task = graph_.tasks[t];
    std::int64_t bytes = task.workspace_bytes;
    for (const GraphItemId read : task.reads)
      if (item(read).is_alone) bytes += item(read).bytes;
    for (const GraphOutput& output : task.writes) {
      if (!output.is_optional && replaced_by(output) == no_graph_item) bytes += output.bytes;
    }
    return bytes;
  }
  bool touches(TaskId t, std::size_t i) const {
    const GraphTask& task = graph_.tasks[t];
    const auto is_it = [&](const GraphOutput& output) {
      return output.item == static_cast<GraphItemId>(i);
    };
    return std::binary_search(task.reads.begin(), task.reads.end(), static_cast<GraphItemId>(i)) ||
           std::any_of(task.writes.begin(), task.writes.end(), is_it);
  }

  void count_runs() {
    for (const CountedRun& counted : problem_.counted) {
      for (int k = std::max(counted.first, 1); k <= std::min(counted.last, moments_ - 1); ++k) {
        if (run_[k][counted.task].kind != Fact::no) count_run(k, counted.task);
      }
    }
  }
  void count_run(int k, TaskId task) {
    const std::int64_t unit = unit_bytes();
    const std::int64_t needed = needed_bytes(task);
    LinearSum bytes;
    std::int64_t left = problem_.capacity_bytes;
    const Fact& run = run_[k][task];
    left -= state_bytes(task, unit, bytes);
    if (run.kind == Fact::yes) left -= needed;
    if (run.kind == Fact::open) bytes.add(run.literal, needed / unit);
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      if (touches(task, i)) continue;
      const Fact there = stays(k, i);
      if (there.kind == Fact::yes) left -= item(i).bytes;
      if (there.kind == Fact::open) bytes.add(there.literal, item(i).bytes / unit);
    }
    if (left < 0 && bytes.terms.empty()) impossible_ = true;
    if (!bytes.terms.empty()) model_.add_linear(bytes, INT64_MIN / 2, floor_of(left, unit));
  }

  // Bytes that outputs of the moment's task share with inputs, unless these are used again.
  std::int64_t replaced_bytes(int k, std::int64_t unit, LinearSum& bytes) const {
    std::int64_t replaced = 0;
    for (const GraphOutput& output : moment_task(k).writes) {
      const GraphItemId input = replaced_by(output);
      if (input == no_graph_item) continue;
      const Fact& stays = after_[k][input];
      if (stays.kind == Fact::yes && !is_free(input)) continue;
      replaced += output.bytes;
      if (stays.kind == Fact::open) bytes.add(stays.literal, output.bytes / unit);
    }
    return replaced;
  }

  static std::int64_t floor_of(std::int64_t bytes, std::int64_t unit) {
    return bytes >= 0 ? bytes / unit : -((-bytes + unit - 1) / unit);
  }

  void require_results() {
    for (std::size_t i = 0; i < graph_.items.size(); ++i) {
      if (!item(i).is_result || is_free(i)) continue;
      imply(always,
            {moments_ > 0 ? after_[moments_][i] : never, made(moments_, i), back_[moments_][i]});
    }
  }

  // Every bound on the time of the step holds, so the longest does.
  void require_time() {
    if (problem_.spare_times.empty()) return;
    std::int64_t most = 0;
    for (const auto& [k, task] : again_) most += problem_.time_costs[task];
    for (const auto* copies : {&copies_out_, &copies_back_}) {
      for (const TimedCopy& copy : *copies) most += copy.time + copy.begin;
    }
    const VariableId longer = model_.add_variable(0, most);
    cost_.add(longer, 1);
    for (const SpareTime& spare : problem_.spare_times) {
      LinearSum busy;
      for (const auto& [k, task] : again_) {
        if (k >= spare.since) busy.add(run_[k][task].literal, problem_.time_costs[task]);
      }
      busy.add(longer, -1);
      model_.add_linear(busy, INT64_MIN / 2, spare.price + floating_cost(spare.since));
    }
    if (problem_.link_time) require_links(longer);
  }
  void require_links(VariableId longer) {
    if (problem_.link_time->is_one_channel) {
      copies_out_.insert(copies_out_.end(), copies_back_.begin(), copies_back_.end());
      copies_back_.clear();
    }
    for (const auto& copies : {copies_out_, copies_back_, first_fetches()})
      fit_copies(copies, problem_.link_time->price, longer, model_);
  }

  // What lives elsewhere comes at least once before each of its users, so before the one after
  // which most is to be done.
  std::vector<TimedCopy> first_fetches() const {
    std::vector<TimedCopy> copies;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const MovedState& state = problem_.states[s];
      if (state.price.back_time == 0) continue;
      std::int64_t rest = 0;
      for (const TaskId user : state.users) rest = std::max(rest, problem_.link_time->rest[user]);
      copies.push_back({states_[s].away, state.price.back_time, rest});
    }
    return copies;
  }

  // Tasks that first run in one of several intervals are among those that run again, and need not
  // be counted once.
  std::int64_t floating_cost(int since) const {
    std::int64_t cost = 0;
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      const bool floats = !is_idle(t) && problem_.first.earliest[t] < problem_.first.latest[t];
      if (floats && problem_.first.earliest[t] >= since) cost += problem_.time_costs[t];
    }
    return cost;
  }

  const MomentProblem& problem_;
  const DeviceGraph& graph_;
  int moments_;
  std::vector<std::pair<int, TaskId>> again_;  // intervals and tasks that may run in them at a cost
  std::vector<char> free_;                     // [item]
  std::vector<Facts> stays_;                   // [interval][item]; empty: not asked for
  std::vector<std::vector<char>> used_;        // [interval][item]
  std::vector<std::vector<char>> useful_;      // [interval][task]
  std::vector<Facts> run_;                     // [interval][task]
  std::vector<Facts> come_;                    // [interval][input]
  std::vector<Facts> back_;                    // [interval][item]
  std::vector<StateFacts> states_;
  std::vector<TimedCopy> copies_out_;
  std::vector<TimedCopy> copies_back_;
  std::vector<Facts> there_;  // [moment][item], moments from 1 on
  std::vector<Facts> after_;  // the same, for use after the moment
  CpModel model_;
  LinearSum cost_;
  bool impossible_ = false;
};

}  // namespace

MomentSolution solve_moments(const MomentProblem& problem, const CpOptions& options,
                             std::int64_t known_bound) {
  return Master(problem).solve(options, known_bound);
}

}  // namespace stint

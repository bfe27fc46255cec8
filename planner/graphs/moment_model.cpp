#include "planner/graphs/moment_model.hpp"

#include <algorithm>
#include <utility>

namespace stint {

MomentModel::MomentModel(const MomentProblem& of)
    : problem(of),
      graph(*of.graph),
      moments(static_cast<int>(of.moments.size())),
      uses(moment_uses(of)) {
  decide_runs();
  decide_inputs();
  decide_moves();
  decide_presence();
  require_reads();
  require_presence();
  require_results();
}

// Of our own plans: others may have a second buffer of how the state was.
bool MomentModel::has_ended(std::size_t t, int k) const {
  if (problem.is_bound) return false;
  const auto& ends = graph.tasks[t].ends_with;
  return std::any_of(ends.begin(), ends.end(),
                     [&](TaskId update) { return problem.first.latest[update] < k; });
}

void MomentModel::decide_runs() {
  run.assign(moments + 1, Facts(graph.tasks.size()));
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (is_idle(t)) continue;
    const int earliest = problem.first.earliest[t];
    const int latest = problem.first.latest[t];
    for (int k = earliest; k <= moments; ++k) {
      if (earliest == latest && k == latest) {
        run[k][t] = always_so;
        continue;
      }
      const bool is_again = k > latest;
      if (is_again && (graph.tasks[t].runs_once || !uses.useful[k][t] || has_ended(t, k))) continue;
      run[k][t] = open();
      cost.add(run[k][t].literal, problem.costs[t]);
      if (!problem.spare_times.empty()) again.push_back({k, static_cast<TaskId>(t)});
    }
    if (earliest < latest) run_once_at_least(t, earliest, latest);
  }
}

// Inputs come in once, in whichever interval.
void MomentModel::decide_inputs() {
  come.assign(moments + 1, Facts(graph.items.size()));
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    if (!is_input(i) || is_free(i)) continue;
    LinearSum times;
    for (int k = 0; k <= moments; ++k) {
      come[k][i] = open();
      times.add(come[k][i].literal, 1);
    }
    model.add_linear(times, 0, 1);
  }
}

void MomentModel::run_once_at_least(std::size_t t, int earliest, int latest) {
  std::vector<VariableId> runs;
  for (int k = earliest; k <= latest; ++k) runs.push_back(run[k][t].literal);
  model.add_clause(runs);
  cost.constant -= problem.costs[t];
}

// Back from elsewhere, in whichever interval; gone there once.
void MomentModel::decide_moves() {
  back.assign(moments + 1, Facts(graph.items.size()));
  for (const MovedState& state : problem.states) decide_state(state);
  if (problem.moves.empty()) return;
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    if (is_free(i)) continue;
    const VariableId out = model.add_boolean();
    const MovePrice& price = problem.moves[i];
    note_move({out, price.out_time, end_of(is_input(i) ? no_task : item(i).writers.front())},
              price.out, copies_out);
    for (int k = 1; k <= moments; ++k) {
      if (!uses.used[k][i]) continue;
      back[k][i] = open();
      note_move({back[k][i].literal, price.back_time, begin_of(k)}, price.back, copies_back);
      model.add_clause({no(back[k][i].literal), out});
    }
  }
}

void MomentModel::decide_state(const MovedState& state) {
  StateFacts facts{model.add_boolean(), Facts(moments + 1), Facts(moments + 1)};
  note_move({facts.away, state.price.out_time, end_of(state.updater)}, state.price.out, copies_out);
  for (int k = 1; k <= moments; ++k) {
    const bool is_used = state.is_used_by(problem.moments[k - 1]);
    facts.there[k] = is_used ? always_so : open();
    if (!is_used) model.add_clause({facts.away, facts.there[k].literal});
  }
  if (state.price.back > 0 || state.price.back_time > 0) decide_fetches(state, facts);
  states.push_back(std::move(facts));
}

// Not before a moment at which it is not there: even while it comes its bytes are taken.
void MomentModel::decide_fetches(const MovedState& state, StateFacts& facts) {
  std::vector<VariableId> at_all{no(facts.away)};
  const Fact home{Fact::open, no(facts.away)};
  for (int k = 0; k <= moments; ++k) {
    facts.fetched[k] = open();
    at_all.push_back(facts.fetched[k].literal);
    note_move({facts.fetched[k].literal, state.price.back_time, begin_of(k)}, state.price.back,
              copies_back);
    const Fact& before = k == 0 ? home : facts.there[k];
    if (k < moments) imply(facts.there[k + 1], {before, facts.fetched[k]});
    for (const TaskId user : state.users) imply(run[k][user], {before, facts.fetched[k]});
  }
  model.add_clause(at_all);
}

void MomentModel::note_move(const TimedCopy& copy, std::int64_t price,
                            std::vector<TimedCopy>& copies) {
  if (price > 0) cost.add(copy.move, price);
  if (copy.time > 0) copies.push_back(copy);
}

std::int64_t MomentModel::begin_of(int interval) const {
  if (!problem.link_time || interval == 0) return 0;
  return problem.link_time->begin[problem.moments[interval - 1]];
}

std::int64_t MomentModel::end_of(TaskId task) const {
  return problem.link_time && task != no_task ? problem.link_time->end[task] : 0;
}

void MomentModel::decide_presence() {
  there.assign(moments + 1, Facts(graph.items.size()));
  for (int k = 1; k <= moments; ++k) {
    for (std::size_t i = 0; i < graph.items.size(); ++i) {
      if (is_free(i))
        there[k][i] = always_so;
      else if (uses.used[k][i] && may_be_there(i, k))
        there[k][i] = open();
    }
  }
  after = there;
  for (int k = 1; k <= moments; ++k) touch(k);
}

bool MomentModel::may_be_there(std::size_t i, int k) const {
  const auto& writers = item(i).writers;
  return is_input(i) || std::any_of(writers.begin(), writers.end(), [&](TaskId writer) {
           return problem.first.earliest[writer] < k;
         });
}

// While a moment's task runs, what it touches is there. An input whose place an output takes is
// not there afterwards.
void MomentModel::touch(int k) {
  for (const GraphItemId read : moment_task(k).reads) there[k][read] = always_so;
  for (const GraphOutput& output : moment_task(k).writes) {
    if (!output.is_optional) there[k][output.item] = always_so;
  }
  for (const GraphItemId read : moment_task(k).reads) {
    if (after[k][read].kind == Fact::open && !is_replaced(k, read)) after[k][read] = always_so;
  }
  for (const GraphOutput& output : moment_task(k).writes) {
    if (!output.is_optional && after[k][output.item].kind == Fact::open)
      after[k][output.item] = always_so;
  }
}
bool MomentModel::is_replaced(int k, GraphItemId read) const {
  const auto& writes = moment_task(k).writes;
  return std::any_of(writes.begin(), writes.end(),
                     [&](const GraphOutput& output) { return replaced_by(output) == read; });
}

// If `what` holds, so does one of the others.
void MomentModel::imply(const Fact& what, std::initializer_list<Fact> others) {
  if (what.kind == Fact::no) return;
  std::vector<VariableId> clause;
  for (const Fact& other : others) {
    if (other.kind == Fact::yes) return;
    if (other.kind == Fact::open) clause.push_back(other.literal);
  }
  if (what.kind == Fact::open) clause.push_back(no(what.literal));
  if (clause.empty()) impossible = true;
  if (!clause.empty()) model.add_clause(clause);
}

// Written in the interval, or come in.
Fact MomentModel::made(int k, std::size_t i) const {
  if (is_input(i)) return come[k][i];
  if (item(i).writers.size() == 1) return run[k][graph.writer(static_cast<GraphItemId>(i))];
  // Of several writers in a given order the last one completes it.
  const auto& writers = item(i).writers;
  const bool some = std::any_of(writers.begin(), writers.end(),
                                [&](TaskId writer) { return run[k][writer].kind == Fact::yes; });
  return some ? always_so : never_so;
}

void MomentModel::require_reads() {
  for (int k = 0; k <= moments; ++k) {
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
      for (const GraphItemId read : graph.tasks[t].reads) {
        if (!is_free(read))
          imply(run[k][t], {k > 0 ? after[k][read] : never_so, made(k, read), back[k][read]});
      }
    }
  }
}

void MomentModel::require_presence() {
  for (int k = 1; k <= moments; ++k) {
    for (std::size_t i = 0; i < graph.items.size(); ++i) {
      if (is_free(i)) continue;
      imply(there[k][i], {k > 1 ? after[k - 1][i] : never_so, made(k - 1, i), back[k - 1][i]});
      if (after[k][i].kind == Fact::open && there[k][i].kind == Fact::open &&
          after[k][i].literal != there[k][i].literal)
        imply(after[k][i], {there[k][i]});
    }
  }
}

void MomentModel::require_results() {
  for (std::size_t i = 0; i < graph.items.size(); ++i) {
    if (!item(i).is_result || is_free(i)) continue;
    imply(always_so,
          {moments > 0 ? after[moments][i] : never_so, made(moments, i), back[moments][i]});
  }
}

}  // namespace stint

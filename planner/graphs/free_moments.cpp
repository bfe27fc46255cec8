#include "planner/graphs/free_moments.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "planner/graphs/lineage.hpp"
#include "planner/graphs/retention.hpp"
#include "planner/makespan_bound.hpp"

namespace stint {
namespace {

constexpr int most_moments = 40;
constexpr std::size_t most_themselves = 10;
constexpr std::size_t moments_first_up_to_tasks = 300;
constexpr std::size_t most_begun = 2000;  // moments × tasks of the first solution
constexpr std::size_t least_begun = 1;
constexpr double first_share = 0.1;    // of what is left, for the solution with the moments at hand
constexpr double last_share = 0.4;     // of all, for the last one, which is solved to the end
constexpr double rough_share = 0.3;    // of what is to be proved, up to which it may be rough
constexpr double near_share = 0.125;   // of what is to be proved still, that others may lack
constexpr double work_of_task = 1e-4;  // at each moment, for stating the problem
constexpr std::int64_t rounded_part = 10000;  // of a value, that a rounded bound may lack

// How a master grows from round to round.
struct Pace {
  int moments = 0;  // that are added at once
  int counted = 0;
  double first_share = 0;     // of what is left, for the first round
  bool is_first_near = true;  // which may end near the optimum, as all others may
  double share = 0;           // of what is left, for every other
};
constexpr Pace by_cp_sat{3, 4, 0.3, true, 0.3};
constexpr Pace small_by_highs{3, 4, 0.2, true, 0.2};
// The first one tells most, and is solved to the end; what it grows by must be little to be solved
// at all.
constexpr Pace large_by_highs{1, 2, 0.9, false, 0.2};

using Rank = std::tuple<int, bool, int>;

// Of the tasks that may run always the one of the least rank. State has one buffer here, so updates
// wait for all who read it.
TaskOrder ranked_order(const Problem& problem, const std::vector<Rank>& ranks) {
  std::vector<std::vector<TaskId>> followers(ranks.size());
  std::vector<std::size_t> missing;
  std::set<std::pair<Rank, TaskId>> ready;
  for (std::size_t t = 0; t < ranks.size(); ++t) {
    const auto task = static_cast<TaskId>(t);
    missing.push_back(problem.before[t].size());
    for (const TaskId before : problem.before[t]) followers[before].push_back(task);
    if (missing[t] == 0) ready.emplace(ranks[t], task);
  }
  TaskOrder order;
  while (!ready.empty()) {
    const TaskId task = ready.extract(ready.begin()).value().second;
    order.push_back(task);
    for (const TaskId follower : followers[task]) {
      if (--missing[follower] == 0) ready.emplace(ranks[follower], follower);
    }
  }
  return order;
}

class Generation {
 public:
  Generation(const Problem& problem, MomentProblem master, const FreeMomentOptions& options)
      : problem_(problem),
        graph_(*master.graph),
        master_(std::move(master)),
        options_(options),
        pace_(!options.by_highs ? by_cp_sat
              : is_small()      ? small_by_highs
                                : large_by_highs),
        work_left_(options.solver.work),
        chosen_{Lineage(problem), {}},
        meter_(graph_, {master_.costs.begin(), master_.costs.end()}) {
    master_.is_rough = true;
    master_.by_highs = options_.by_highs;
  }

  // First with the moments at hand; then in rounds, in which a solution near the optimum tells well
  // enough where more are; in the end as well as the work that is left allows.
  FreeMoments generate() {
    if (!is_large_by_highs()) {
      begin(most_themselves, true);
      step(first_share, true);
      chosen_ = {Lineage(problem_), {}};
    }
    const std::size_t few = std::max(least_begun, most_begun / graph_.tasks.size());
    begin(options_.by_highs ? std::max(few, most_themselves) : few, false);
    Chosen last = chosen_;
    Chosen solved = chosen_;
    std::int64_t value = 0;  // of the last one that was solved
    bool is_first = true;
    while (!is_done() && work_left_ > last_share * options_.solver.work) {
      const std::int64_t aim = this->aim();
      const bool has_solution =
          is_first ? step(pace_.first_share, pace_.is_first_near) : step(pace_.share, true);
      is_first = false;
      const bool has_proved = is_proved(aim);
      if (has_solution || has_proved) last = chosen_;
      if (has_solution && solution_.status == CpStatus::optimal)
        solved = chosen_, value = solution_.value;
      if (!has_proved && (!has_solution || !is_clear() || !add_moments())) break;
    }
    // One that is hard to solve may yet tell more than those before it ever could.
    chosen_ = !options_.by_highs || found_.bound >= value ? last : solved;
    if (is_near() && is_clear() && !is_large_by_highs()) master_.is_rough = false;
    const bool was_tried = !is_solved_ && last_work_ > work_left_;
    if (!is_done() && !was_tried && (!is_solved_ || !master_.is_rough) && step(1, false)) replay();
    return found_;
  }

 private:
  // What is decided about the master: its moments, and runs that are counted between two of them.
  struct Counted {
    TaskId task = no_task;
    TaskId after = no_task;
    TaskId before = no_task;
    std::vector<TaskId> readers;  // as in CountedRun
    bool operator==(const Counted&) const = default;
  };
  struct Chosen {
    Lineage lineage;
    std::vector<Counted> counted;
  };

  bool is_small() const { return graph_.tasks.size() <= moments_first_up_to_tasks; }
  bool is_large_by_highs() const { return options_.by_highs && !is_small(); }
  bool is_interrupted() const {
    return options_.solver.interrupted != nullptr && options_.solver.interrupted->load();
  }
  bool is_limited() const { return options_.enough < INT64_MAX / 2; }
  bool is_done() const {
    return work_left_ <= 0 || is_proved(options_.enough) || found_.is_infeasible ||
           is_interrupted();
  }
  bool is_proved(std::int64_t cost) const {
    return found_.bound >= cost - (found_.is_rounded ? std::abs(cost) / rounded_part : 0);
  }

  // What is to be proved next. With a solver that looks for what costs less, the less the quicker.
  std::int64_t aim() const {
    const std::int64_t close = options_.enough - options_.close;
    const bool is_first = is_limited() && options_.by_highs && !is_proved(close);
    return is_first ? close : options_.enough;
  }

  // So little is missing that what is rough matters.
  bool is_near() const {
    return is_limited() && static_cast<double>(solution_.value) >
                               (1 - rough_share) * static_cast<double>(options_.enough);
  }

  // Solutions that cost no less than what is to be proved tell nothing about what is missing.
  bool is_clear() const { return !solution_.is_rounded || solution_.value < aim(); }

  // Tasks that matter themselves say most about the memory, if little about the others.
  void begin(std::size_t most, bool themselves) {
    const RetentionGaps gaps(graph_, options_.order);
    for (std::size_t m = 0; m < std::min(most, options_.moments.size()); ++m) {
      chosen_.lineage.add_around(options_.order, gaps.position(options_.moments[m]));
      if (themselves) chosen_.lineage.add(options_.moments[m]);
    }
    const std::vector<double> none(graph_.tasks.size(), 0.0);
    const auto waists = makespan_bound(problem_.needs, none, 1).waists;
    if (!waists.empty()) chosen_.lineage.add(waists.back().task);
  }

  // False if there is no solution.
  bool step(double share, bool near) {
    master_.moments = chosen_.lineage.tasks();
    master_.first = first_runs_in_any_order(problem_, master_.moments);
    master_.counted = counted_runs();
    master_.spare_times = options_.spare_times(master_.moments);
    CpOptions options = options_.solver;
    options.work = last_work_ = work_left_ * share;
    if (is_limited()) master_.most_cost = aim();
    if (near && is_limited())
      options.absolute_gap = near_share * static_cast<double>(master_.most_cost - found_.bound);
    solution_ = solve_moments(master_, options, found_.bound);
    const auto size = static_cast<double>(graph_.tasks.size() * (master_.moments.size() + 1));
    work_left_ -= solution_.work + size * work_of_task;
    note();
    return !solution_.there.empty();
  }

  // Where only plans better than one that is known were looked for and there are none, that one is
  // the best.
  void note() {
    const bool is_infeasible = solution_.status == CpStatus::infeasible;
    if (is_infeasible && is_limited()) solution_.bound = master_.most_cost;
    found_.is_infeasible = is_infeasible && !is_limited();
    if (solution_.bound > found_.bound) found_.is_rounded = solution_.is_rounded;
    found_.bound = std::max(found_.bound, solution_.bound);
    const std::int64_t rounding = solution_.is_rounded ? solution_.value / rounded_part : 0;
    const bool is_exact = solution_.bound >= solution_.value - rounding;
    is_solved_ = is_infeasible || (!solution_.there.empty() && is_exact);
  }

  // By interval, the moment's task at its end, the rest as in the given order. What updates state
  // waits for the interval to end in which somebody last sees the state before.
  TaskOrder order_of_solution(bool updates_last) const {
    std::vector<Rank> ranks(graph_.tasks.size());
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      const TaskId task = options_.order[p];
      ranks[task] = {solution_.first[task], false, static_cast<int>(p)};
    }
    for (const TaskId moment : master_.moments) std::get<1>(ranks[moment]) = true;
    for (std::size_t t = 0; t < ranks.size(); ++t) {
      const int last = updates_last ? static_cast<int>(master_.moments.size()) : solution_.last[t];
      if (last == solution_.first[t]) continue;
      for (const TaskId update : graph_.tasks[t].ends_with)
        ranks[update] = std::max(ranks[update], Rank{last + 1, false, -1});
    }
    return ranked_order(problem_, ranks);
  }

  struct Peak {
    std::int64_t bytes = 0;
    TaskId task = no_task;
    int position = 0;
    std::vector<TaskId> readers;  // that it runs for, up to a first run
  };

  // Where the replay of the solution exceeds the memory: first runs, the highest peaks first; if
  // there are none, what runs again or is related to too few to be a moment. Where the master keeps
  // from being computed again what the replay must, updates wait for the end.
  bool add_moments() { return add_moments(false) || add_moments(true); }
  bool add_moments(bool updates_last) {
    const RetentionGaps gaps(graph_, order_of_solution(updates_last));
    RetentionReplay replay(graph_, gaps);
    const std::vector<int> positions = positions_of_moments(gaps);
    if (!replay.make(positions, solution_.there)) return false;
    keep_if_it_fits(replay.sequence());
    std::vector<std::int64_t> first(gaps.order().size(), 0);  // by position, where it exceeds
    std::vector<Peak> others;
    for (std::size_t s = 0; s < replay.sequence().size(); ++s) {
      Peak peak{meter_.live_bytes()[s], replay.sequence()[s], replay.stage()[s], {}};
      if (peak.bytes <= master_.capacity_bytes) continue;
      const bool is_first = gaps.order()[peak.position] == peak.task;
      if (is_first) first[peak.position] = peak.bytes;
      if (!is_first) peak.readers = readers_of(replay, gaps, s);
      if (!is_first || !chosen_.lineage.could_add(peak.task)) others.push_back(peak);
    }
    const bool added = add_highest(gaps.order(), std::move(first));
    // In small graphs CP-SAT solves masters with many moments, and counting makes them harder.
    const bool counts = !added || options_.by_highs || !is_small();
    const bool counted = counts && count_highest(others, positions);
    return added || counted || add_between(gaps.order(), others);
  }

  std::vector<int> positions_of_moments(const RetentionGaps& gaps) const {
    std::vector<int> positions;
    for (const TaskId moment : master_.moments) positions.push_back(gaps.position(moment));
    return positions;
  }

  void replay() {
    const RetentionGaps gaps(graph_, order_of_solution(false));
    RetentionReplay replay(graph_, gaps);
    if (replay.make(positions_of_moments(gaps), solution_.there))
      keep_if_it_fits(replay.sequence());
  }

  void keep_if_it_fits(const TaskSequence& sequence) {
    const SequenceMeasure measure = meter_.measure(sequence);
    if (measure.peak_bytes > master_.capacity_bytes) return;
    if (!found_.sequence.empty() && measure.cost >= meter_.cost(found_.sequence)) return;
    found_.sequence = sequence;
  }

  // Who reads what a run again is for, and who reads what that one writes, up to a first run.
  std::vector<TaskId> readers_of(const RetentionReplay& replay, const RetentionGaps& gaps,
                                 std::size_t run) const {
    std::vector<TaskId> readers;
    const TaskSequence& sequence = replay.sequence();
    TaskId writer = sequence[run];
    for (std::size_t s = run + 1; s < sequence.size(); ++s) {
      if (!reads_of(sequence[s], writer)) continue;
      writer = sequence[s];
      readers.push_back(writer);
      if (gaps.order()[replay.stage()[s]] == writer) break;
    }
    return readers;
  }
  bool reads_of(TaskId reader, TaskId writer) const {
    const auto& reads = graph_.tasks[reader].reads;
    const auto& writes = graph_.tasks[writer].writes;
    return std::any_of(writes.begin(), writes.end(), [&](const GraphOutput& output) {
      return std::binary_search(reads.begin(), reads.end(), output.item);
    });
  }

  // Where nothing can be counted since too much happens between two moments, others come between
  // although nothing exceeds the memory there.
  bool add_between(const TaskOrder& order, const std::vector<Peak>& peaks) {
    int added = 0;
    for (const Peak& peak : peaks) {
      if (added == pace_.moments || std::ssize(chosen_.lineage.tasks()) >= most_moments) break;
      added += chosen_.lineage.add_around(order, peak.position) ? 1 : 0;
    }
    return added > 0;
  }

  bool add_highest(const TaskOrder& order, std::vector<std::int64_t> bytes) {
    int added = 0;
    while (added < pace_.moments && std::ssize(chosen_.lineage.tasks()) < most_moments) {
      const auto top = std::max_element(bytes.begin(), bytes.end());
      if (*top == 0) break;
      const auto at = static_cast<int>(top - bytes.begin());
      const bool is_added = chosen_.lineage.add_highest(order, at, bytes, options_.by_highs) ||
                            chosen_.lineage.add_around(order, at);
      added += is_added ? 1 : 0;
      std::fill(top - std::min<std::ptrdiff_t>(Lineage::furthest, top - bytes.begin()),
                top + std::min<std::ptrdiff_t>(Lineage::furthest + 1, bytes.end() - top), 0);
    }
    return added > 0;
  }

  // Between two moments only: nobody knows what is there before the first and after the last.
  bool count_highest(std::vector<Peak>& peaks, const std::vector<int>& positions) {
    std::stable_sort(peaks.begin(), peaks.end(),
                     [](const Peak& a, const Peak& b) { return a.bytes > b.bytes; });
    int added = 0;
    for (const Peak& peak : peaks) {
      const auto next = std::lower_bound(positions.begin(), positions.end(), peak.position);
      if (next == positions.begin() || next == positions.end()) continue;
      const auto k = static_cast<std::size_t>(next - positions.begin());
      const Counted run{peak.task, master_.moments[k - 1], master_.moments[k], peak.readers};
      auto& counted = chosen_.counted;
      const bool is_known = std::any_of(counted.begin(), counted.end(), [&](const Counted& other) {
        return other == run || (counts_everywhere(run.task) && other.task == run.task &&
                                other.readers == run.readers);
      });
      if (is_known) continue;
      counted.push_back(run);
      if (++added == pace_.counted) break;
    }
    return added > 0;
  }

  // Counted in one interval, what may first run in several would run in another the next time. Too
  // much where many are counted.
  bool counts_everywhere(TaskId task) const {
    return is_large_by_highs() && master_.first.earliest[task] < master_.first.latest[task];
  }

  // In every interval between the two moments: more of these may have come since.
  std::vector<CountedRun> counted_runs() const {
    const auto& moments = chosen_.lineage.tasks();
    const auto index = [&](TaskId moment) {
      return static_cast<int>(std::lower_bound(moments.begin(), moments.end(), moment) -
                              moments.begin());
    };
    std::vector<CountedRun> all;
    for (const Counted& run : chosen_.counted) {
      const bool is_everywhere = counts_everywhere(run.task);
      const int first = is_everywhere ? 1 : index(run.after) + 1;
      const int last = is_everywhere ? static_cast<int>(moments.size()) : index(run.before);
      all.push_back({run.task, first, last, run.readers});
    }
    return all;
  }

  const Problem& problem_;
  const DeviceGraph& graph_;
  MomentProblem master_;
  const FreeMomentOptions& options_;
  Pace pace_;
  double work_left_;
  double last_work_ = 0;  // that the last solution was allowed
  Chosen chosen_;
  SequenceMeter meter_;
  MomentSolution solution_;  // the last
  bool is_solved_ = false;   // to the end
  FreeMoments found_;
};

}  // namespace

FreeMoments generate_free_moments(const Problem& problem, MomentProblem master,
                                  const FreeMomentOptions& options) {
  return Generation(problem, std::move(master), options).generate();
}

std::vector<TaskId> in_sequence(const Problem& problem, const std::vector<TaskId>& tasks) {
  Lineage lineage(problem);
  for (const TaskId task : tasks) lineage.add(task);
  return lineage.tasks();
}

}  // namespace stint

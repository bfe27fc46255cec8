#include "planner/placement/placement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "planner/accept.hpp"
#include "planner/parallel.hpp"
#include "planner/placement/cut_bound.hpp"
#include "planner/placement/emptied.hpp"
#include "planner/placement/placed_draft.hpp"
#include "planner/placement/placement_bound.hpp"
#include "planner/placement/placement_others.hpp"
#include "planner/placement/placement_search.hpp"
#include "planner/placement/placement_starts.hpp"
#include "planner/placement/placement_window.hpp"
#include "planner/power/schedule_power.hpp"
#include "schedules/validate.hpp"

namespace stint {
namespace {

constexpr double search_steps_per_unit = 2.5e6;  // of replays, for a unit of the limit
constexpr double bound_work_per_unit = 0.7;      // the solver's, likewise
constexpr double automatic_share = 0.02;         // of the limit, beside other strategies
constexpr double least_search_steps = 6e5;       // beside other strategies, too, from
constexpr double least_search_limit = 0.3;       // this limit on
constexpr double large_share = 0.2;              // likewise, where it does without the solver
constexpr double large_tasks = 250;              // larger graphs get more steps, up to
constexpr double most_steps_as_large = 4;        // so many times as many
constexpr std::size_t most_tasks_automatically = 20'000;
constexpr std::size_t most_tasks_of_automatic_solver = 300;
constexpr std::size_t most_tasks_of_solver = 500;
constexpr double cut_tasks_per_unit = 1e5;  // tasks of all cuts, for a unit of the limit
constexpr int least_rounds_of_cuts = 12;
constexpr int most_rounds_of_cuts = 200;
constexpr double small_gap = 1e-4;  // worth a finer bound
constexpr std::size_t most_tasks_of_fine_bounds = 150;
constexpr std::size_t most_starts = 16;
constexpr std::size_t most_emptied = 4;  // more starts, that fit
constexpr std::size_t runners_at_last = 2;
constexpr double cooling_of_race = 0.6;  // from one round of it to the next
constexpr double temperature_of_ends = 0.002;
// A search on from the best plan: near it, or further from it in less memory.
struct SearchRound {
  double share = 1;               // of the memories that the best plan takes
  double temperature = 0.01;      // on values relative to the start's
  double priced_temperature = 0;  // where a deadline is a price on seconds at first; 0: it never is
};
// Where seconds have a price, what memory is missing costs so much of what it does elsewhere: plans
// that are far from each other have plans between them that do not quite fit.
constexpr double priced_share = 1.0 / 3;
constexpr SearchRound first_round;
constexpr SearchRound more_rounds[] = {{1, 0.002, 0.005}, {1, 0.005, 0.015}, {1, 0.002}};
constexpr SearchRound rounds_of_wide_gaps[] = {{1, 0.01, 0.015}, {1, 0.005, 0.005},
                                               {1, 0.01, 0.015}, {1, 0.005, 0.005},
                                               {1, 0.02},        {1, 0.01, 0.03}};
constexpr double wide_gap = 8e-3;
constexpr double gap_for_turns = 9e-3;   // worth turns in the relaxation, until
constexpr double gap_of_turns = 8.8e-3;  // so much is left
constexpr SearchRound round_of_turns{1, 0.01};
constexpr int number_of_turns = 11;  // after all other rounds
constexpr std::size_t most_tasks_of_more_rounds = 100;
constexpr SearchRound rounds_of_less[] = {{1, 0.05}, {0.8, 0.05}, {0.6, 0.05}};
constexpr std::size_t most_tasks_of_less = 30;
constexpr int seeds_of_search = 100;  // for each round
constexpr int seed_of_best = 90;
constexpr int window_tasks = 60;
constexpr int window_step = 40;  // so that they overlap
constexpr double window_temperature = 0.004;
constexpr double tasks_of_temperatures = 100;
constexpr int attempts = 6;  // at fitting addresses into the memories

class Placing {
 public:
  Placing(const Problem& problem, const SearchOptions& options, const PlacedGraph& graph,
          Answer& answer)
      : problem_(problem),
        options_(options),
        graph_(graph),
        answer_(answer),
        replay_(graph),
        replays_(std::max(1, options.threads), replay_),
        aim_{problem.capacity_bytes},
        limit_(problem.request().limit * share_of_limit()),
        clusters_(tasks_by_state(graph)) {}

  void plan() {
    if (!is_automatic()) start_from_others();
    if (options_.known != nullptr) add_start(choice_of(graph_, *options_.known));
    for (PlacementChoice& start : placement_starts(graph_)) add_start(std::move(start));
    cut();
    if (is_proved()) return;
    const bool is_small = graph_.tasks() <= most_tasks_of_automatic_solver;
    if (is_small || (!is_automatic() && graph_.tasks() <= most_tasks_of_solver)) relax();
    if (is_small) empty_starts();
    search();
    take_turns();
    refine();
  }

 private:
  double share_of_limit() const {
    if (!is_automatic()) return 1;
    return graph_.tasks() > most_tasks_of_automatic_solver ? large_share : automatic_share;
  }
  double search_steps() const {
    const double size = static_cast<double>(graph_.tasks()) / large_tasks;
    const double steps =
        limit_ * search_steps_per_unit * std::clamp(size, 1.0, most_steps_as_large);
    const double share = std::min(1.0, problem_.request().limit / least_search_limit);
    return std::max(steps, least_search_steps * share);
  }

  bool is_gap_wide() const { return is_gap_above(wide_gap); }
  bool is_gap_above(double share) const {
    if (!answer_.bound || !answer_.schedule || options_.is_interrupted()) return false;
    const double value = answer_.schedule->predicted.objective.value;
    return value - answer_.bound->value > share * value;
  }

  // A plan of somebody else is the best there is.
  bool is_proved() const {
    if (!answer_.bound || !answer_.schedule) return false;
    return answer_.schedule->predicted.objective.value <= answer_.bound->value * (1 + 1e-9);
  }
  bool is_automatic() const { return problem_.request().strategy == "auto"; }

  double score(const PlacementTrial& trial) const {
    return trial.value * (1 + penalty_ * trial.excess);
  }

  // Copies that come back may wait, so that they take no room before it is there.
  void add_start(PlacementChoice choice) {
    settle_ties(graph_, choice);
    settle_order(graph_, choice);
    std::optional<PlacementTrial> best;
    for (const int ahead : {choice.ahead, 0, 3, 2, 1}) {
      choice.ahead = ahead;
      auto trial = tried(graph_, replay_, choice, aim_);
      if (trial && (!best || score(*trial) < score(*best))) best = std::move(trial);
      if (!best || best->excess == 0) break;
    }
    if (best) starts_.push_back(std::move(*best));
  }

  void start_from_others() {
    for (Answer& found : answers_of_others(graph_, options_)) {
      answer_.least_arena.merge(found.least_arena);
      if (found.least_seconds)
        answer_.least_seconds =
            std::min(*found.least_seconds, answer_.least_seconds.value_or(*found.least_seconds));
      if (!found.schedule) continue;
      add_start(choice_of(graph_, *found.schedule));
      keep_if_better(std::move(*found.schedule), options_, answer_);
    }
  }

  // The cheapest cuts are starts, and their values bounds.
  void cut() {
    CutBound found = cut_bound(graph_, rounds_of_cuts(), options_);
    for (PlacementChoice& choice : found.choices) add_start(std::move(choice));
    take_bound(found.bound);
  }
  int rounds_of_cuts() const {
    const double rounds = limit_ * cut_tasks_per_unit / static_cast<double>(graph_.tasks() + 1);
    return std::clamp(static_cast<int>(rounds), least_rounds_of_cuts, most_rounds_of_cuts);
  }

  void take_bound(const std::optional<Bound>& bound) {
    if (bound && (!answer_.bound || bound->value > answer_.bound->value)) answer_.bound = bound;
  }

  // The relaxation's solution is a start, and its value a bound.
  void relax() {
    relaxed_ = bounded(false);
    take(relaxed_);
  }
  void take(const PlacementBound& found) {
    for (const PlacementChoice& choice : found.choices) add_start(choice);
    take_bound(found.bound);
  }

  // Starts that do not fit, made to.
  void empty_starts() {
    std::vector<PlacementTrial> all;
    for (const PlacementTrial& start : starts_) {
      if (start.excess == 0) continue;
      if (auto trial = emptied(graph_, replay_, start.choice, aim_))
        all.push_back(std::move(*trial));
    }
    keep_best_of(most_emptied, all);
    std::move(all.begin(), all.end(), std::back_inserter(starts_));
  }

  // Where the gap is still wide: what the relaxation does at once takes turns, and its solutions,
  // nearer to plans than those before, are searched from once more.
  void take_turns() {
    if (!is_gap_above(gap_for_turns) || relaxed_.choices.empty()) return;
    TurnsOptions turning;
    turning.enough = answer_.schedule->predicted.objective.value * (1 - gap_of_turns);
    const PlacementBound found =
        placement_bound_in_turns(graph_, bounding_for(), turning, relaxed_, options_);
    take(found);
    if (!found.choices.empty() && is_gap_above(gap_for_turns))
      search_within(round_of_turns, number_of_turns);
  }

  // Where plan and bound meet but for rounding. With numbers so large the solver may be wrong: a
  // bound above a plan is none.
  void refine() {
    if (!answer_.bound || !answer_.schedule || options_.is_interrupted()) return;
    const double value = answer_.schedule->predicted.objective.value;
    const double gap = value - answer_.bound->value;
    if (gap > small_gap * value || gap <= 0 || graph_.tasks() > most_tasks_of_fine_bounds) return;
    const auto found = bounded(true).bound;
    if (found && found->value <= value * (1 + 1e-9)) take_bound(found);
  }

  PlacementBoundOptions bounding_for() const {
    PlacementBoundOptions bounding;
    if (answer_.schedule) bounding.known = answer_.schedule->predicted.objective.value;
    bounding.work = limit_ * bound_work_per_unit;
    return bounding;
  }
  PlacementBound bounded(bool is_fine) const {
    PlacementBoundOptions bounding = bounding_for();
    bounding.is_fine = is_fine;
    return placement_bound(graph_, bounding, options_);
  }

  // What fits into less memory is a plan too, and not always one that is found with more: the
  // smallest graphs are searched for such plans as well, others on from the best.
  void search() {
    search(starts_, 0, first_round);
    if (graph_.tasks() > most_tasks_of_more_rounds) return;
    const bool is_small = graph_.tasks() <= most_tasks_of_less;
    int number = 0;
    for (const SearchRound& round : is_small ? rounds_of_less : more_rounds) {
      if (!answer_.schedule || is_proved() || options_.is_interrupted()) return;
      search_within(round, ++number);
    }
    for (const SearchRound& round : rounds_of_wide_gaps) {
      if (is_gap_wide()) search_within(round, ++number);
    }
  }

  void search_within(SearchRound round, int number) {
    aim_.capacity_bytes = problem_.capacity_bytes;
    for (const auto& [name, arena] : answer_.schedule->arenas) {
      std::int64_t& capacity = aim_.capacity_bytes[*find_memory(problem_.platform(), name)];
      const double bytes = static_cast<double>(arena) * round.share;
      if (round.share < 1) capacity = std::min(capacity, static_cast<std::int64_t>(bytes));
    }
    aim_.second_joules = round.priced_temperature > 0 ? price_of_a_second() : 0;
    const bool is_priced = aim_.second_joules > 0;
    if (is_priced) round.temperature = round.priced_temperature;
    std::vector<PlacementTrial> starts = tried_again(is_priced ? starts_ : starts_and_best());
    search(std::move(starts), seeds_of_search * number, round);
  }
  // With a price on seconds the best plan would win every race, and nothing else be found.
  std::vector<PlacementTrial> starts_and_best() {
    const auto known = std::ssize(starts_);
    if (!found_.order.empty()) add_start(found_);
    add_start(choice_of(graph_, *answer_.schedule));
    std::vector<PlacementTrial> all = starts_;
    starts_.resize(known);
    return all;
  }
  // As the search has it now.
  std::vector<PlacementTrial> tried_again(const std::vector<PlacementTrial>& trials) {
    std::vector<PlacementTrial> again;
    for (const PlacementTrial& trial : trials) {
      if (auto other = tried(graph_, replay_, trial.choice, aim_))
        again.push_back(std::move(*other));
    }
    return again;
  }
  // What a deadline is worth on the order of the best plan; 0 if it is no matter.
  double price_of_a_second() const {
    const Request& request = problem_.request();
    if (!deadline_seconds(request) || request.objective != Objective::energy) return 0;
    const double joules = worth_of_a_second(problem_, *answer_.schedule);
    return std::isfinite(joules) ? std::max(joules, 0.0) : 0;
  }

  void search(std::vector<PlacementTrial> starts, int seed, const SearchRound& round) {
    if (starts.empty()) return;
    PlacementTrial best = searched(starts, seed, round);
    if (best.excess > 0) best = searched_inside(tried_again(starts), best, seed, round);
    if (graph_.tasks() > most_tasks_of_automatic_solver) search_windows(best);
    fit(std::move(best));
  }

  PlacementTrial searched(std::vector<PlacementTrial> starts, int seed, const SearchRound& round) {
    const double steps = search_steps();
    std::vector<PlacementTrial> ends = raced(std::move(starts), steps / 2, seed, round);
    if (std::exchange(aim_.second_joules, 0) > 0) ends = tried_again(ends);
    anneal_each(ends, steps / 2, temperature_of_ends, seed + seed_of_best);
    keep_best_of(1, ends);
    return std::move(ends.front());
  }

  // What is many times cheaper outside the bounds draws the search out of them: then to be there
  // costs as many times more.
  PlacementTrial searched_inside(std::vector<PlacementTrial> starts, PlacementTrial outside,
                                 int seed, const SearchRound& round) {
    std::erase_if(starts, [](const PlacementTrial& start) { return start.excess > 0; });
    if (starts.empty() || options_.is_interrupted()) return outside;
    double least = starts.front().value;
    for (const PlacementTrial& start : starts) least = std::min(least, start.value);
    penalty_ = 2 * usual_penalty_of_excess * std::max(1.0, least / outside.value);
    PlacementTrial inside = searched(std::move(starts), seed, round);
    penalty_ = usual_penalty_of_excess;
    return inside;
  }

  // What a start is worth shows only when it has been searched from for a while: a solution of the
  // relaxation is late at first, and the best of all soon after. So all of them are searched from
  // for a little, the better half for longer, and so on (successive halving: Jamieson, Talwalkar
  // 2016). The best ends come first.
  std::vector<PlacementTrial> raced(std::vector<PlacementTrial> runners, double steps, int seed,
                                    const SearchRound& round) {
    keep_best_of(most_starts, runners);
    const auto levels = static_cast<int>(std::bit_width(runners.size()));
    double temperature = round.temperature;
    for (int level = 0; level < levels && !options_.is_interrupted(); ++level) {
      const double share = steps / static_cast<double>(levels * runners.size());
      anneal_each(runners, share, temperature, seed);
      seed += static_cast<int>(runners.size());
      keep_best_of(std::max(runners_at_last, runners.size() / 2), runners);
      temperature *= cooling_of_race;
    }
    return runners;
  }

  // The better first, each once.
  void keep_best_of(std::size_t count, std::vector<PlacementTrial>& trials) const {
    std::stable_sort(
        trials.begin(), trials.end(),
        [&](const PlacementTrial& a, const PlacementTrial& b) { return score(a) < score(b); });
    const auto is_same = [](const PlacementTrial& a, const PlacementTrial& b) {
      return a.value == b.value && a.excess == b.excess;
    };
    trials.erase(std::unique(trials.begin(), trials.end(), is_same), trials.end());
    if (trials.size() > count) trials.resize(count);
  }

  // Stretch by stretch, each as a problem of its own.
  void search_windows(PlacementTrial& best) {
    const Request& request = problem_.request();
    if (request.bill != Bill::makespan || deadline_seconds(request)) return;
    const int tasks = static_cast<int>(graph_.tasks());
    const double steps = search_steps() * window_step / tasks;
    for (int first = 0; first < tasks && !options_.is_interrupted(); first += window_step)
      improve_window(best, first, std::min(tasks, first + window_tasks), steps);
  }

  void improve_window(PlacementTrial& best, int first, int end, double steps) {
    const auto window = placement_window(graph_, best.choice, first, end);
    if (!window) return;
    const auto inside = placed_graph(window->problem);
    if (!inside) return;
    PlacedReplay replay(*inside);
    PlacementSearchOptions options;
    options.aim.capacity_bytes = window->problem.capacity_bytes;
    const auto start =
        tried(*inside, replay, choice_inside(*window, *inside, best.choice), options.aim);
    if (!start) return;
    options.steps = static_cast<std::int64_t>(steps);
    options.seed = static_cast<std::uint64_t>(problem_.request().seed) * 1000 + first;
    options.first_temperature = window_temperature;
    options.interrupted = options_.interrupted;
    const PlacementTrial found = search_placement(*inside, replay, *start, options);
    auto outside = choice_outside(*window, found.choice, best.choice, first);
    settle_order(graph_, outside);  // the window knows no versions of state
    const auto trial = tried(graph_, replay_, std::move(outside), aim_);
    if (trial && score(*trial) < score(best)) best = *trial;
  }

  // Each by itself, on all threads.
  void anneal_each(std::vector<PlacementTrial>& trials, double steps, double temperature,
                   int round) {
    for_each_index(static_cast<int>(trials.size()), options_.threads, [&](int i, int thread) {
      trials[i] = anneal(trials[i], steps, temperature, round + i, replays_[thread]);
    });
  }

  PlacementTrial anneal(const PlacementTrial& start, double steps, double temperature, int round,
                        PlacedReplay& replay) const {
    PlacementSearchOptions options;
    options.aim = aim_;
    options.steps = static_cast<std::int64_t>(steps);
    options.seed = static_cast<std::uint64_t>(problem_.request().seed) * 1000 + round;
    // The larger a graph, the less of it a move changes.
    options.first_temperature =
        temperature *
        std::min(1.0, tasks_of_temperatures / static_cast<double>(graph_.tasks() + 1));
    const bool is_priced = aim_.second_joules > 0;
    if (answer_.bound && !is_priced) options.good_enough = answer_.bound->value * (1 + 1e-9);
    options.clusters = &clusters_;
    options.penalty_of_excess = is_priced ? penalty_ * priced_share : penalty_;
    options.interrupted = options_.interrupted;
    return search_placement(graph_, replay, start, options);
  }

  // Where addresses take more than there is, it is searched on with less.
  void fit(PlacementTrial trial) {
    const double steps = search_steps() / 10;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (!replay_.make(trial.choice)) return;
      Schedule schedule = finish(problem_, placed_draft(graph_, replay_), "placement");
      if (accept(problem_, schedule, answer_) && obeys_request(schedule)) {
        if (keep_if_better(std::move(schedule), options_, answer_)) found_ = trial.choice;
        return;
      }
      if (options_.is_interrupted() || !tighten(schedule, attempt)) return;
      auto again = tried(graph_, replay_, trial.choice, aim_);
      if (!again) return;
      trial = anneal(*again, steps, temperature_of_ends, seed_of_best + 1 + attempt, replay_);
    }
  }

  // No less than by what was too much, and each time by twice as much.
  bool tighten(const Schedule& schedule, int attempt) {
    bool any = false;
    for (std::size_t m = 0; m < aim_.capacity_bytes.size(); ++m) {
      const std::string name = memory_name(problem_.platform(), static_cast<MemoryId>(m));
      const auto arena = schedule.arenas.find(name);
      if (arena == schedule.arenas.end()) continue;
      const std::int64_t excess = arena->second - problem_.capacity_bytes[m];
      if (excess <= 0) continue;
      aim_.capacity_bytes[m] -= std::min(excess, aim_.capacity_bytes[m] >> attempt) << attempt;
      any = true;
    }
    return any;
  }

  // What was asked beside bounds: nothing computed again, or nothing moved away and back.
  bool obeys_request(const Schedule& schedule) const {
    constexpr int request_rule = 19;
    if (problem_.request().recompute && problem_.request().offload) return true;
    const auto violations = validate(schedule);
    return std::none_of(violations.begin(), violations.end(),
                        [](const Violation& each) { return each.rule == request_rule; });
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const PlacedGraph& graph_;
  Answer& answer_;
  PlacedReplay replay_;
  std::vector<PlacedReplay> replays_;  // by thread
  PlacementAim aim_;
  double limit_;
  double penalty_ = usual_penalty_of_excess;
  std::vector<std::vector<TaskId>> clusters_;
  std::vector<PlacementTrial> starts_;
  PlacementBound relaxed_;
  PlacementChoice found_;  // of the best plan, if it was found here
};

}  // namespace

bool is_for_placement(const Problem& problem) {
  int devices = 0;
  for (const auto& seconds : problem.seconds) {
    if (std::any_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s); }))
      ++devices;
  }
  return devices > 1 && problem.request().objective != Objective::memory;
}

std::optional<Answer> placement(const Problem& problem, const SearchOptions& options) {
  const bool is_large = problem.graph().tasks.size() > most_tasks_automatically;
  if (!is_for_placement(problem) || (is_large && problem.request().strategy == "auto"))
    return std::nullopt;
  const auto graph = placed_graph(problem);
  if (!graph) return std::nullopt;
  Answer answer;
  Placing(problem, options, *graph, answer).plan();
  return answer;
}

}  // namespace stint

#include "planner/graphs/address_fit.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stint {
namespace {

constexpr int attempts = 8;                  // with less memory everywhere
constexpr std::int64_t smallest_part = 500;  // of the memory, to do without
constexpr std::int64_t first_part = 2;       // of what was too much, that large graphs do without
constexpr std::int64_t growth = 3;           // of that from one attempt to the next
constexpr int rounds_between = 2;            // memories that are tried between two
constexpr double worth_a_try = 1e-3;         // of the cost, above the plan without addresses
constexpr int cut_rounds = 8;                // with less only in places
constexpr int quick_cut_rounds = 2;          // where there is little time
constexpr double quick_limit = 0.15;
constexpr int most_places = 12;  // of a stretch, each tried alone
constexpr std::size_t small_up_to_tasks = 300;
constexpr double cut_share = 0.1;  // of the limit, for finding each place

// At first only in the middle of the stretch: it may be enough that one moment has room.
void apply(const AddressCut& cut, int reach, std::vector<std::int64_t>& reserved) {
  const int end = std::min(cut.end, cut.middle + reach + 1);
  for (int p = std::max(cut.begin, cut.middle - reach); p < end; ++p)
    reserved[p] = std::max(reserved[p], cut.reserved_bytes);
}

}  // namespace

AddressFit::AddressFit(const Problem& problem, const SearchOptions& options,
                       const DeviceGraph& graph, double limit, GraphSolver& solver,
                       DeviceDrafts& drafts)
    : problem_(problem),
      options_(options),
      graph_(graph),
      how_{limit * cut_share, options.interrupted},
      solver_(solver),
      drafts_(drafts),
      is_small_(graph.tasks.size() <= small_up_to_tasks),
      is_quick_(limit < quick_limit) {}

bool AddressFit::fit(const GraphPlan& plan, const std::vector<int>& states, int workers) {
  const GraphCrew crew = drafts_.crew_of(workers, states, graph_.capacity_bytes);
  if (is_small_ && fit_with_cuts(plan, crew)) return true;
  if (is_small_) return fit_with_less(plan, crew);
  const bool fits = fit_with_less(plan, crew);
  if (drafts_.is_close(plan) || (fits && workers == 1)) return fits;
  if (workers == 1) return fit_by_search(plan, crew);
  return fit_with_cuts(plan, crew) || fits;
}

// Room at other moments often leads to the same plan, and that one without addresses takes long to
// find out.
bool AddressFit::has_addresses(const GraphPlan& plan, const GraphCrew& crew) {
  const auto key = std::tuple(crew.workers, crew.capacity_bytes, plan.sequence);
  if (without_.contains(key)) return false;
  if (drafts_.consider(drafts_.finish_best(graph_, plan.sequence, crew))) return true;
  without_.insert(key);
  return false;
}

// Plans that have addresses are looked for near the one at hand.
bool AddressFit::fit_by_search(const GraphPlan& plan, const GraphCrew& crew) {
  const auto found = solver_.solve_with_addresses(plan.sequence, crew.capacity_bytes);
  return std::any_of(found.begin(), found.end(),
                     [&](const GraphPlan& each) { return has_addresses(each, crew); });
}

bool AddressFit::fit_with_cuts(GraphPlan plan, const GraphCrew& crew) {
  std::vector<std::int64_t> reserved(graph_.tasks.size(), 0);
  const int rounds = is_quick_ ? quick_cut_rounds : cut_rounds;
  for (int round = 0; round < rounds && !options_.is_interrupted(); ++round) {
    if (has_addresses(plan, crew)) return true;
    const auto cuts = address_cuts(graph_, plan.sequence, how_);
    if (round == 0 && is_small_ && !is_quick_ && fit_with_each(cuts, crew)) return true;
    for (const AddressCut& cut : cuts) apply(cut, (1 << round) - 1, reserved);
    const auto other =
        cuts.empty() ? std::nullopt : solver_.shrink(graph_.capacity_bytes, reserved);
    if (!other) return false;
    plan = *other;
  }
  return false;
}

// One moment with room may be enough, and which is cheapest nobody knows.
bool AddressFit::fit_with_each(const std::vector<AddressCut>& cuts, const GraphCrew& crew) {
  bool fits = false;
  for (const AddressCut& cut : cuts) {
    const int stride = 1 + (cut.end - cut.begin - 1) / most_places;
    for (int p = cut.begin; p < cut.end && !options_.is_interrupted(); p += stride) {
      std::vector<std::int64_t> reserved(graph_.tasks.size(), 0);
      reserved[p] = cut.reserved_bytes;
      const auto plan = solver_.shrink(graph_.capacity_bytes, reserved);
      fits = (plan && has_addresses(*plan, crew)) || fits;
    }
  }
  return fits;
}

// By what was too much, and each time by twice as much. In large graphs at first by a part of it,
// since other plans may waste less, and each time by so much more; what lies between is looked at
// afterwards.
bool AddressFit::fit_with_less(GraphPlan plan, GraphCrew crew) {
  const GraphPlan whole = plan;
  std::int64_t fails = crew.capacity_bytes;
  std::int64_t less = 0;
  for (int tried = 0; tried < attempts; ++tried) {
    Schedule schedule = drafts_.finish_best(graph_, plan.sequence, crew);
    const std::int64_t arena = schedule.arenas[memory_name(problem_.platform(), graph_.memory)];
    if (drafts_.consider(std::move(schedule))) {
      const bool is_alone = !is_small_ && crew.workers == 1;
      if (is_alone && tried > 0 && is_dear(whole)) fit_between(crew, fails);
      return true;
    }
    const std::int64_t excess = arena - problem_.capacity_bytes[graph_.memory];
    if (excess <= 0 || options_.is_interrupted()) return false;
    const std::int64_t least = graph_.capacity_bytes / smallest_part;
    if (is_small_)
      less += std::max(excess, least) << tried;
    else
      less = tried == 0 ? std::max(excess / first_part, least) : less * growth;
    fails = crew.capacity_bytes;
    crew.capacity_bytes = std::max<std::int64_t>(graph_.capacity_bytes - less, 0);
    const auto smaller = solver_.shrink(crew.capacity_bytes);
    if (!smaller) return false;
    plan = *smaller;
  }
  return false;
}

// Addresses cost enough to look for others.
bool AddressFit::is_dear(const GraphPlan& whole) const {
  const double value = drafts_.answer().schedule->predicted.objective.value;
  return value > whole.measure.cost * (1 + worth_a_try);
}

// What lies between a memory in which it fits and one in which it did not may do as well.
void AddressFit::fit_between(GraphCrew crew, std::int64_t fails) {
  for (int round = 0; round < rounds_between && !options_.is_interrupted(); ++round) {
    const std::int64_t fits = crew.capacity_bytes;
    crew.capacity_bytes = std::midpoint(fits, fails);
    const auto plan = solver_.shrink(crew.capacity_bytes);
    if (plan && has_addresses(*plan, crew)) continue;
    fails = std::exchange(crew.capacity_bytes, fits);
  }
}

}  // namespace stint

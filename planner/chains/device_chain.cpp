#include "planner/chains/device_chain.hpp"

#include <algorithm>
#include <cmath>

#include "planner/accept.hpp"
#include "planner/chains/chain_memory.hpp"
#include "planner/chains/long_chain.hpp"

namespace stint {
namespace {

constexpr double states_per_unit = 20'000;  // of the request's limit
constexpr double most_states = 2'000'000;
constexpr std::size_t most_places = 3;
constexpr int stretches = 3;
constexpr int most_spare = 2;  // places for copies under way
constexpr int attempts = 12;   // at fitting addresses into the memory

bool has_copies(const ChainOperations& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](const ChainOperation& op) { return op.action == ChainAction::copy; });
}

std::int64_t largest_copied(const ChainArrays& chain, const ChainOperations& operations) {
  std::int64_t largest = 0;
  for (const ChainOperation& op : operations) {
    if (op.action != ChainAction::copy) continue;
    largest = std::max(largest, op.of_tape ? chain.tape[op.index] : chain.x[op.index]);
  }
  return largest;
}

}  // namespace

std::optional<DeviceChain> DeviceChain::make(const Problem& problem, const SearchOptions& options,
                                             const TaskChain& chain, DeviceId device) {
  const auto& seconds = problem.seconds[device];
  const bool runs_all =
      std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::isfinite(s); });
  if (!runs_all) return std::nullopt;
  DeviceChain made;
  made.problem_ = &problem;
  made.options_ = &options;
  made.chain_ = &chain;
  made.device_ = device;
  const auto sizes = chain_sizes(problem, chain, made.memory());
  if (!sizes) return std::nullopt;
  made.sizes_ = *sizes;
  const Request& request = problem.request();
  if (request.offload) made.places_ = slow_places(problem, made.memory());
  // Where bytes are the aim, only those of storage are free.
  std::erase_if(made.places_, [&](const SlowPlace& place) {
    return request.objective == Objective::memory &&
           problem.platform().memories[place.memory].kind != MemoryKind::storage;
  });
  if (made.places_.size() > most_places) made.places_.resize(most_places);
  return made;
}

std::int64_t DeviceChain::bytes() const {
  const std::int64_t capacity = std::min(problem_->capacity_bytes[memory()], huge_bytes);
  return std::max<std::int64_t>(0, capacity - sizes_.resident_bytes);
}

ChainSearchOptions DeviceChain::search_options() const {
  ChainSearchOptions search;
  const double states = problem_->request().limit * states_per_unit;
  search.states = static_cast<int>(std::clamp(states, 1.0, most_states));
  search.start.table.threads = options_->threads;
  return search;
}

ChainProblem DeviceChain::priced(ChainProblem sizes, const ChainChoice& choice,
                                 const ChainAim& aim) const {
  const auto states = task_states(*problem_, device_, choice.states, choice.aim);
  set_costs(*problem_, device_, *chain_, states, aim, sizes);
  return sizes;
}

ChainPlan DeviceChain::solve(const ChainChoice& choice, std::int64_t fast_bytes) const {
  const auto slow = slow_memories(*problem_, places_, choice.aim, CopyTime::sequential);
  const ChainProblem chain = costs(choice, choice.aim);
  ChainPlan plan = solve_chain(chain, fast_bytes, slow, search_options());
  if (sizes_.problem.stages.size() > most_persistent_stages)
    return long_plan(chain, fast_bytes, plan);
  if (plan.feasible && !plan.optimal && slow.empty()) stretch(chain, fast_bytes, plan);
  return plan;
}

// Everything kept, or Revolve.
ChainPlan DeviceChain::long_plan(const ChainProblem& chain, std::int64_t fast_bytes,
                                 ChainPlan plan) const {
  const ChainArrays arrays = arrays_of(chain);
  if (fast_bytes >= full_memory_bytes(arrays)) {
    plan.feasible = true, plan.operations = keep_everything(arrays);
  } else if (auto operations = plan_long_chain(arrays, fast_bytes)) {
    plan.feasible = true, plan.operations = std::move(*operations);
  }
  plan.value = cost_of(arrays, {}, plan.operations);
  return plan;
}

// Where bytes were rounded up, schedules need less than was counted: solved for a bit more, they
// may still fit.
void DeviceChain::stretch(const ChainProblem& chain, std::int64_t fast_bytes,
                          ChainPlan& best) const {
  const ChainArrays arrays = arrays_of(chain);
  const auto peak = [&](const ChainOperations& operations) {
    return peak_bytes(arrays, 1, operations).front();
  };
  std::int64_t fits = fast_bytes;
  std::int64_t slack = fast_bytes - peak(best.operations);
  for (int tried = 0; tried < stretches && slack > fast_bytes / 100; ++tried) {
    const PersistentPlan more = solve_persistent(chain, fits + slack, search_options().start.table);
    const bool good = more.feasible && peak(more.operations) <= fast_bytes;
    if (good) fits += slack;
    if (good && more.value < best.value) best.value = more.value, best.operations = more.operations;
    slack = good ? fast_bytes - peak(more.operations) : slack / 2;
  }
}

double DeviceChain::cost_of_all(const ChainChoice& choice) const {
  return cost_without_recomputing(arrays_of(costs(choice, choice.aim)));
}

Schedule DeviceChain::finished(const ChainChoice& choice, const ChainOperations& operations,
                               const CopyOverlap& overlap, const std::string& strategy) const {
  ChainCrew crew;
  crew.worker = problem_->first_worker[device_];
  crew.memory = memory();
  crew.slow = places_;
  crew.states = task_states(*problem_, device_, choice.states, choice.aim);
  return finish(*problem_, chain_draft(*problem_, *chain_, crew, operations, overlap), strategy);
}

// Addresses may need more than the bytes that are live. Then it is solved for less memory: by what
// was too much, and each time by twice as much, because a little less often gives the same plan.
std::optional<Schedule> DeviceChain::schedule(const ChainChoice& choice, ChainOperations operations,
                                              std::int64_t fast_bytes, Answer& answer) const {
  const std::string name = memory_name(problem_->platform(), memory());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::optional<Schedule> best;
    Schedule first = finished(choice, operations, {}, "chain");
    const std::int64_t arena = first.arenas.contains(name) ? first.arenas.at(name) : 0;
    keep_better(std::move(first), answer, best);
    if (has_copies(operations)) overlap_copies(choice, operations, fast_bytes, answer, best);
    const std::int64_t excess = arena - problem_->capacity_bytes[memory()];
    if (best || excess <= 0 || options_->is_interrupted()) return best;
    fast_bytes -= std::min(excess, fast_bytes >> attempt) << attempt;
    const ChainPlan again = solve(choice, fast_bytes);
    if (!again.feasible) return std::nullopt;
    operations = again.operations;
  }
  return std::nullopt;
}

void DeviceChain::keep_better(Schedule schedule, Answer& answer,
                              std::optional<Schedule>& best) const {
  if (!accept(*problem_, schedule, answer)) return;
  if (best && best->predicted.objective.value <= schedule.predicted.objective.value) return;
  best = std::move(schedule);
}

// What is being copied takes its place while others compute: solved for less memory, there is room
// for it.
void DeviceChain::overlap_copies(const ChainChoice& choice, ChainOperations operations,
                                 std::int64_t fast_bytes, Answer& answer,
                                 std::optional<Schedule>& best) const {
  const std::int64_t largest = largest_copied(arrays_of(sizes_.problem), operations);
  for (int spare = 0; spare <= most_spare; ++spare) {
    for (const int ahead : {0, 1, 2, 4, 8})
      keep_better(finished(choice, operations, {true, ahead}, "chain"), answer, best);
    const ChainPlan again = solve(choice, fast_bytes - (spare + 1) * largest);
    if (!again.feasible || options_->is_interrupted()) return;
    operations = again.operations;
  }
}

ChainProblem DeviceChain::costs(const ChainChoice& choice, const ChainAim& aim) const {
  return priced(sizes_.problem, choice, aim);
}

std::vector<FrontierPoint> DeviceChain::frontier(const ChainChoice& choice) const {
  PersistentOptions options = search_options().start.table;
  options.frontier = true;
  const ChainProblem chain = costs(choice, choice.aim);
  std::vector<FrontierPoint> points = solve_persistent(chain, bytes(), options).frontier;
  for (FrontierPoint& point : points) point.bytes += sizes_.resident_bytes;
  return points;
}

LeastMemory DeviceChain::least_memory(const ChainChoice& choice) const {
  const auto slow = slow_memories(*problem_, places_, choice.aim, CopyTime::sequential);
  LeastMemory least = least_fast_bytes(costs(choice, choice.aim), slow, search_options());
  least.bytes += sizes_.resident_bytes;
  least.lower_bound += sizes_.resident_bytes;
  return least;
}

bool DeviceChain::is_isolated() const {
  const auto& links = problem_->platform().links;
  return std::none_of(links.begin(), links.end(), [&](const Link& link) {
    return link.from == memory() || link.to == memory();
  });
}

bool DeviceChain::proves_memory() const {
  return sizes_.covers_all && problem_->platform().devices.size() == 1 && is_isolated();
}

bool DeviceChain::proves_cost() const { return proves_memory() && device().workers == 1; }

double DeviceChain::least_cost(const ChainChoice& choice, const ChainPlan& solved) const {
  if (sizes_.for_bounds == sizes_.problem) return solved.lower_bound;
  return solve_chain(priced(sizes_.for_bounds, choice, choice.aim), bytes(), {}, search_options())
      .lower_bound;
}

std::int64_t DeviceChain::proved_bytes(const ChainChoice& choice) const {
  const ChainProblem bound = priced(sizes_.for_bounds, choice, choice.aim);
  return least_fast_bytes(bound, {}, search_options()).lower_bound + sizes_.resident_bytes;
}

}  // namespace stint

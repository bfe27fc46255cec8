#include "planner/chains/persistent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "files/input_error.hpp"
#include "planner/chains/chain_memory.hpp"
#include "planner/chains/persistent_trace.hpp"

namespace stint {
namespace {

// Divides all that a persistent schedule can hold.
std::int64_t common_unit(const ChainArrays& chain) {
  std::int64_t unit = 0;
  for (int i = 0; i < chain.stages; ++i)
    unit = std::gcd(unit, std::gcd(chain.x[i], chain.extra[i]));
  return std::max<std::int64_t>(unit, 1);
}

// How many units time and space allow.
std::int64_t most_units(int stages, const PersistentOptions& options) {
  constexpr double most_work = 2e10;
  const double n = stages;
  const double cells = n * (n + 1) / 2;
  const double by_space = static_cast<double>(options.table_bytes) / sizeof(double) / cells;
  const double by_time = most_work / (n * n * n / 6);
  const double in_float = static_cast<double>(options.most_table_bytes) / sizeof(float) / cells;
  const double units = std::min(std::max(500.0, std::min(by_space, by_time)), in_float);
  return static_cast<std::int64_t>(std::clamp(units, 16.0, 1e6));
}

std::vector<FrontierPoint> frontier_of(const PersistentMoves& moves, const Reversal& reversal,
                                       double base) {
  std::vector<FrontierPoint> points;
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < reversal.by_units.size(); ++m) {
    const double cost = reversal.by_units[m];
    if (cost < last) points.push_back({moves.bytes_at(static_cast<std::int64_t>(m)), base + cost});
    last = std::min(last, cost);
  }
  return points;
}

// Values that were rounded to float differ from the true ones by no more than this share.
double float_share(int stages) { return 4 * stages * std::ldexp(1.0, -24); }

double bound_of(const ChainArrays& chain, std::int64_t memory_bytes, std::int64_t unit_bytes,
                const PersistentOptions& options) {
  const PersistentMoves hopeful(chain, memory_bytes, unit_bytes, Rounding::hopeful);
  const Reversal reversal = best_reversal(hopeful, options.table_bytes, options.threads);
  const double share = reversal.exact ? 0 : float_share(chain.stages);
  return cost_without_recomputing(chain) + reversal.recomputed * (1 - share);
}

void set_range(const ChainArrays& chain, PersistentPlan& plan) {
  plan.full_bytes = full_memory_bytes(chain);
  const PersistentMoves in_bytes(chain, 2 * plan.full_bytes + 1, 1);
  const PersistentRanges ranges(in_bytes);
  const std::int64_t least = ranges.of(0, chain.stages - 1, plain_value).least;
  plan.least_bytes = std::min(plan.full_bytes, std::max(least, largest_operation_bytes(chain)));
}

void set_operations(const ChainArrays& chain, ChainOperations operations, PersistentPlan& plan) {
  plan.feasible = true;
  plan.operations = std::move(operations);
  plan.value = cost_of(chain, {}, plan.operations);
}

}  // namespace

std::int64_t persistent_unit(const ChainArrays& chain, std::int64_t memory_bytes,
                             const PersistentOptions& options) {
  const std::int64_t exact = common_unit(chain);
  const std::int64_t units = options.units > 0 ? options.units : most_units(chain.stages, options);
  if (memory_bytes / exact <= units) return exact;
  return memory_bytes / units + (memory_bytes % units > 0 ? 1 : 0);
}

PersistentPlan solve_persistent(const ChainProblem& problem, std::int64_t memory_bytes,
                                const PersistentOptions& options) {
  const ChainArrays chain = arrays_of(problem);
  if (chain.stages > most_persistent_stages) {
    throw InputError("chain", fmt::format("it has {} stages; expected at most {}", chain.stages,
                                          most_persistent_stages));
  }
  const double base = cost_without_recomputing(chain);
  PersistentPlan plan;
  set_range(chain, plan);
  plan.lower_bound = base;
  const bool keeps_all = memory_bytes >= plan.full_bytes;
  if (keeps_all) set_operations(chain, keep_everything(chain), plan);
  if (memory_bytes < plan.least_bytes || (keeps_all && !options.frontier)) return plan;

  const std::int64_t memory = std::min(memory_bytes, plan.full_bytes);
  plan.unit_bytes = persistent_unit(chain, memory, options);
  const PersistentMoves moves(chain, memory, plan.unit_bytes);
  const Reversal reversal = best_reversal(moves, options.table_bytes, options.threads);
  plan.rounded = !reversal.exact || common_unit(chain) % plan.unit_bytes != 0;
  plan.frontier = frontier_of(moves, reversal, base);
  if (keeps_all) {
    if (plan.frontier.empty() || plan.frontier.back().cost > plan.value) {
      plan.frontier.push_back({plan.full_bytes, plan.value});
    }
    return plan;
  }
  if (!reversal.feasible) return plan;
  set_operations(chain, with_drops(chain, reversal.operations), plan);
  plan.lower_bound = !plan.rounded            ? plan.value
                     : options.bound_the_loss ? bound_of(chain, memory, plan.unit_bytes, options)
                                              : base;
  return plan;
}

}  // namespace stint

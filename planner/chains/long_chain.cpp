#include "planner/chains/long_chain.hpp"

#include <algorithm>

#include "planner/chains/chain_memory.hpp"
#include "planner/chains/revolve.hpp"

namespace stint {
namespace {

constexpr std::int64_t most_operations = 5'000'000;
constexpr std::int64_t most_given_away = 16;  // slots

ChainOperations operations_of(const ChainArrays& chain, const SyncPlan& plan) {
  ChainOperations all;
  for (const SyncStep& step : plan.steps) {
    const int i = static_cast<int>(step.index);
    if (step.action == SyncAction::forward) {
      for (int k = i; k < step.until; ++k) all.push_back({ChainAction::forward, k});
    }
    if (step.action != SyncAction::backward) continue;
    if (chain.needs_forward[i])
      all.push_back({chain.has_tape(i) ? ChainAction::forward_saving : ChainAction::forward, i});
    all.push_back({ChainAction::backward, i});
  }
  return with_drops(chain, all);
}

}  // namespace

std::optional<ChainOperations> plan_long_chain(const ChainArrays& chain, std::int64_t fast_bytes) {
  const std::int64_t unit =
      std::max<std::int64_t>(1, *std::max_element(chain.x.begin(), chain.x.end()));
  const std::int64_t most = std::min<std::int64_t>(fast_bytes / unit, chain.stages);
  for (std::int64_t slots = most; slots > 0 && slots > most - most_given_away; --slots) {
    const auto count = count_revolve_forwards(chain.stages - 1, slots);
    if (!count || *count > most_operations) return std::nullopt;
    const auto plan = solve_revolve({chain.stages - 1, slots});
    ChainOperations operations = operations_of(chain, *plan);
    if (peak_bytes(chain, 1, operations).front() <= fast_bytes) return operations;
  }
  return std::nullopt;
}

}  // namespace stint

// A chain of tasks on one worker of one device: its sizes and places there, solved for an aim, and
// the way from a solution to a schedule that fits.
//
// Addresses can take more than the bytes that are live; then the solver gets as much less. Copies
// run in the solver's sequence, and side by side with computing; the better schedule counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/chains/chain_costs.hpp"
#include "planner/chains/chain_plan.hpp"
#include "planner/chains/chain_search.hpp"
#include "planner/chains/chain_sizes.hpp"
#include "planner/strategy.hpp"

namespace stint {

// For what, and in which power states (see state_choices).
struct ChainChoice {
  ChainAim aim;
  int states = 0;
};

class DeviceChain {
 public:
  // Nothing if the device cannot run every task, or sizes are beyond all reason.
  static std::optional<DeviceChain> make(const Problem& problem, const SearchOptions& options,
                                         const TaskChain& chain, DeviceId device);

  const Device& device() const { return problem_->platform().devices[device_]; }
  MemoryId memory() const { return device().memory; }
  std::int64_t bytes() const;  // for the chain, in the fast memory
  std::int64_t resident_bytes() const { return sizes_.resident_bytes; }
  double cost_of_all(const ChainChoice& choice) const;  // every stage once
  bool has_slow() const { return !places_.empty(); }

  ChainPlan solve(const ChainChoice& choice, std::int64_t fast_bytes) const;

  // The operations as a schedule that meets the request's bounds; if none does, `answer` notes what
  // it would take. `fast_bytes` is what they were solved for.
  std::optional<Schedule> schedule(const ChainChoice& choice, ChainOperations operations,
                                   std::int64_t fast_bytes, Answer& answer) const;

  // One attempt with given operations, named after a strategy.
  Schedule finished(const ChainChoice& choice, const ChainOperations& operations,
                    const CopyOverlap& overlap, const std::string& strategy) const;

  LeastMemory least_memory(const ChainChoice& choice) const;  // of the chain, with resident bytes

  // Whether every plan of the problem is a schedule of this chain: one worker in the whole machine,
  // sizes that cover all schedules. Then these hold for all of them.
  bool proves_cost() const;
  double least_cost(const ChainChoice& choice, const ChainPlan& solved) const;
  bool proves_memory() const;
  std::int64_t proved_bytes(const ChainChoice& choice) const;

  const ChainProblem& sizes() const { return sizes_.problem; }
  // In the states of a choice, for another aim.
  ChainProblem costs(const ChainChoice& choice, const ChainAim& aim) const;
  // Every cost that more memory gives, without offloading, up to the bound.
  std::vector<FrontierPoint> frontier(const ChainChoice& choice) const;

 private:
  DeviceChain() = default;
  ChainProblem priced(ChainProblem sizes, const ChainChoice& choice, const ChainAim& aim) const;
  void keep_better(Schedule schedule, Answer& answer, std::optional<Schedule>& best) const;
  void overlap_copies(const ChainChoice& choice, ChainOperations operations,
                      std::int64_t fast_bytes, Answer& answer, std::optional<Schedule>& best) const;
  ChainPlan long_plan(const ChainProblem& chain, std::int64_t fast_bytes, ChainPlan plan) const;
  void stretch(const ChainProblem& chain, std::int64_t fast_bytes, ChainPlan& best) const;
  ChainSearchOptions search_options() const;
  bool is_isolated() const;

  const Problem* problem_ = nullptr;
  const SearchOptions* options_ = nullptr;
  const TaskChain* chain_ = nullptr;
  DeviceId device_{0};
  ChainSizes sizes_;
  std::vector<SlowPlace> places_;
};

}  // namespace stint

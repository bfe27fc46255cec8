// What the stages of a chain cost on one worker of a device: joules and seconds of every task in
// the power state that is best for the aim, and of copies to slower memories.
//
// On one worker without overlap everything is a sum over tasks and copies: a second of a task costs
// the busy watts of its state, the device's active watts and, where the step is billed for its
// makespan, what is always on. The aim weighs joules and seconds; with a deadline the weight of
// seconds is what a Lagrangian sweep varies.
#pragma once

#include <vector>

#include "planner/chains/chain_problem.hpp"
#include "planner/chains/recognise.hpp"
#include "planner/problem.hpp"

namespace stint {

struct ChainAim {
  double joules = 1;
  double seconds = 0;
};

// Which power states tasks may have: one for all, or each its own.
inline constexpr int each_its_best = -1;

// What a plan may choose: one state for all, any of those that can be set, or first, where states
// can be set for single actions, `each_its_best`.
std::vector<int> state_choices(const Device& device);

// By task, the state it runs in.
std::vector<int> task_states(const Problem& problem, DeviceId device, int choice,
                             const ChainAim& aim);

// Of one execution.
double task_cost(const Problem& problem, DeviceId device, TaskId task, int state,
                 const ChainAim& aim);

// Fills in the costs of the stages.
void set_costs(const Problem& problem, DeviceId device, const TaskChain& chain,
               const std::vector<int>& states, const ChainAim& aim, ChainProblem& sizes);

// Joules that no schedule avoids and the stages do not show: what is always on in a window that the
// request fixes.
double fixed_joules(const Problem& problem);

// A memory beside the one that the device computes in, and the links there and back.
struct SlowPlace {
  MemoryId memory = no_memory;
  LinkId out{-1};
  LinkId back{-1};
};

// Memories with links both ways.
std::vector<SlowPlace> slow_places(const Problem& problem, MemoryId fast);

// Copies that overlap with nothing; or, for a bound, that cost their joules and no time.
enum class CopyTime { sequential, none };
std::vector<SlowMemory> slow_memories(const Problem& problem, const std::vector<SlowPlace>& places,
                                      const ChainAim& aim, CopyTime time);

}  // namespace stint

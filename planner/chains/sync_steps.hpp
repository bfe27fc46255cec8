// What a plan for a homogeneous chain is made of, and the synchronous model that prices it.
//
// Forward F_i makes x_{i+1} of x_i, 0 <= i < l; backward B_i needs x_i and runs once, B_l first and
// B_0 last. One buffer holds one x; it starts with x_0, a forward replaces its content, a backward
// leaves it useless. Level k has slots that hold one x each: a write copies the buffer into a free
// slot, a read copies a slot into the buffer, a discard is free. Nothing overlaps, and the cost of
// a plan is the sum of the costs of its steps. The forward that records the tape just before B_i is
// part of the backward. All sizes are equal; unequal ones are not this model.
//
// J. Herrmann, G. Pallez: H-Revolve, a framework for adjoint computation on synchronous
// hierarchical platforms, ACM TOMS 46 (2020).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace stint {

inline constexpr double no_cost = std::numeric_limits<double>::infinity();  // there is no plan

struct SyncLevel {
  std::int64_t slots = 0;
  double write_cost = 0;
  double read_cost = 0;
};

struct SyncProblem {
  std::int64_t length = 0;  // l: forwards 0..l-1, backwards l..0
  double forward_cost = 1;
  double backward_cost = 0;
  std::vector<SyncLevel> levels;
};

enum class SyncAction { forward, backward, write, read, discard };

struct SyncStep {
  SyncAction action = SyncAction::forward;
  std::int64_t index = 0;  // of the x that the step starts from, stores, fetches or drops
  std::int64_t until = 0;  // forward only: F_index … F_{until-1} run, x_until is in the buffer
  int level = 0;           // write, read and discard only
  bool operator==(const SyncStep&) const = default;
};

struct SyncPlan {
  double cost = no_cost;
  double lower_bound = 0;  // proved: no plan costs less
  std::vector<SyncStep> steps;

  [[nodiscard]] bool optimal() const { return lower_bound >= cost; }
};

inline SyncStep forward_step(std::int64_t index, std::int64_t until) {
  return {SyncAction::forward, index, until, 0};
}
inline SyncStep backward_step(std::int64_t index) { return {SyncAction::backward, index, 0, 0}; }
inline SyncStep write_step(int level, std::int64_t index) {
  return {SyncAction::write, index, 0, level};
}
inline SyncStep read_step(int level, std::int64_t index) {
  return {SyncAction::read, index, 0, level};
}
inline SyncStep discard_step(int level, std::int64_t index) {
  return {SyncAction::discard, index, 0, level};
}

}  // namespace stint

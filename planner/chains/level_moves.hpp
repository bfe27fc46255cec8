// H-Revolve for any hierarchy: a checkpoint may lie in any level and move whenever it is read.
//
// The synchronous model of sync_steps.hpp. If one level is cheap to write and another cheap to
// read, no order of the levels is right everywhere (h_revolve.hpp needs one), and a checkpoint may
// start in the one and move into the other once a slot is free. M counts the slots of every level
// that the chain may use, e_k one slot of level k. A starts with x_0 in the buffer only; G keeps
// x_0 in level k, whose slot M counts; L has x_0 in level k and in the buffer, and may move it:
//
//   A(0, M) = L(0, M, k) = ub
//   G(q, M, k) = min_{1<=j<=q} j uf + A(q-j, M-e_k) + r[k] + L(j-1, M, k),  M_k > 0
//   A(q, M)    = min_k w[k] + G(q, M, k)
//   L(q, M, k) = min(G(q, M, k), min_{i != k} w[i] + G(q, M, i))
//
// The cheapest plan in which a checkpoint, once dropped, is not made again. No cheaper plan of any
// kind was found by exhaustive search in twenty thousand small cases, but that is no proof, so
// the plan's lower bound stays 0. K prod(c[k]+1) rows, each as long as in min_plus.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "planner/chains/sync_steps.hpp"

namespace stint {

// The size of its table, or the largest int64 if that is smaller.
std::int64_t count_level_moves_cells(const SyncProblem& problem);

// Absent if no level has a slot and the chain needs one.
std::optional<SyncPlan> solve_level_moves(const SyncProblem& problem);

}  // namespace stint

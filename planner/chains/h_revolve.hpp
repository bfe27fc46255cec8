// H-Revolve: a homogeneous chain and a hierarchy of levels, each with slots, write and read costs.
//
// The synchronous model of sync_steps.hpp. Levels are taken from the inside out: with x_0 in level
// k, the rest of the chain uses levels 0..k. q is the length of a chain, m the free slots of level
// k; H starts with x_0 in the buffer only, P with x_0 also in a slot of level k:
//
//   D_{-1}(0) = ub, D_{-1}(q>0) = inf;  H_k(q, 0) = D_{k-1}(q);  D_k(q) = H_k(q, c[k])
//   P_k(q, m) = min(D_{k-1}(q), min_{1<=j<=q} j uf + H_k(q-j, m-1) + r[k] + P_k(j-1, m))
//   H_k(q, m) = min(D_{k-1}(q), w[k] + P_k(q, m))
//
// Optimal, as the paper has it, if w and r do not decrease along the order; then the plan says so
// (tests: equal to exhaustive search). Otherwise another order, or level_moves.hpp, can be better:
// solve_sync.hpp chooses. The time is that of min_plus.hpp for every slot: O(l log l) for each
// convex piece of H_k(., m-1), O(l^2) at worst; rows are made until more slots change nothing. A
// first level that is free is Revolve's closed form.
//
// J. Herrmann, G. Pallez: H-Revolve, a framework for adjoint computation on synchronous
// hierarchical platforms, ACM TOMS 46 (2020).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct HRevolveOptions {
  std::vector<int> order = {};  // level numbers from the inside out; empty: as they are listed
  std::int64_t max_cells = 50'000'000;  // of a level's table; beyond, slots are left unused
};

// Absent if no level has a slot and the chain needs one.
std::optional<SyncPlan> solve_h_revolve(const SyncProblem& problem,
                                        const HRevolveOptions& options = {});

}  // namespace stint

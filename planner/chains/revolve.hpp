// Revolve: the cheapest way to reverse a homogeneous chain with s slots of free memory.
//
// The synchronous model of sync_steps.hpp with one level, whose reads and writes cost nothing; x_0
// takes a slot as well. With n = l + 1 backwards and beta(s, t) = C(s+t, s), the least number of
// forwards is E(n, s) = t n - beta(s+1, t-1), t the least integer with beta(s, t) >= n; it is also
//
//   E(1, s) = 0;  E(n, s) = min_{1<=i<n} i + E(n-i, s-1) + E(i, s).
//
// Optimal. The count is a closed form, O(log n) binomials; the plan takes O(1) for each of its
// steps. No memory hierarchy: that is disk_revolve.hpp and h_revolve.hpp.
//
// A. Griewank, A. Walther: Algorithm 799: revolve, ACM TOMS 26 (2000).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct RevolveProblem {
  std::int64_t length = 0;  // l
  std::int64_t slots = 1;   // s
  double forward_cost = 1;
  double backward_cost = 0;
};

// E(l+1, s). Absent if there is no plan (no slot and l > 0), or if int64 cannot hold the count.
std::optional<std::int64_t> count_revolve_forwards(std::int64_t length, std::int64_t slots);

// The cost of every chain from length 0 to problem.length, in O(length).
std::vector<double> revolve_costs(const RevolveProblem& problem);

// Appends the plan of the chain that starts with x_first in the buffer and keeps its slots in
// level.
void append_revolve(const RevolveProblem& problem, std::int64_t first, int level,
                    std::vector<SyncStep>& steps);

std::optional<SyncPlan> solve_revolve(const RevolveProblem& problem);

}  // namespace stint

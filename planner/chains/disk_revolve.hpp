// Disk-Revolve: a homogeneous chain, s slots of free memory and a disk without limit.
//
// The synchronous model of sync_steps.hpp with level 0 the memory and level 1 the disk. With
// o0(q) the cost of Revolve in memory alone, o1(q) that of a chain whose x_0 is on disk and in the
// buffer, and opt(q) that of the whole, q the length of the chain:
//
//   o1(q)  = min(o0(q), min_{1<=j<=q} j uf + o0(q-j) + rd + o1(j-1))
//   opt(q) = min(o0(q), min_{1<=j<=q} wd + j uf + opt(q-j) + rd + o1(j-1))
//
// Optimal: a checkpoint on disk may be read several times, which costs up to 42 % less than once.
// one_read asks for the cheapest plan that reads each at most once, for comparison: o0(j-1) in
// place of o1(j-1); it claims no bound. o0 is convex, so o1 takes O(l log l); opt takes as long for
// each convex piece of o1, of which there are few (min_plus.hpp). A disk with limited slots is a
// level of h_revolve.hpp.
//
// G. Aupy, J. Herrmann, P. Hovland, Y. Robert: Optimal multistage algorithm for adjoint
// computation, SIAM J. Sci. Comput. 38 (2016).
#pragma once

#include <cstdint>
#include <optional>

#include "planner/chains/sync_steps.hpp"

namespace stint {

struct DiskRevolveProblem {
  std::int64_t length = 0;  // l
  std::int64_t slots = 1;   // of memory
  double forward_cost = 1;  // uf
  double backward_cost = 0;
  double write_cost = 0;  // wd, of the disk
  double read_cost = 0;   // rd
  bool one_read = false;
};

SyncPlan solve_disk_revolve(const DiskRevolveProblem& problem);

}  // namespace stint

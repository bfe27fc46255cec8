// The best persistent schedule of a heterogeneous chain: what is kept stays until its backward.
//
// Problem: chain_problem.hpp with one fast memory. Recurrence: persistent_fill.hpp. Paper:
// Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova, "Optimal checkpointing for heterogeneous
// chains" (ACM TOMS 2024, hal-02352969). Guarantee: no persistent schedule of a chain whose
// backwards read their inputs costs less, where the table is exact to the byte; schedules that keep
// a tape and drop its input can be better (chain_search.hpp). Otherwise memory is rounded to units,
// safely, and `lower_bound` says what that can have cost at most. Every cost against every memory
// up to the bound comes out of one table.
//
// Cost: see persistent_fill.hpp; benchmarks/README.md has measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

struct PersistentOptions {
  int units = 0;  // of memory; 0: exact to the byte if the limits below allow it, else all they do
  std::size_t table_bytes = std::size_t{384} << 20;        // for the table in double precision
  std::size_t most_table_bytes = std::size_t{1280} << 20;  // beyond table_bytes in single precision
  int threads = 1;                                         // never changes the answer
  bool bound_the_loss = false;  // where anything is rounded: a second table, the other way
  bool frontier = false;        // wanted also where the memory suffices for everything
};

struct FrontierPoint {
  std::int64_t bytes = 0;  // the least memory, up to rounding, with which
  double cost = 0;         // this can be had
};

struct PersistentPlan {
  bool feasible = false;
  double value = 0;
  ChainOperations operations;  // complete, with drops
  double lower_bound = 0;      // of all persistent schedules; the value if nothing was rounded
  bool rounded = false;
  std::int64_t unit_bytes = 1;
  std::int64_t least_bytes = 0;         // exact: less is not enough for a persistent schedule
  std::int64_t full_bytes = 0;          // exact: from here on nothing is recomputed
  std::vector<FrontierPoint> frontier;  // memory grows, cost falls; ends at the bound
};

// The unit in which memory is counted: exact to the byte where that is affordable.
std::int64_t persistent_unit(const ChainArrays& chain, std::int64_t memory_bytes,
                             const PersistentOptions& options);

// More stages than this take too much memory for a table of a useful size.
inline constexpr int most_persistent_stages = 4000;

// Throws InputError if the chain is not sound or has too many stages.
PersistentPlan solve_persistent(const ChainProblem& problem, std::int64_t memory_bytes,
                                const PersistentOptions& options = {});

}  // namespace stint

// Heterogeneous chains for tests: random ones, the course's, and those of the reference vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "planner/chains/chain_problem.hpp"

namespace stint {

using Random = std::mt19937_64;
int pick(Random& random, int from, int to);  // both included

// Every kind of tape, missing reads, gradients of their own, with sizes and costs up to `largest`.
ChainProblem random_chain(Random& random, int stages, int largest);
SlowMemory random_memory(Random& random, int largest);

// Tapes that hold their outputs; backwards read their inputs.
ChainProblem random_rotor_chain(Random& random, int stages, int largest);

// x_{i+1} = F_i(x_i) for `forwards` steps of cost and size 1; one backward more, which reads x_i.
ChainProblem course_chain(int forwards);

struct RotorRow {
  std::int64_t fast_bytes = 0;
  std::vector<SlowMemory> slow;
  std::optional<double> persistent, exact, exact_pinned, rotor_c;
};

struct RotorCase {
  ChainProblem problem;
  std::optional<std::int64_t> full_bytes, least_persistent_bytes, least_exact_bytes;
  std::vector<RotorRow> rows;
};

// A file of data/.
std::vector<RotorCase> read_rotor_cases(const std::string& name);

}  // namespace stint

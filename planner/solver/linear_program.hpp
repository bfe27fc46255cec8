// A model of CP-SAT's as rows and columns, if it has linear constraints and clauses alone: for
// solvers that know nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/solver/cp_sat.hpp"

namespace stint {

struct LinearProgram {
  struct Term {
    int column = 0;
    std::int64_t factor = 0;
  };
  struct Row {
    std::vector<Term> terms;
    std::int64_t least = 0;
    std::int64_t most = 0;
  };
  struct Column {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t cost = 0;
  };
  std::vector<Column> columns;  // by variable
  std::vector<Row> rows;
};

// Nothing if it has constraints of other kinds, or conditions.
std::optional<LinearProgram> linear_program(const CpModel& model);

}  // namespace stint

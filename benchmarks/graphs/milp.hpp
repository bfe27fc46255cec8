// A mixed-integer linear program, and its solution by the HiGHS that OR-Tools carries: what others
// solve checkpointing with, to compare with.
//
// Written as the protocol buffer that MathOpt reads, through its C interface. That interface has no
// limits, and HiGHS cannot be interrupted through it; so it runs in a process of its own, which is
// ended when its processor time is over, and then nothing is known of what it had found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stint {

struct MilpTerm {
  int column = 0;
  double factor = 0;
};

class Milp {
 public:
  int add_column(double lower, double upper, double cost, bool is_integer);
  // Terms by column, each column once.
  void add_row(double lower, double upper, const std::vector<MilpTerm>& terms);

  std::vector<double> column_lower, column_upper, cost;
  std::vector<bool> is_integer;
  std::vector<double> row_lower, row_upper;
  std::vector<std::int64_t> entry_rows, entry_columns;  // of the matrix, by row, then by column
  std::vector<double> entries;
};

struct MilpAnswer {
  bool is_proved = false;
  double value = 0;
  double bound = 0;
};

// Nothing if there is no answer within so many seconds of the processor, or the program has no solution.
std::optional<MilpAnswer> solve_by_highs(const Milp& milp, double seconds);

}  // namespace stint

// Non-negative least squares: the x ≥ 0 that makes ‖A x − b‖ least, by the active-set method of
// Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23), each step of it a dense
// least-squares problem solved by Eigen's QR.
//
// For the few prices of a time model, not for thousands of columns: all rows are first compressed
// into as many as there are columns, O(rows · columns²); then about as many steps as columns, each
// O(columns³).
#pragma once

#include <vector>

namespace stint {

// `columns` are those of A, each as long as b. Columns may depend on each other, or be 0: their x
// is then one of several, or 0.
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& b);

}  // namespace stint

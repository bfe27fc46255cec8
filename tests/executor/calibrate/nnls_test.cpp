// Non-negative least squares against closed forms and against all subsets of columns.
#include "executor/calibrate/nnls.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace stint;

namespace {

using Columns = std::vector<std::vector<double>>;

double residual(const Columns& columns, const std::vector<double>& x,
                const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double row = -b[i];
    for (std::size_t j = 0; j < x.size(); ++j) row += columns[j][i] * x[j];
    sum += row * row;
  }
  return std::sqrt(sum);
}

// The best of the plain least-squares solutions over every subset of columns that has no negative.
double least_residual(const Columns& columns, const std::vector<double>& b) {
  double least = residual(columns, std::vector<double>(columns.size(), 0), b);
  const auto rows = static_cast<Eigen::Index>(b.size());
  for (unsigned subset = 1; subset < 1U << columns.size(); ++subset) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if ((subset >> j & 1) != 0) chosen.push_back(j);
    }
    Eigen::MatrixXd a(rows, static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t k = 0; k < chosen.size(); ++k)
      a.col(static_cast<Eigen::Index>(k)) =
          Eigen::Map<const Eigen::VectorXd>(columns[chosen[k]].data(), rows);
    const Eigen::VectorXd solved = a.completeOrthogonalDecomposition().solve(
        Eigen::Map<const Eigen::VectorXd>(b.data(), rows));
    if (solved.minCoeff() < 0) continue;
    std::vector<double> x(columns.size(), 0);
    for (std::size_t k = 0; k < chosen.size(); ++k) x[chosen[k]] = solved[static_cast<int>(k)];
    least = std::min(least, residual(columns, x, b));
  }
  return least;
}

Columns random_columns(std::mt19937_64& engine, std::size_t rows, std::size_t count) {
  const auto number = [&] { return static_cast<double>(engine() % 2001) / 1000 - 1; };
  Columns columns(count, std::vector<double>(rows));
  for (auto& column : columns) {
    for (double& value : column) value = number();
  }
  return columns;
}

}  // namespace

TEST_CASE("an exact non-negative solution is found", "[nnls]") {
  const Columns columns = {{1, 1, 1, 1}, {1, 2, 3, 4}, {1e9, 0, 2e9, 5e9}};
  const std::vector<double> x = {3, 0.5, 2e-9};
  std::vector<double> b(4, 0);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 4; ++i) b[i] += columns[j][i] * x[j];
  }
  const auto found = non_negative_least_squares(columns, b);
  for (std::size_t j = 0; j < 3; ++j) CHECK(found[j] == Approx(x[j]).epsilon(1e-9));
}

TEST_CASE("a price that would be negative is 0, and the others make up for it", "[nnls]") {
  // Without the bound, b = 2 - x: a constant 2 and a slope of -1.
  const auto found = non_negative_least_squares({{1, 1, 1}, {0, 1, 2}}, {2, 1, 0});
  CHECK(found[0] == Approx(1));
  CHECK(found[1] == 0);
}

TEST_CASE("columns of zeros, equal columns and a target of zeros are no trouble", "[nnls]") {
  const auto beside_zeros = non_negative_least_squares({{0, 0}, {1, 2}}, {2, 4});
  CHECK(beside_zeros[0] == 0);
  CHECK(beside_zeros[1] == Approx(2));
  const auto twins = non_negative_least_squares({{1, 2}, {1, 2}}, {2, 4});
  CHECK(twins[0] + twins[1] == Approx(2));
  CHECK(non_negative_least_squares({{1, 2}}, {0, 0}) == std::vector<double>{0});
  CHECK(non_negative_least_squares({}, {1}).empty());
}

TEST_CASE("no subset of columns does better", "[nnls]") {
  const std::uint64_t seed = GENERATE(range(1, 201));
  CAPTURE(seed);
  std::mt19937_64 engine(seed);
  const std::size_t count = 1 + engine() % 7;
  const std::size_t rows = 1 + engine() % 12;
  Columns columns = random_columns(engine, rows, count);
  if (seed % 5 == 0) columns.push_back(columns.front());  // dependent ones too
  const std::vector<double> b = random_columns(engine, rows, 1).front();
  const auto x = non_negative_least_squares(columns, b);
  for (const double value : x) CHECK(value >= 0);
  CHECK(residual(columns, x, b) == Approx(least_residual(columns, b)).margin(1e-9));
}

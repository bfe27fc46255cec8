#include "executor/calibrate/nnls.hpp"

#include <Eigen/Dense>
#include <optional>

namespace stint {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Far below what any measurement can tell, far above rounding.
constexpr double negligible = 1e-11;

// The columns that may be positive, and the solution over them. The rest of x is 0.
class ActiveSet {
 public:
  ActiveSet(const Matrix& a, const Vector& b)
      : a_(a), b_(b), x_(Vector::Zero(a.cols())), is_free_(a.cols(), false) {}

  Vector x() const { return x_; }

  // Frees the column that promises most; false if none does.
  bool improve() {
    const Vector gain = a_.transpose() * (b_ - a_ * x_);
    refused_.assign(is_free_.size(), false);
    while (const auto column = most_promising(gain)) {
      is_free_[*column] = true;
      const Vector z = unconstrained();
      if (z[*column] > 0) {
        move_to(z);
        return true;
      }
      is_free_[*column] = false;  // a promise of rounding errors
      refused_[*column] = true;
    }
    return false;
  }

 private:
  std::optional<Eigen::Index> most_promising(const Vector& gain) const {
    std::optional<Eigen::Index> best;
    for (Eigen::Index j = 0; j < gain.size(); ++j) {
      if (is_free_[j] || refused_[j] || gain[j] <= negligible * b_.norm()) continue;
      if (!best || gain[j] > gain[*best]) best = j;
    }
    return best;
  }

  // Least squares over the free columns alone.
  Vector unconstrained() const {
    std::vector<Eigen::Index> chosen;
    for (Eigen::Index j = 0; j < x_.size(); ++j) {
      if (is_free_[j]) chosen.push_back(j);
    }
    const Vector solved = a_(Eigen::all, chosen).colPivHouseholderQr().solve(b_);
    Vector z = Vector::Zero(x_.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) z[chosen[i]] = solved[static_cast<int>(i)];
    return z;
  }

  // As far towards z as x stays non-negative; what becomes 0 first on the way is bound again.
  void move_to(Vector z) {
    for (;;) {
      double step = 1;
      Eigen::Index first = 0;
      for (Eigen::Index j = 0; j < z.size(); ++j) {
        if (!is_free_[j] || z[j] >= 0 || x_[j] >= step * (x_[j] - z[j])) continue;
        step = x_[j] / (x_[j] - z[j]);
        first = j;
      }
      x_ += step * (z - x_);
      if (step == 1) return;
      bind(first);
      z = unconstrained();
    }
  }

  void bind(Eigen::Index column) {
    is_free_[column] = false;
    x_[column] = 0;
  }

  const Matrix& a_;
  const Vector& b_;
  Vector x_;
  std::vector<bool> is_free_;
  std::vector<bool> refused_;
};

// As few rows as there are columns, and one: an orthogonal matrix changes no length, so that the
// triangle of a QR decomposition has the same least squares as what it was made of.
Matrix compressed(const Matrix& a_and_b) {
  if (a_and_b.rows() <= a_and_b.cols()) return a_and_b;
  const Eigen::HouseholderQR<Matrix> qr(a_and_b);
  return qr.matrixQR().topRows(a_and_b.cols()).triangularView<Eigen::Upper>();
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& b) {
  const auto rows = static_cast<Eigen::Index>(b.size());
  const auto count = static_cast<Eigen::Index>(columns.size());
  Matrix a_and_b(rows, count + 1);
  auto a = a_and_b.leftCols(count);
  Vector lengths(count);
  for (Eigen::Index j = 0; j < count; ++j) {  // of length 1 each: flops and bytes are far apart
    a.col(j) = Eigen::Map<const Vector>(columns[j].data(), rows);
    lengths[j] = a.col(j).norm();
    if (lengths[j] > 0) a.col(j) /= lengths[j];
  }
  a_and_b.col(count) = Eigen::Map<const Vector>(b.data(), rows);
  const Matrix small = compressed(a_and_b);
  const Matrix factors = small.leftCols(count);
  const Vector target = small.col(count);
  ActiveSet set(factors, target);
  // Ends by itself; the bound is for rounding errors that would make it turn in circles.
  for (Eigen::Index i = 0; i < 10 * (count + 1) && set.improve(); ++i) continue;
  std::vector<double> x(columns.size());
  for (Eigen::Index j = 0; j < count; ++j) x[j] = lengths[j] > 0 ? set.x()[j] / lengths[j] : 0;
  return x;
}

}  // namespace stint

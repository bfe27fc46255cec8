#include "benchmarks/overhead/gemm.hpp"

#include <cblas.h>

#include <random>

namespace stint {
namespace {

constexpr int pool = 16;

// Between -0.5 and 0.5: no product overflows or becomes denormal, which would change its time.
std::vector<float> random_matrix(int n, std::mt19937_64& random) {
  std::vector<float> matrix(static_cast<std::size_t>(n) * n);
  for (float& value : matrix) value = static_cast<float>(random() % 1001) / 1000.0F - 0.5F;
  return matrix;
}

}  // namespace

Gemm::Gemm(int n) : n_(n) {
  openblas_set_num_threads(1);
  std::mt19937_64 random(n);
  for (int i = 0; i < pool; ++i) operands_.push_back(random_matrix(n, random));
}

Work Gemm::work() {
  return {[](void* context, int task) { static_cast<Gemm*>(context)->multiply(task); }, this};
}

void Gemm::multiply(int task) const {
  thread_local std::vector<float> product;
  product.resize(operands_[0].size());
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n_, n_, n_, 1.0F,
              operands_[task % pool].data(), n_, operands_[(task + 1) % pool].data(), n_, 0.0F,
              product.data(), n_);
}

}  // namespace stint

// Real work for a task: one product of two n x n matrices of floats, by OpenBLAS on one thread.
//
// The operands rotate through a pool, as the tensors of neighbouring tasks do; the product goes to
// a matrix of the thread that computes it, so tasks that run side by side share nothing they write.
#pragma once

#include <vector>

#include "benchmarks/overhead/work.hpp"

namespace stint {

class Gemm {
 public:
  explicit Gemm(int n);

  Work work();  // valid as long as this object stays where it is

 private:
  void multiply(int task) const;

  int n_;
  std::vector<std::vector<float>> operands_;
};

}  // namespace stint

// Products of matrices against the definition, and what is refused.
#include <cublas_v2.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/cuda_host/test_objects.hpp"

using namespace cuda_host;

namespace {

struct Blas {
  Blas() { succeed(cublasCreate(&handle), "cublasCreate"); }
  ~Blas() { succeed(cublasDestroy(handle), "cublasDestroy"); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  cublasHandle_t handle = nullptr;
};

struct Problem {
  bool turn_a = false, turn_b = false;
  int m = 1, n = 1, k = 1, matrices = 1;
  int lda = 1, ldb = 1, ldc = 1;
  long stride_a = 0, stride_b = 0, stride_c = 0;
  float alpha = 1, beta = 0;
};

Problem random_problem(std::mt19937_64& random) {
  const auto below = [&](int count) { return static_cast<int>(random() % count); };
  Problem p{.turn_a = below(2) == 1, .turn_b = below(2) == 1};
  p.m = 1 + below(below(4) == 0 ? 300 : 9);
  p.n = 1 + below(9);
  p.k = 1 + below(20);
  p.matrices = 1 + below(3);
  p.lda = (p.turn_a ? p.k : p.m) + below(3);
  p.ldb = (p.turn_b ? p.n : p.k) + below(3);
  p.ldc = p.m + below(3);
  p.stride_a = below(2) * p.lda * (p.turn_a ? p.m : p.k);  // 0: one for all
  p.stride_b = p.ldb * (p.turn_b ? p.k : p.n) + below(5);
  p.stride_c = p.ldc * p.n + below(5);
  p.alpha = 0.5f + static_cast<float>(below(3));
  p.beta = static_cast<float>(below(2));
  return p;
}

std::vector<double> by_definition(const Problem& p, const Floats& a, const Floats& b,
                                  std::vector<double> c) {
  for (int m = 0; m < p.matrices; ++m)
    for (int i = 0; i < p.m; ++i)
      for (int j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int l = 0; l < p.k; ++l)
          sum += double{a[m * p.stride_a + (p.turn_a ? l + i * p.lda : i + l * p.lda)]} *
                 b[m * p.stride_b + (p.turn_b ? j + l * p.ldb : l + j * p.ldb)];
        double& to = c[m * p.stride_c + i + j * p.ldc];
        to = p.alpha * sum + p.beta * to;
      }
  return c;
}

cublasStatus_t multiply(const Blas& blas, const Problem& p, const float* a, const float* b,
                        float* c) {
  const auto turn = [](bool turned) { return turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
  if (p.matrices == 1)
    return cublasSgemm(blas.handle, turn(p.turn_a), turn(p.turn_b), p.m, p.n, p.k, &p.alpha, a,
                       p.lda, b, p.ldb, &p.beta, c, p.ldc);
  return cublasSgemmStridedBatched(blas.handle, turn(p.turn_a), turn(p.turn_b), p.m, p.n, p.k,
                                   &p.alpha, a, p.lda, p.stride_a, b, p.ldb, p.stride_b, &p.beta, c,
                                   p.ldc, p.stride_c, p.matrices);
}

}  // namespace

TEST_CASE("products agree with their definition, and leave gaps alone", "[cuda_host]") {
  const std::string mode = GENERATE("eager", "lazy", "random");
  const ChildEnd end = run_in_child({{"MODE", mode}}, [] {
    std::mt19937_64 random(1);
    const TestStream stream;
    const Blas blas;
    succeed(cublasSetMathMode(blas.handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    succeed(cublasSetStream(blas.handle, stream), "cublasSetStream");
    for (int i = 0; i < 100; ++i) {
      const Problem p = random_problem(random);
      const Floats a = random_floats(p.lda * (p.turn_a ? p.m : p.k) * p.matrices, random);
      const Floats b = random_floats(p.stride_b * p.matrices, random);
      const Floats c = random_floats(p.stride_c * p.matrices, random);
      const DeviceFloats on_a(a), on_b(b), on_c(c);
      succeed(multiply(blas, p, on_a, on_b, on_c), "a product");
      expect_near(on_c.get(stream), by_definition(p, a, b, {c.begin(), c.end()}));
    }
    stream.finish();
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("matrices of a batch may be interleaved", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    std::mt19937_64 random(1);
    const TestStream stream;
    const Blas blas;
    succeed(cublasSetStream(blas.handle, stream), "cublasSetStream");
    const Problem p{.turn_a = true,
                    .m = 4,
                    .n = 5,
                    .k = 3,
                    .matrices = 2,
                    .lda = 6,
                    .ldb = 6,
                    .ldc = 8,
                    .stride_a = 3,
                    .stride_b = 3,
                    .stride_c = 4};
    const Floats a = random_floats(24, random), b = random_floats(30, random), c(40);
    const DeviceFloats on_a(a), on_b(b), on_c(c);
    succeed(multiply(blas, p, on_a, on_b, on_c), "a product");
    expect_near(on_c.get(stream), by_definition(p, a, b, {c.begin(), c.end()}));
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("products with sizes or strides out of range are refused", "[cuda_host]") {
  const ChildEnd end = run_in_child({}, [] {
    const Blas blas;
    const DeviceFloats a(16), b(16), c(16);
    const auto refuse = [&](const Problem& p) {
      expect_code(multiply(blas, p, a, b, c), CUBLAS_STATUS_INVALID_VALUE, "a product");
    };
    refuse({.m = -1});
    refuse({.m = 2, .lda = 1, .ldc = 2});
    refuse({.turn_a = true, .k = 2, .lda = 1, .ldb = 2});
    refuse({.m = 2, .lda = 2, .ldc = 1});
    succeed(multiply(blas, {.m = 0}, a, b, c), "an empty product");
    expect_code(cublasSetWorkspace(blas.handle, a + 1, 16), CUBLAS_STATUS_INVALID_VALUE,
                "cublasSetWorkspace");
    Blas gone;
    succeed(cublasDestroy(gone.handle), "cublasDestroy");
    expect_code(cublasSetStream(gone.handle, nullptr), CUBLAS_STATUS_NOT_INITIALIZED,
                "cublasSetStream");
    succeed(cublasCreate(&gone.handle), "cublasCreate");
  });
  INFO(end.err);
  CHECK(end.exit == 0);
}

TEST_CASE("a product may not overlap itself", "[cuda_host]") {
  const int which = GENERATE(0, 1, 2);
  const ChildEnd end = run_in_child({}, [=] {
    const Blas blas;
    const DeviceFloats a(64), b(64), c(128);
    if (which == 0) multiply(blas, {.m = 4, .lda = 4, .ldc = 4}, a, b, a + 3);
    if (which == 1)
      multiply(blas, {.m = 4, .matrices = 2, .lda = 4, .ldc = 4, .stride_c = 3}, a, b, c);
    if (which == 2) {
      succeed(cublasSetWorkspace(blas.handle, c, 256), "cublasSetWorkspace");
      multiply(blas, {.m = 4, .lda = 4, .ldc = 4}, a, b, c + 60);
    }
  });
  CHECK(end.exit == 97);
  CHECK_THAT(end.err, Catch::Contains("overlap"));
}

TEST_CASE("two streams may not share a workspace, and a new stream forgets it", "[cuda_host]") {
  const bool again = GENERATE(false, true);
  const ChildEnd end = run_in_child({}, [=] {
    const TestStream first, second;
    const Blas blas, other;
    const DeviceFloats a(Floats{1}), b(Floats{1}), c(1), d(1), workspace(64);
    succeed(cublasSetStream(blas.handle, first), "cublasSetStream");
    succeed(cublasSetWorkspace(blas.handle, workspace, 256), "cublasSetWorkspace");
    succeed(cublasSetWorkspace(other.handle, workspace, 256), "cublasSetWorkspace");
    succeed(cublasSetStream(other.handle, second), "cublasSetStream");
    if (again) succeed(cublasSetWorkspace(other.handle, workspace, 256), "cublasSetWorkspace");
    succeed(multiply(blas, {}, a, b, c), "a product");
    expect((multiply(other, {}, a, b, d) == CUBLAS_STATUS_SUCCESS) != again, "no race");
    succeed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  });
  INFO(end.err);
  CHECK(end.exit == (again ? 97 : 0));
}
